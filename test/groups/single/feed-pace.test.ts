import { describe, expect, it } from "vitest";
import { readsForMean } from "../../../src/groups/single/feed-mean.ts";
import { readsForP95 } from "../../../src/groups/single/feed-p95.ts";
import { joinRates, learnFeed, learnFeedDelays, type ReadAlgorithm, startFeed, waitForFeed } from "../../../src/groups/single/feed-pace.ts";
import { firstRate } from "../../../src/plan/rates/rates.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const MEAN = readsForMean({ kind: "mean", meanMs: MIN, maxMs: 10 * MIN });
const P95 = readsForP95({ kind: "p95", p95Ms: MIN });

interface Dice {
  exponential(meanMs: number): number;
  chance(share: number): boolean;
}

/** Dates of posts from three days before START on, ascending. */
type Posts = (days: number, dice: Dice) => readonly number[];

const steady =
  (perDay: number): Posts =>
  (days, { exponential }) => {
    const dates: number[] = [];
    for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / perDay)) dates.push(atMs);
    return dates;
  };

const bursts =
  (perDay: number, size: number): Posts =>
  (days, dice) =>
    steady(perDay)(days, dice)
      .flatMap((startMs) => {
        let atMs = startMs;
        return Array.from({ length: size }, () => (atMs += dice.exponential(1.5 * MIN)));
      })
      .sort((a, b) => a - b);

/** Nine times as many at noon as at midnight. */
const daily =
  (perDay: number): Posts =>
  (days, dice) =>
    steady(1.8 * perDay)(days, dice).filter((atMs) => dice.chance((1 - 0.8 * Math.cos((2 * Math.PI * (atMs % DAY)) / DAY)) / 1.8));

interface Reading {
  readonly perDay: number;
  readonly delaysMs: readonly number[];
  readonly gapsMs: readonly number[];
}

/** Reads a feed for so many days as the pace says, and measures after the first quarter. */
function read(posts: Posts, algorithm: ReadAlgorithm, days: number, factor = 1): Reading {
  const random = createSeededRandom(11);
  const dates = posts(days, { exponential: (meanMs) => -Math.log(1 - random.float()) * meanMs, chance: (share) => random.float() < share });
  let next = dates.findIndex((atMs) => atMs > START);
  let feed = startFeed(firstRate(dates.slice(Math.max(0, next - 20), next), START), algorithm, START);
  const fromMs = START + (days * DAY) / 4;
  const [delaysMs, gapsMs]: [number[], number[]] = [[], []];
  for (let nowMs = START; nowMs < START + days * DAY; ) {
    const waitMs = waitForFeed(feed, algorithm, factor, nowMs);
    nowMs += waitMs;
    const found: number[] = [];
    for (let atMs = dates[next]; atMs !== undefined && atMs <= nowMs; atMs = dates[++next]) found.push(atMs);
    const late = found.map((atMs) => nowMs - atMs);
    feed = learnFeedDelays(learnFeed(feed, found, nowMs), late, algorithm, nowMs);
    if (nowMs < fromMs) continue;
    delaysMs.push(...late);
    gapsMs.push(waitMs);
  }
  return { perDay: (gapsMs.length / days) * (4 / 3), delaysMs, gapsMs };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Requests against an even schedule of the same mean delay. */
const cost = ({ perDay, delaysMs }: Reading) => (perDay * 2 * mean(delaysMs)) / DAY;
const lateShare = ({ delaysMs }: Reading, limitMs: number) => delaysMs.filter((ms) => ms > limitMs).length / delaysMs.length;

describe("a mean", () => {
  it("is kept, whether a feed is steady, bursty or busy by day", () => {
    for (const posts of [steady(100), steady(3_000), bursts(3, 20), bursts(12, 8), daily(1_000)]) {
      const delay = mean(read(posts, MEAN, 16).delaysMs);
      expect(delay).toBeGreaterThan(0.93 * MIN);
      expect(delay).toBeLessThan(1.07 * MIN);
    }
  });

  it("costs half where posts come in bursts, less where nights are quiet, and hardly more where they come evenly", () => {
    expect(cost(read(bursts(2, 25), MEAN, 16))).toBeLessThan(0.55);
    expect(cost(read(daily(1_000), MEAN, 16))).toBeLessThan(0.93);
    expect(cost(read(steady(100), MEAN, 16))).toBeLessThan(1.08);
    expect(cost(read(steady(3_000), MEAN, 8))).toBeLessThan(1.02);
  });

  it("is reached from any first guess at how much is posted", () => {
    for (const known of [0, 1, 40]) {
      let feed = startFeed({ posts: known, days: 1, excited: 0, atMs: START }, MEAN, START);
      let [nowMs, reads] = [START, 0];
      for (; nowMs < START + 2 * DAY; reads += 1) {
        const waitMs = waitForFeed(feed, MEAN, 1, nowMs);
        const found = Array.from(
          { length: Math.floor((nowMs + waitMs) / (2 * MIN)) - Math.floor(nowMs / (2 * MIN)) },
          (_, i) => nowMs + waitMs - i,
        );
        nowMs += waitMs;
        feed = learnFeed(feed, found, nowMs);
      }
      expect(reads / 2).toBeGreaterThan(0.3 * 720);
      expect(reads / 2).toBeLessThan(3 * 720);
    }
  });

  it("waits at most `max`, and at least a sixth of an even interval", () => {
    const { gapsMs } = read(bursts(1, 40), MEAN, 16);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(10 * MIN);
    expect(Math.max(...gapsMs)).toBeGreaterThan(6 * MIN);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual((2 * MIN) / 6);
    expect(Math.min(...gapsMs)).toBeLessThan(MIN);
  });
});

describe("a p95", () => {
  it("is missed by about 5 of 100 posts, and hardly ever bought too dear", () => {
    for (const posts of [steady(300), bursts(3, 20), bursts(12, 8), daily(1_000)]) {
      const reading = read(posts, P95, 16);
      expect(lateShare(reading, MIN)).toBeGreaterThan(0.035);
      expect(lateShare(reading, MIN)).toBeLessThan(0.065);
      expect(reading.perDay).toBeLessThan(1.01 * (DAY / MIN) * 0.95);
    }
    expect(read(bursts(2, 25), P95, 16).perDay).toBeLessThan(0.9 * (DAY / MIN));
  });

  it("is looked for no sooner than after that time, and after four times that at the latest", () => {
    const { gapsMs } = read(bursts(1, 40), P95, 16);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(MIN);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(4 * MIN);
  });
});

describe("silence and bursts", () => {
  const calm = () => startFeed(firstRate([], START - 2 * DAY), MEAN, START - 2 * DAY);

  it("tighten and relax the next read", () => {
    const feed = learnFeed(calm(), [START - DAY, START - DAY + HOUR, START - DAY + 2 * HOUR], START - DAY + 2 * HOUR);
    const quiet = waitForFeed(feed, MEAN, 1, START);
    const burst = learnFeed(feed, [START - 3_000, START - 2_000, START - 1_000], START);
    expect(waitForFeed(burst, MEAN, 1, START)).toBeLessThan(quiet / 3);
    expect(waitForFeed(burst, MEAN, 1, START + HOUR)).toBeGreaterThan(waitForFeed(burst, MEAN, 1, START));
  });

  it("wait so much longer while the quota is short, `max` too", () => {
    for (const algorithm of [MEAN, P95]) {
      const feed = startFeed(firstRate([], START), algorithm, START);
      const ratio = waitForFeed(feed, algorithm, 3, START) / waitForFeed(feed, algorithm, 1, START);
      expect(ratio).toBeGreaterThan(2.4);
      expect(ratio).toBeLessThan(3.6);
    }
    const dead = { ...calm(), pace: { ...calm().pace, worth: 1_000_000 } };
    expect(waitForFeed(dead, MEAN, 3, START)).toBe(30 * MIN);
  });
});

it("begins with even reads, of several feeds together as of one", () => {
  const one = firstRate([START - 4 * HOUR, START - 2 * HOUR, START - HOUR], START);
  const both = joinRates([one, one], START);
  expect(both.posts / both.days).toBeCloseTo(4 * one.posts);
  for (const [algorithm, evenMs] of [
    [MEAN, 2 * MIN],
    [P95, MIN],
  ] as const) {
    const waitMs = waitForFeed(startFeed(both, algorithm, START), algorithm, 1, START);
    expect(waitMs / evenMs).toBeGreaterThan(0.6);
    expect(waitMs / evenMs).toBeLessThan(1.5);
    expect(waitMs).toBeGreaterThanOrEqual(algorithm.leastMs);
  }
});
