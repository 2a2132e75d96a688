/**
 * The time that the built command takes for a backtest over 100,000 archived posts, of which 5,000
 * become alerts, in a process of its own and on a state that it opens for reading.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { BacktestView } from "../src/operate/backtest/backtest-view.ts";
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
import { BIN } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { inScratch } from "./scratch.ts";
import { SILENT_LOG } from "./silent-log.ts";
import { makeTweets } from "./tweets.ts";

const READS = 5_000;
const ITEMS = 20;
const PERIOD_MS = 7 * 86_400_000;

const CONFIG = `version: 1
api: { base_url: sandbox, key: sandbox }
state: { path: s.db }
watches:
  all: { type: search, query: release, where: "tweet.likes_count >= 95" }
sinks:
  hook: { type: webhook, url: "https://example.com/hook" }
`;

export const benchBacktest = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const path = join(folder, "watches.yaml");
  const nowMs = createSystemClock().now();
  await fillArchive(folder, path, nowMs);
  const period = [nowMs - PERIOD_MS, nowMs].map((atMs) => new Date(atMs).toISOString());
  const { view, wallMs, cpuMs, peakKilobytes } = await runBacktest(path, period);
  const [watch] = view.watches;
  return [
    {
      name: `backtest of ${watch?.after?.read} items, ${watch?.after?.alerted} alerts`,
      value: `${(wallMs / 1_000).toFixed(1)} s, ${(cpuMs / 1_000).toFixed(1)} s of CPU time, ${Math.round(peakKilobytes / 1_024)} MB at most`,
    },
  ];
}

/** Prints what the process used, when it ends; see getrusage(2). */
const USAGE = `import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => process.stderr.write(JSON.stringify(process.resourceUsage())));`;

interface Backtested {
  readonly view: BacktestView;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakKilobytes: number;
}

async function runBacktest(
  path: string,
  [since = "", until = ""]: readonly string[],
): Promise<Backtested> {
  const startMs = performance.now();
  const args = ["backtest", "-c", path, "--since", since, "--until", until, "--json"];
  const preload = `data:text/javascript,${encodeURIComponent(USAGE)}`;
  const child = spawn(process.execPath, ["--import", preload, BIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, "exit"),
  ]);
  const wallMs = performance.now() - startMs;
  if (child.exitCode !== 0) throw new Error(`the backtest failed: ${err}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(err) as NodeJS.ResourceUsage;
  return {
    view: JSON.parse(out) as BacktestView,
    ...{ wallMs, cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakKilobytes: maxRSS },
  };
}

async function fillArchive(folder: string, path: string, nowMs: number): Promise<void> {
  await writeFile(path, CONFIG);
  const loaded = await loadConfig({
    ...{ path, files: createFiles(), env: {}, lenientSecrets: true },
    ...{ watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const { config } = loaded;
  const clock = createSystemClock();
  const random = createSystemRandom();
  const store = await openStore({ path: join(folder, "s.db"), clock, random, log: SILENT_LOG });
  await store.proposeConfig({
    ...{ hash: "h", atMs: nowMs - PERIOD_MS, cause: "start", by: "bench", mayGoBack: true },
    body: CONFIG,
  });
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
  await store.close();
}
