/**
 * Measures how long ten thousand alerts take to one Slack channel, one Discord webhook and one
 * webhook at the same time, compared with the vendors' limits. Runs the whole daemon on a virtual
 * clock, with the data service and the vendors in memory.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startDaemon } from "../../src/app/build.ts";
import type { Adapters } from "../../src/app/daemon/daemon-deps.ts";
import { loadConfig } from "../../src/config/load/load-config.ts";
import type { Http } from "../../src/model/http.ts";
import { tweetIdAt } from "../../src/model/id.ts";
import { createFiles } from "../../src/runtime/files.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { type OpenedStore, openStore } from "../../src/state/open.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeTweet } from "../../test/support/make-event.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../../test/support/virtual-clock.ts";
import type { Figure } from "../figure.ts";
import { inScratch } from "../scratch.ts";
import { SILENT_LOG } from "../silent-log.ts";
import { wholeText } from "../summary.ts";
import { createDiscord, createHook, createSlack, type Vendor } from "./vendors.ts";

const START_MS = Date.UTC(2026, 10, 2, 9);
const EVENTS = Number(process.env["DELIVERY_EVENTS"] ?? 10_000);
const EVENTS_A_POLL = 500;
const STEP_MS = 60_000;

const CONFIG = `version: 1
api: { base_url: "https://api.example", key: bench, quota: { monthly: 100000000 } }
state: { path: state.db }
server: { listen: "127.0.0.1:0" }
ops: { sink: terminal }
watches:
  news: { type: search, query: acme, schedule: "@every 1s", sink: [slack, discord, hook] }
sinks:
  terminal: { type: console }
  slack: { type: slack, token: xoxb-1, channel: "#bench", throttle: false }
  discord: { type: discord, webhook_url: "https://discord.com/api/webhooks/1/bench", throttle: false }
  hook: { type: webhook, url: "https://hook.example/in", secret: a secret of the bench }
`;

export const benchDrain = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const path = join(folder, "watches.yaml");
  await writeFile(path, CONFIG);
  const loaded = await loadConfig({
    path,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
  });
  if (!loaded.ok) throw new Error(`the configuration is refused: ${JSON.stringify(loaded.issues)}`);
  const clock = createVirtualClock(START_MS);
  const vendors = [createSlack(clock), createDiscord(clock), createHook(clock)];
  const service = createService(clock);
  let store: OpenedStore | undefined;
  const adapters: Adapters = {
    openStore: async (request) =>
      (store = await openStore({ ...request, path: join(folder, "state.db") })),
    startControl: async (_deps, statePath) => ({
      path: `${statePath}.sock`,
      answerWith: () => undefined,
      close: async () => undefined,
    }),
    startServer: async () => ({
      url: "http://127.0.0.1:1",
      answerWith: () => undefined,
      visit: async () => undefined,
      close: async () => undefined,
    }),
  };
  const daemon = await startDaemon(loaded.config, {
    ...{
      clock,
      random: createSeededRandom(1),
      hash: sha256,
      http: httpOf(vendors, service.http),
      files: createFiles(),
      log: SILENT_LOG,
    },
    ...{
      version: "0.0.0",
      adapters,
      write: () => undefined,
      outputs: createOutputs(),
      addSecret: () => undefined,
    },
    ...{ load: async () => loaded, watchFiles: false },
  });
  await clock.advance(5_000);
  const startMs = clock.now();
  service.release();
  const isDone = async () => {
    const stats = (await store?.outboxStats()) ?? [];
    return stats.reduce((sum, { sent, dead }) => sum + sent + dead, 0) >= EVENTS * vendors.length;
  };
  // A day is several times as long as the slowest vendor needs.
  while (!(await isDone()) && clock.now() < startMs + 86_400_000) await clock.advance(STEP_MS);
  await daemon.stop();
  return vendors.map((vendor) => figureOf(vendor, startMs));
}

function figureOf(
  { name, limit, accepted, refused, lastAcceptedAtMs }: Vendor,
  startMs: number,
): Figure {
  const twice = [...accepted.values()].filter((count) => count > 1).length;
  const tookS = (lastAcceptedAtMs() - startMs) / 1_000;
  const bound =
    limit === undefined
      ? "no limit"
      : `${wholeText((EVENTS / limit.count) * (limit.intervalMs / 1_000))} s by its limit`;
  return {
    name: `${wholeText(EVENTS)} alerts to ${name}`,
    value: `${wholeText(tookS)} s (${bound}), lost ${EVENTS - accepted.size}, sent twice ${twice}, 429 answers ${refused()}`,
  };
}

/**
 * A data service whose search is empty until it is released. Then each poll finds this many new
 * tweets in one page.
 */
function createService(clock: VirtualClock): { readonly http: Http; release(): void } {
  const answer = (body: object) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  let left: number | undefined;
  let last = 0n;
  const newTweets = () => {
    const count = Math.min(EVENTS_A_POLL, left ?? 0);
    left = (left ?? 0) - count;
    const first = BigInt(tweetIdAt(clock.now()));
    last = first > last ? first : last;
    const created_at = new Date(clock.now()).toISOString();
    return Array.from({ length: count }, () => ({
      ...makeTweet(String(++last)),
      created_at,
    })).reverse();
  };
  return {
    http: {
      request: async ({ url }) => {
        if (url.includes("key-usage-info"))
          return answer({
            key_requests: 0,
            remaining_requests: 100_000_000,
            total_requests: 100_000_000,
          });
        return answer({ tweets: left === undefined ? [] : newTweets(), next_cursor: null });
      },
    },
    release: () => void (left = EVENTS),
  };
}

function httpOf(vendors: readonly Vendor[], service: Http): Http {
  return {
    async request(request) {
      const { hostname, pathname } = new URL(request.url);
      if (pathname.endsWith("/auth.test"))
        return { status: 200, headers: {}, body: '{"ok":true,"user_id":"U1"}' };
      return (
        vendors.find(({ host }) => host === hostname)?.answer(request) ?? service.request(request)
      );
    },
  };
}
