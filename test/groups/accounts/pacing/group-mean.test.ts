import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mean } from "../../../../src/plan/delay-aims.ts";
import { type Awaited, waitBeforeProbe } from "../../../../src/groups/probing/probe-choice.ts";
import { firstPace, learnDelays } from "../../../../src/groups/accounts/pacing/group-mean.ts";
import type { PaceMemory } from "../../../../src/groups/accounts/pacing/group-pace.ts";
import { probeFor } from "../simulated-probes.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Reports this many posts as predicted, with the delay that the pace expects. */
const asPredicted = ({ foretold, worth }: PaceMemory, posts: number): Awaited => ({
  posts,
  waitedMs: (posts * foretold.delayMs * Math.sqrt(worth)) / foretold.rootWorth,
});

const RATES = Array.from({ length: 150 }, (_, i) => 0.05 * 1.05 ** i);
const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the pace", () => {
  // test/long/freshness-pace.test.ts measures the accuracy, over days and seeds.
  it("comes near the configured mean although the given rates are three times too high", () => {
    const delays = probeFor(
      { rates: RATES, seed: 3 },
      (rate) => rate * 3,
      { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR },
      3,
    );
    expect(meanOf(delays) / 60_000).toBeGreaterThan(0.7);
    expect(meanOf(delays) / 60_000).toBeLessThan(1.3);
  });

  it("begins with two means between probes of accounts that post without end, or somewhat more", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const pace = firstPace([40_000, 20_000], freshness, 0);
    const all = [40_000, 20_000].map((rate, index) => ({ id: String(index), rate, ageMs: 0 }));
    const evenIntervals = waitBeforeProbe(all, pace.worth, 6 * HOUR) / 120_000;
    expect(evenIntervals).toBeGreaterThan(1);
    expect(evenIntervals).toBeLessThan(1.35);
  });

  it("asks no more than three times as often when posts are late whatever it does", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const first = firstPace([1, 2, 3], freshness, 0);
    let pace = first;
    for (let hour = 1; hour < 2_000; hour += 1)
      pace = learnDelays(
        pace,
        { awaited: asPredicted(pace, 2), delaysMs: [900_000, 900_000] },
        freshness,
        hour * HOUR,
      );
    expect(Math.sqrt(first.worth / pace.worth)).toBeCloseTo(3);
  });

  it("takes the first burst for chance: forty posts found at once make probes hardly rarer", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const first = firstPace([1, 2, 3], freshness, 0);
    const found = {
      awaited: asPredicted(first, 40),
      delaysMs: Array.from({ length: 40 }, () => 5_000),
    };
    expect(Math.sqrt(learnDelays(first, found, freshness, HOUR).worth / first.worth)).toBeLessThan(
      1.2,
    );
  });

  it("stays a positive number whatever delays it is given", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: HOUR };
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: -HOUR, max: 30 * DAY }), { maxLength: 20 }), {
          maxLength: 50,
        }),
        (rounds) => {
          let pace = firstPace([1, 2, 3], freshness, 0);
          for (const [round, delays] of rounds.entries())
            pace = learnDelays(
              pace,
              { awaited: { posts: round % 3, waitedMs: (round % 3) * 9_000 }, delaysMs: delays },
              freshness,
              round * HOUR,
            );
          expect(pace.worth).toBeGreaterThan(0);
          expect(Number.isFinite(pace.worth)).toBe(true);
        },
      ),
    );
  });
});
