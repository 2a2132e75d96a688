/** Tests the lower bound, with which every figure of the benchmark is compared. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundOf, checksPerDay, leastOfTicks } from "../../bench/economy/bound.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("the lower bound of a workload", () => {
  it("probes accounts by the root of their rates, which reaches the mean for the fewest probes", () => {
    // The rates of the two accounts differ by a factor of sixteen: (4 + 1)² / (2 x mean x 17
    // posts).
    expect(checksPerDay([16, 1], 60_000, DAY)).toBeCloseTo((25 * DAY) / (2 * 60_000 * 17), 3);
  });

  it("costs no more than probing everybody equally often", () => {
    const rates = fc.array(fc.float({ min: Math.fround(0.01), max: 200, noNaN: true }), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(rates, fc.integer({ min: 5_000, max: 600_000 }), (all, meanMs) => {
        expect(checksPerDay(all, meanMs, DAY)).toBeLessThanOrEqual(
          ((all.length * DAY) / (2 * meanMs)) * 1.001,
        );
      }),
    );
  });

  it("probes everybody once in the longest wait when nobody posts, a hundred a request, and takes a page for twenty posts", () => {
    expect(checksPerDay([0, 0], 60_000, 6 * HOUR)).toBe(8);
    expect(boundOf([0, 0], 60_000, 6 * HOUR)).toBe(0.08);
    expect(boundOf([16, 1], 60_000, DAY)).toBeCloseTo(
      checksPerDay([16, 1], 60_000, DAY) / 100 + 17 / 20,
    );
  });

  it("takes a probe for every hundred accounts and tick, however few they are, and a search for a tick with news", () => {
    expect(leastOfTicks(10, HOUR, 5)).toBe(24 + 5);
    expect(leastOfTicks(250, HOUR, 5)).toBe(3 * 24 + 5);
  });
});
