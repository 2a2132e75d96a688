/**
 * Tests how exactly the pacing of feeds and of account groups keeps a mean or a p95, over made-up
 * posts of several days.
 */
import { describe, expect, it } from "vitest";
import { longestWaitMs, type Mean, type P95 } from "../../src/plan/delay-aims.ts";
import { readsForMean } from "../../src/groups/single/feed-mean.ts";
import { readsForP95 } from "../../src/groups/single/feed-p95.ts";
import { probeAll, probeFor } from "../groups/accounts/simulated-probes.ts";
import { runRounds } from "../groups/accounts/simulated-rounds.ts";
import {
  bursts,
  cost,
  daily,
  lateShare,
  mean,
  type Posts,
  readFeed,
  steady,
} from "../groups/single/simulated-feed.ts";
import { SEED, seeds } from "./drawn-seed.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const MEAN = readsForMean({ kind: "mean", meanMs: MIN, maxMs: 10 * MIN });
const P95: P95 = { kind: "p95", p95Ms: MIN };
const LONG_MS = 300_000;

/** Returns the mean over several seeds, because one seed has only a few bursts. */
const meanOver = (count: number, measure: (seed: number) => number): number =>
  mean(seeds(count).map(measure));

describe(`a feed under freshness (seed ${SEED})`, { timeout: LONG_MS }, () => {
  it("keeps its mean, whether it is steady, bursty or busy by day", () => {
    for (const posts of [steady(100), steady(3_000), bursts(3, 20), bursts(12, 8), daily(1_000)]) {
      const delay = meanOver(5, (seed) => mean(readFeed(posts, MEAN, 16, seed).delaysMs));
      expect(delay).toBeGreaterThan(0.93 * MIN);
      expect(delay).toBeLessThan(1.07 * MIN);
    }
  });

  it("costs half where posts come in bursts, less where nights are quiet, and hardly more where they come evenly", () => {
    const costOf = (posts: Posts) => meanOver(5, (seed) => cost(readFeed(posts, MEAN, 16, seed)));
    expect(costOf(bursts(2, 25))).toBeLessThan(0.55);
    expect(costOf(daily(1_000))).toBeLessThan(0.93);
    expect(costOf(steady(100))).toBeLessThan(1.08);
    expect(costOf(steady(3_000))).toBeLessThan(1.02);
  });

  it("is late with about 5 of 100 posts under a p95, and rarely sends more requests than needed", () => {
    for (const posts of [steady(300), bursts(3, 20), bursts(12, 8), daily(1_000)]) {
      const readings = seeds(5).map((seed) => readFeed(posts, readsForP95(P95), 16, seed));
      const late = mean(readings.map((reading) => lateShare(reading, MIN)));
      expect(late).toBeGreaterThan(0.035);
      expect(late).toBeLessThan(0.065);
      for (const { perDay } of readings) expect(perDay).toBeLessThan(1.01 * (DAY / MIN) * 0.95);
    }
    expect(
      meanOver(5, (seed) => readFeed(bursts(2, 25), readsForP95(P95), 16, seed).perDay),
    ).toBeLessThan(0.9 * (DAY / MIN));
  });
});

describe(`a group under freshness (seed ${SEED})`, { timeout: LONG_MS }, () => {
  const freshness: Mean = { kind: "mean", meanMs: MIN, maxMs: 6 * HOUR };

  it.each([1, 3])(
    "reaches the configured mean where the rates it was given are %i times too high",
    (factor) => {
      const rates = Array.from({ length: 300 }, (_, i) => 0.05 * 1.025 ** i);
      const share =
        meanOver(3, (seed) =>
          mean(probeFor({ rates, seed }, (rate) => rate * factor, freshness, 8)),
        ) / MIN;
      expect(share).toBeGreaterThan(0.85);
      expect(share).toBeLessThan(1.15);
    },
  );

  it("keeps a mean of a few accounts in bursts from the first days on, with fewer probes than even ones of that mean", () => {
    const runs = seeds(60).map((seed) =>
      probeAll([0.1, 0.3, 0.3, 0.6, 1, 1, 2, 5], freshness, 5, seed),
    );
    const meanMs = mean(runs.flatMap(({ delays }) => delays));
    expect(meanMs / MIN).toBeGreaterThan(0.88);
    expect(meanMs / MIN).toBeLessThan(1.12);
    const perDay = mean(runs.map(({ probes }) => probes)) / 5;
    expect(perDay).toBeLessThan((0.9 * DAY) / (2 * meanMs));
  });

  it("keeps 95 of 100 posts in time in rounds, with half of the probes that even ones take", () => {
    // Twenty busy accounts make most of the posts of three hundred.
    const rates = Array.from({ length: 300 }, (_, i) => 0.03 * 1.028 ** i);
    const runs = seeds(3).map((seed) => runRounds(rates, P95, 5, seed));
    const late = mean(
      runs.map(({ delays }) => delays.filter((delay) => delay > MIN).length / delays.length),
    );
    expect(late).toBeGreaterThan(0.02);
    expect(late).toBeLessThan(0.06);
    for (const { longestMs } of runs) expect(longestMs).toBeLessThanOrEqual(longestWaitMs(P95));
    const probesPerDay = mean(runs.map((one) => one.probesPerDay));
    expect(probesPerDay / ((3 * DAY) / MIN)).toBeLessThan(0.6);
  });
});
