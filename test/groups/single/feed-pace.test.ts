import { describe, expect, it } from "vitest";
import { readsForMean } from "../../../src/groups/single/feed-mean.ts";
import { readsForP95 } from "../../../src/groups/single/feed-p95.ts";
import {
  joinRates,
  learnFeed,
  type ReadAlgorithm,
  startFeed,
  waitForFeed,
} from "../../../src/groups/single/feed-pace.ts";
import { firstRate } from "../../../src/plan/rates/rates.ts";
import {
  bursts,
  cost,
  daily,
  lateShare,
  mean,
  type Posts,
  readFeed,
  steady,
} from "./simulated-feed.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const MEAN = readsForMean({ kind: "mean", meanMs: MIN, maxMs: 10 * MIN });
const P95 = readsForP95({ kind: "p95", p95Ms: MIN });

/**
 * Runs just long enough to show the mechanism. test/long/freshness-pace.test.ts measures its
 * accuracy.
 */
const read = (posts: Posts, algorithm: ReadAlgorithm, days = 4) =>
  readFeed(posts, algorithm, days, 11);

describe("a mean", () => {
  it("is kept, whether a feed is steady, bursty or busy by day", () => {
    for (const posts of [steady(100), bursts(12, 8), daily(1_000)]) {
      const delay = mean(read(posts, MEAN).delaysMs);
      expect(delay).toBeGreaterThan(0.85 * MIN);
      expect(delay).toBeLessThan(1.15 * MIN);
    }
  });

  it("costs half where posts come in bursts, less where nights are quiet, and hardly more where they come evenly", () => {
    expect(cost(read(bursts(2, 25), MEAN))).toBeLessThan(0.6);
    expect(cost(read(daily(1_000), MEAN))).toBeLessThan(0.95);
    expect(cost(read(steady(100), MEAN))).toBeLessThan(1.1);
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
    const { gapsMs } = read(bursts(1, 40), MEAN, 8);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(10 * MIN);
    expect(Math.max(...gapsMs)).toBeGreaterThan(6 * MIN);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual((2 * MIN) / 6);
    expect(Math.min(...gapsMs)).toBeLessThan(MIN);
  });
});

describe("a p95", () => {
  it("is missed by about 5 of 100 posts, and rarely needs more requests than necessary", () => {
    for (const posts of [steady(300), bursts(12, 8)]) {
      const reading = read(posts, P95);
      expect(lateShare(reading, MIN)).toBeGreaterThan(0.025);
      expect(lateShare(reading, MIN)).toBeLessThan(0.075);
      expect(reading.perDay).toBeLessThan(1.01 * (DAY / MIN) * 0.95);
    }
    expect(read(bursts(2, 25), P95).perDay).toBeLessThan(0.9 * (DAY / MIN));
  });

  it("reads no sooner than after that time, and after four times that at the latest", () => {
    const { gapsMs } = read(bursts(1, 40), P95, 8);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(MIN);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(4 * MIN);
  });
});

describe("silence and bursts", () => {
  const calm = () => startFeed(firstRate([], START - 2 * DAY), MEAN, START - 2 * DAY);

  it("tighten and relax the next read", () => {
    const feed = learnFeed(
      calm(),
      [START - DAY, START - DAY + HOUR, START - DAY + 2 * HOUR],
      START - DAY + 2 * HOUR,
    );
    const quiet = waitForFeed(feed, MEAN, 1, START);
    const burst = learnFeed(feed, [START - 3_000, START - 2_000, START - 1_000], START);
    expect(waitForFeed(burst, MEAN, 1, START)).toBeLessThan(quiet / 3);
    expect(waitForFeed(burst, MEAN, 1, START + HOUR)).toBeGreaterThan(
      waitForFeed(burst, MEAN, 1, START),
    );
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
