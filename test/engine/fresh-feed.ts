/** Feeds under freshness whose posts come in bursts, read by the engine for days. */
import { onTestFinished } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export const START = Date.UTC(2026, 2, 2);
export const MIN = 60_000;
export const HOUR = 60 * MIN;
export const DAY = 24 * HOUR;

export type Answer = (request: UpstreamRequest, nowMs: number) => UpstreamAnswer;

export async function setup(watches: readonly Watch[], answer: Answer, isGoverned = false) {
  const clock = createVirtualClock(START);
  const calls: { readonly endpoint: string; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push({ endpoint: request.endpoint, atMs: clock.now() });
      await sleep(clock, 40);
      return answer(request, clock.now());
    },
  };
  const harness = await startEngineHarness({ clock, upstream, watches, isGoverned });
  onTestFinished(() => harness.close());
  const alerted = async () => (await harness.events()).map(({ subject }) => subject).toSorted();
  const delayOf = async (sinceMs: number) => {
    const late = (await harness.events()).flatMap(({ occurredAtMs, detectedAtMs }) =>
      occurredAtMs >= sinceMs ? [detectedAtMs - occurredAtMs] : [],
    );
    return late.reduce((sum, delay) => sum + delay, 0) / late.length;
  };
  const since = (sinceMs: number, endpoint?: string) =>
    calls
      .filter((call) => call.atMs >= sinceMs && (endpoint ?? call.endpoint) === call.endpoint)
      .map(({ atMs }) => atMs);
  return { clock, harness, calls, alerted, delayOf, since };
}

/** Calls `post` for bursts of posts from three days before START on, a minute and a half apart. */
export function postBursts(
  days: number,
  perDay: number,
  size: number,
  post: (atMs: number, index: number) => void,
): void {
  const random = createSeededRandom(7);
  const exponential = (meanMs: number) => -Math.log(1 - random.float()) * meanMs;
  let index = 0;
  for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / perDay))
    for (
      let [count, postMs] = [0, atMs];
      count < size;
      count += 1, postMs += exponential(1.5 * MIN)
    )
      post(Math.floor(postMs), index++);
}

/** Creates a service with one feed: every request gets its posts. */
export function feedOf(days: number, perDay: number, size: number) {
  const world = createFeedWorld({ random: createSeededRandom(1) });
  postBursts(days, perDay, size, (atMs) => world.post(atMs, 300));
  const posted = (untilMs: number) =>
    world.placed
      .filter(({ timeMs }) => timeMs > START + 1_000 && timeMs < untilMs)
      .map(({ tweet }) => tweet.id);
  return { world, posted, answer: world.answer };
}

export const search = (changes: WatchChanges) =>
  makeWatch("s", "search", { query: "acme lang:en" }, changes);
