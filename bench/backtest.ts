/**
 * The time that a backtest takes over 100,000 archived posts, of which 5,000 become alerts: both
 * replays and their comparison, without the start of the process.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runBacktest } from "../src/app/backtest/backtest.ts";
import { loadConfig } from "../src/config/load/load-config.ts";
import type { ArchivedRead } from "../src/model/archive.ts";
import { registrationOf } from "../src/operate/changes/registration-of.ts";
import { planWatches } from "../src/operate/plan/configured-polls.ts";
import { createFiles } from "../src/runtime/files.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { SINK_TYPES } from "../src/sinks/registry.ts";
import { openStore } from "../src/state/open.ts";

import { WATCH_TYPES } from "../src/watches/registry.ts";
import type { Figure } from "./figure.ts";
import { inScratch } from "./scratch.ts";
import { SILENT_LOG } from "./silent-log.ts";
import { makeTweets } from "./tweets.ts";

const READS = 5_000;
const ITEMS = 20;
const PERIOD_MS = 7 * 86_400_000;

const CONFIG = `version: 1
api: { base_url: sandbox, key: sandbox }
watches:
  all: { type: search, query: release, where: "tweet.likes_count >= 95" }
sinks:
  hook: { type: webhook, url: "https://example.com/hook" }
`;

export const benchBacktest = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const path = join(folder, "watches.yaml");
  await writeFile(path, CONFIG);
  const loaded = await loadConfig({
    ...{ path, files: createFiles(), env: {}, lenientSecrets: true },
    ...{ watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const { config } = loaded;
  const clock = createSystemClock();
  const random = createSystemRandom();
  const nowMs = clock.now();
  const store = await openStore({ path: join(folder, "s.db"), clock, random, log: SILENT_LOG });
  const states = await store.registerWatches(
    config.watches.map((watch) => registrationOf(sha256, watch)),
    nowMs - PERIOD_MS - 1,
  );
  const [planned] = planWatches(config, sha256, states).values();
  const [target] = planned?.targets ?? [];
  if (planned === undefined || target === undefined) throw new Error("no watch was planned");
  const { watchKey } = planned;
  const reads: ArchivedRead[] = [];
  for (let at = 0; at < READS; at += 1) {
    const atMs = Math.floor(nowMs - PERIOD_MS + (at * PERIOD_MS) / READS);
    reads.push({
      ...{ atMs, source: "s", gatherMs: 60_000, values: [] },
      facts: makeTweets(ITEMS).map((tweet, number) => ({
        ...{ watchKey, targetKey: target.key, targetName: target.name, found: "news" },
        ...{ type: "tweet.created", subject: tweet.id, episode: "", occurredAtMs: atMs },
        body: { tweet: { ...tweet, likes_count: (number * 5) % 100 } },
      })),
    });
  }
  for (const read of reads)
    await store.commitPoll({
      ...{ atMs: read.atMs, targets: [], verdicts: [], events: [], deliveries: [] },
      archive: [read],
    });
  await store.compressArchive(nowMs);
  const before = process.cpuUsage();
  const view = await runBacktest(
    config,
    config,
    { sinceMs: nowMs - PERIOD_MS, untilMs: nowMs, watch: undefined, sink: undefined, limit: 20 },
    { store, hash: sha256, onProgress: () => undefined },
  );
  const { user, system } = process.cpuUsage(before);
  await store.close();
  const [watch] = view.watches;
  return [
    {
      name: `backtest of ${watch?.after?.read} items, ${watch?.after?.alerted} alerts`,
      value: `${((user + system) / 1_000_000).toFixed(1)} s of CPU time`,
    },
  ];
}
