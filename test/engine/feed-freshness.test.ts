/** Feeds of tweets whose reads are placed by freshness: what it costs, how late posts are, and that nothing is lost over it. */
import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Freshness } from "../../src/model/schedule.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineRig, startEngineRig } from "../support/engine-rig.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const rigs: EngineRig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };

interface HouseOptions {
  readonly days: number;
  readonly watches: readonly Watch[];
  /** Bursts a day, of so many posts. */
  readonly bursts?: number;
  readonly size?: number;
  readonly pageSize?: number;
}

/** One feed, whatever is asked: posts come in bursts, a minute and a half apart on average. */
async function house({ days, watches, bursts = 3, size = 20 }: HouseOptions) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(7);
  const exponential = (meanMs: number) => -Math.log(1 - random.float()) * meanMs;
  const world = createFeedWorld({ random: createSeededRandom(1) });
  for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / bursts)) {
    let postMs = atMs;
    for (let post = 0; post < size; post += 1, postMs += exponential(1.5 * MIN)) world.post(Math.floor(postMs), 300);
  }
  const calls: number[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push(clock.now());
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  const rig = await startEngineRig({ clock, upstream, watches });
  rigs.push(rig);
  const delays = async (sinceMs: number) =>
    (await rig.events()).filter(({ occurredAtMs }) => occurredAtMs >= sinceMs).map((event) => event.detectedAtMs - event.occurredAtMs);
  return { clock, world, rig, calls, delays };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const search = (changes: Partial<Watch>) => makeWatch("s", "search", { query: "acme" }, changes);

describe("a search of bursts", () => {
  it("is read with a third fewer requests than by an even schedule of the same mean delay, none missed and none twice", {
    timeout: 120_000,
  }, async () => {
    const days = 12;
    const { clock, world, rig, calls, delays } = await house({ days, watches: [search({ freshness: MEAN })] });
    await clock.advance(days * DAY);
    const from = START + 3 * DAY;
    const delay = mean(await delays(from));
    const perDay = calls.filter((atMs) => atMs >= from).length / (days - 3);
    const posted = world.placed
      .filter(({ timeMs }) => timeMs > START + 1_000 && timeMs < clock.now() - 20 * MIN)
      .map(({ tweet }) => tweet.id);
    const told = (await rig.events()).map(({ subject }) => subject);
    expect(told).toEqual(expect.arrayContaining(posted));
    expect(new Set(told).size).toBe(told.length);
    expect(delay).toBeGreaterThan(0.85 * MIN);
    expect(delay).toBeLessThan(1.15 * MIN);
    expect(perDay).toBeLessThan(0.67 * (DAY / (2 * delay)));
  });
});
