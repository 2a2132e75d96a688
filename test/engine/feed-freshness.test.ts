/** Feeds of tweets whose reads are placed by freshness. What it costs, and how late posts are, over days: test/long/feed-freshness.test.ts. */
import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Freshness } from "../../src/model/schedule.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { readLearned } from "../../src/app/plan/learned.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };

type Answer = (request: UpstreamRequest, nowMs: number) => UpstreamAnswer;

async function setup(watches: readonly Watch[], answer: Answer, isGoverned = false) {
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
  harnesses.push(harness);
  const alerted = async () => (await harness.events()).map(({ subject }) => subject).toSorted();
  const delayOf = async (sinceMs: number) => {
    const late = (await harness.events()).flatMap(({ occurredAtMs, detectedAtMs }) =>
      occurredAtMs >= sinceMs ? [detectedAtMs - occurredAtMs] : [],
    );
    return late.reduce((sum, delay) => sum + delay, 0) / late.length;
  };
  const since = (sinceMs: number, endpoint?: string) =>
    calls.filter((call) => call.atMs >= sinceMs && (endpoint ?? call.endpoint) === call.endpoint).map(({ atMs }) => atMs);
  return { clock, harness, calls, alerted, delayOf, since };
}

/** Calls `post` for bursts of posts from three days before START on, a minute and a half apart. */
function postBursts(days: number, perDay: number, size: number, post: (atMs: number, index: number) => void): void {
  const random = createSeededRandom(7);
  const exponential = (meanMs: number) => -Math.log(1 - random.float()) * meanMs;
  let index = 0;
  for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / perDay))
    for (let [count, postMs] = [0, atMs]; count < size; count += 1, postMs += exponential(1.5 * MIN)) post(Math.floor(postMs), index++);
}

/** One feed, whatever is asked for. */
function feedOf(days: number, perDay: number, size: number) {
  const world = createFeedWorld({ random: createSeededRandom(1) });
  postBursts(days, perDay, size, (atMs) => world.post(atMs, 300));
  const posted = (untilMs: number) =>
    world.placed.filter(({ timeMs }) => timeMs > START + 1_000 && timeMs < untilMs).map(({ tweet }) => tweet.id);
  return { world, posted, answer: world.answer };
}

const search = (changes: WatchChanges) => makeWatch("s", "search", { query: "acme lang:en" }, changes);

describe("a search of bursts", () => {
  it("waits no longer than `max`, and after a restart goes on with what it learned", async () => {
    const feed = feedOf(2, 4, 15);
    const { clock, harness, alerted, since } = await setup([search({ freshness: MEAN })], feed.answer);
    await clock.advance(DAY);
    const before = since(START + DAY / 2).length;
    await harness.restart();
    const from = clock.now();
    await clock.advance(0.5 * DAY);
    const times = since(from);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10 * MIN + 1_000);
    expect(Math.max(...gaps)).toBeGreaterThan(4 * MIN);
    expect(times.length / before).toBeGreaterThan(0.6);
    expect(times.length / before).toBeLessThan(1.6);
    expect(times.length).toBeLessThan(0.85 * 360);
    const ids = await alerted();
    expect(ids).toEqual(expect.arrayContaining(feed.posted(clock.now() - 20 * MIN)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is forecast by its own days, once one was counted", async () => {
    const feed = feedOf(3.2, 30, 4);
    const { clock, harness, since } = await setup([search({ freshness: MEAN })], feed.answer, true);
    const forecast = async () => {
      const { ratioOf = () => undefined } = await readLearned(harness.store, clock);
      return createForecast(harness.engine.polls, { timetable: createTimetable(), nowMs: clock.now(), ratioOf }).watches.get("s");
    };
    expect(await forecast()).toMatchObject({ basis: "assumed", requestsPerDay: 576 });
    // An hour in which nothing is counted comes first, and a day ends with the hour that completes it.
    await clock.advance(27 * HOUR);
    const counted = await forecast();
    expect(counted).toMatchObject({ basis: "counted" });
    const from = clock.now();
    await clock.advance(DAY);
    const share = (counted?.requestsPerDay ?? 0) / since(from).length;
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(1.25);
    // The daemon goes by the same figure.
    expect(harness.quotaWatch.status.paces.get("s")?.askedPerDay).toBeCloseTo((await forecast())?.requestsPerDay ?? 0);
    await harness.restart();
    expect(await forecast()).toMatchObject({ basis: "counted" });
  });

  it("is read by the schedule of a subscriber who has one, and by the strictest freshness of those who have none", async () => {
    const feed = feedOf(1, 2, 1);
    const scheduled = { ...search({ schedule: { kind: "every", intervalMs: 5 * MIN } }), id: "b" };
    const lax = search({ freshness: { kind: "mean", meanMs: HOUR, maxMs: DAY } });
    const { clock, harness, since } = await setup([lax, scheduled], feed.answer);
    await clock.advance(HOUR);
    expect(since(START).length).toBeGreaterThanOrEqual(12);
    await harness.setWatches([lax, { ...search({ freshness: MEAN }), id: "b" }]);
    expect(harness.engine.polls.map(({ timing }) => timing)).toEqual([{ kind: "freshness", freshness: MEAN }]);
  });
});
