/**
 * Feeds that no probe covers: a list of a thousand accounts and searches, read by the engine at
 * even intervals and under freshness. Served in process, with pages of twenty.
 */
import { sleep } from "../../src/model/clock.ts";
import type { Freshness } from "../../src/model/schedule.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { startEngineHarness } from "../../test/support/engine-harness.ts";
import { createFeedWorld } from "../../test/support/feed-world.ts";
import { makeWatch, type WatchChanges } from "../../test/support/make-watch.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { createWorkload, DAY_MS } from "./workload.ts";

const START_MS = Date.UTC(2026, 2, 2);
const MINUTE_MS = 60_000;
const LATENCY_MS = 60;
const WARM_UP_DAYS = 1;
const LIST_ACCOUNTS = 1_000;
/**
 * The swing of the rate over a day: the busiest hour is above the mean by this share, the quietest
 * below it.
 */
const DAY_SWING = 0.8;

export interface FeedOptions {
  readonly seed: number;
  /** The number of days that count. They follow a day of warm-up. */
  readonly days: number;
}

interface Feed {
  readonly name: string;
  readonly watch: (changes: WatchChanges) => Watch;
  readonly datesMs: readonly number[];
}

const list = (changes: WatchChanges) => makeWatch("w", "list_tweets", { list: "900" }, changes);
const search = (changes: WatchChanges) =>
  makeWatch("w", "search", { query: "acme lang:en" }, changes);

function openFeeds({ seed, days }: FeedOptions): readonly Feed[] {
  const { float } = createSeededRandom(seed);
  const exponential = (meanMs: number) => -Math.log(1 - float()) * meanMs;
  const endMs = START_MS + (WARM_UP_DAYS + days) * DAY_MS;
  const steady = (perDay: number): readonly number[] => {
    const dates: number[] = [];
    for (let atMs = START_MS - 3 * DAY_MS; atMs < endMs; atMs += exponential(DAY_MS / perDay))
      dates.push(atMs);
    return dates;
  };
  const bursts = (perDay: number, posts: number): readonly number[] =>
    steady(perDay).flatMap((startMs) => {
      let atMs = startMs;
      return Array.from({ length: posts }, () => (atMs += exponential(1.5 * MINUTE_MS)));
    });
  const ofAccounts = (accounts: number): readonly number[] =>
    createWorkload({ seed, accounts, startMs: START_MS, days: WARM_UP_DAYS + days })
      .world.accounts.flatMap(({ posts }) => posts.map(({ atMs }) => atMs))
      .filter((atMs) => atMs > START_MS - 3 * DAY_MS);
  const byDay = (dates: readonly number[]): readonly number[] =>
    dates.filter(
      (atMs) =>
        float() * (1 + DAY_SWING) <
        1 - DAY_SWING * Math.cos((2 * Math.PI * (atMs % DAY_MS)) / DAY_MS),
    );
  return [
    { name: "list, all hours alike", watch: list, datesMs: ofAccounts(LIST_ACCOUNTS) },
    {
      name: "list, hours of a day",
      watch: list,
      datesMs: byDay(ofAccounts(LIST_ACCOUNTS * (1 + DAY_SWING))),
    },
    { name: "search, 100 a day, evenly", watch: search, datesMs: steady(100) },
    { name: "search, 3 bursts of 20 a day", watch: search, datesMs: bursts(3, 20) },
  ];
}

interface FeedTiming {
  readonly name: string;
  readonly changes: WatchChanges;
}

const every = (intervalMs: number): WatchChanges => ({ schedule: { kind: "every", intervalMs } });
const fresh = (freshness: Freshness): WatchChanges => ({ freshness });

const TIMINGS: readonly FeedTiming[] = [
  { name: "every 120 s", changes: every(2 * MINUTE_MS) },
  {
    name: "mean 60 s, max 10 m",
    changes: fresh({ kind: "mean", meanMs: MINUTE_MS, maxMs: 10 * MINUTE_MS }),
  },
  { name: "every 63 s", changes: every(63_000) },
  { name: "95 of 100 in 60 s", changes: fresh({ kind: "p95", p95Ms: MINUTE_MS }) },
];

async function measure(
  { watch, datesMs }: Feed,
  { changes }: FeedTiming,
  days: number,
): Promise<readonly string[]> {
  const clock = createVirtualClock(START_MS);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  for (const atMs of datesMs) world.post(Math.floor(atMs));
  const fromMs = START_MS + WARM_UP_DAYS * DAY_MS;
  const toMs = fromMs + days * DAY_MS;
  let requests = 0;
  const upstream: Upstream = {
    async call(request) {
      if (clock.now() >= fromMs && clock.now() < toMs) requests += 1;
      await sleep(clock, LATENCY_MS);
      return world.answer(request, clock.now());
    },
  };
  const include = { reply: true, quote: true, retweet: true };
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch({ include, ...changes })],
  });
  try {
    await clock.advanceTo(toMs + 15 * MINUTE_MS);
    const events = await harness.events();
    const reported = new Set(events.map(({ subject }) => subject));
    const expected = world.placed.filter(
      ({ timeMs }) => timeMs > START_MS + 1_000 && timeMs < toMs,
    );
    const delays = events
      .flatMap(({ occurredAtMs, detectedAtMs }) =>
        occurredAtMs >= fromMs && occurredAtMs < toMs ? [detectedAtMs - occurredAtMs] : [],
      )
      .sort((a, b) => a - b);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    const at = (share: number) =>
      ((delays[Math.floor(share * delays.length)] ?? 0) / 1_000).toFixed(0);
    const perDay = requests / days;
    const missed = expected.filter(({ tweet }) => !reported.has(tweet.id)).length;
    return [
      Math.round(perDay).toLocaleString("en-US"),
      (DAY_MS / (2 * mean) / perDay).toFixed(2),
      (mean / 1_000).toFixed(1),
      at(0.5),
      at(0.95),
      String(missed),
      String(events.length - reported.size),
    ];
  } finally {
    await harness.close();
  }
}

/** Prints a row for each feed and timing. */
export async function runFeeds(options: FeedOptions): Promise<void> {
  console.log(
    "| Feed | Timing | Requests a day | Even reads of that mean, against these | Mean s | p50 s | p95 s | Missed | Double |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const feed of openFeeds(options)) {
    for (const timing of TIMINGS)
      console.log(
        `| ${[feed.name, timing.name, ...(await measure(feed, timing, options.days))].join(" | ")} |`,
      );
  }
}
