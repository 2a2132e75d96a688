import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Freshness } from "../../src/model/schedule.ts";
import { chooseProbe, waitBeforeProbe } from "../../src/plan/probe-choice.ts";
import { firstPace, learnDelays, longestWaitMs } from "../../src/plan/probe-pace.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Accounts that post by chance at fixed rates, probed by the rules for some days; delays of what was found in the last two. */
function probeFor(rates: readonly number[], assumed: (rate: number) => number, freshness: Freshness, days: number): readonly number[] {
  const random = createSeededRandom(3);
  const wait = (rate: number) => (-Math.log(1 - random.float()) * DAY) / rate;
  const accounts = rates.map((rate, index) => ({ id: String(index), rate, lastMs: 0, nextMs: wait(rate) }));
  const maxMs = longestWaitMs(freshness);
  let pace = firstPace(rates.map(assumed), freshness, 0);
  const delays: number[] = [];
  for (let nowMs = 0; nowMs < days * DAY; ) {
    const chosen = chooseProbe(
      accounts.map((one) => ({ id: one.id, rate: assumed(one.rate), ageMs: nowMs - one.lastMs, one })),
      maxMs,
    );
    const waitMs = waitBeforeProbe(chosen, pace.worth, maxMs);
    if (waitMs > 0) {
      nowMs += Math.max(waitMs, 1_000);
      continue;
    }
    const found: number[] = [];
    for (const { one } of chosen) {
      for (; one.nextMs <= nowMs; one.nextMs += wait(one.rate)) found.push(nowMs - one.nextMs);
      one.lastMs = nowMs;
    }
    pace = learnDelays(pace, found, freshness, nowMs);
    if (nowMs > (days - 2) * DAY) delays.push(...found);
  }
  return delays;
}

const RATES = Array.from({ length: 300 }, (_, i) => 0.05 * 1.025 ** i);
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the pace", () => {
  it("reaches the mean asked for, also where the rates it was told are three times too high", { timeout: 60_000 }, () => {
    const freshness: Freshness = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    for (const factor of [1, 3]) {
      const delays = probeFor(RATES, (rate) => rate * factor, freshness, 8);
      expect(meanOf(delays) / 60_000, `factor ${factor}`).toBeGreaterThan(0.85);
      expect(meanOf(delays) / 60_000, `factor ${factor}`).toBeLessThan(1.15);
    }
  });

  it("begins right where one probe asks for everybody, and there is little to learn from", () => {
    const freshness: Freshness = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const rates = [0.5, 0.5, 1, 2];
    const pace = firstPace(rates, freshness, 0);
    const all = rates.map((rate, index) => ({ id: String(index), rate, ageMs: 0 }));
    expect(waitBeforeProbe(all, pace.worth, 6 * HOUR)).toBeCloseTo(120_000, 0);
  });

  it("asks no more than three times as often when posts are late whatever it does", () => {
    const freshness: Freshness = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const first = firstPace([1, 2, 3], freshness, 0);
    let pace = first;
    for (let hour = 1; hour < 500; hour += 1) pace = learnDelays(pace, [900_000, 900_000], freshness, hour * HOUR);
    expect(Math.sqrt(first.worth / pace.worth)).toBeCloseTo(3);
  });

  it("keeps 95 of 100 posts under a p95", { timeout: 60_000 }, () => {
    const delays = probeFor(RATES, (rate) => rate, { kind: "p95", p95Ms: 120_000 }, 8);
    const late = delays.filter((delay) => delay > 120_000).length / delays.length;
    expect(late).toBeGreaterThan(0.02);
    expect(late).toBeLessThan(0.08);
  });

  it("stays a positive number whatever delays it is told", () => {
    const freshness: Freshness = { kind: "mean", meanMs: 60_000, maxMs: HOUR };
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: -HOUR, max: 30 * DAY }), { maxLength: 20 }), { maxLength: 50 }), (rounds) => {
        let pace = firstPace([1, 2, 3], freshness, 0);
        for (const [round, delays] of rounds.entries()) pace = learnDelays(pace, delays, freshness, round * HOUR);
        expect(pace.worth).toBeGreaterThan(0);
        expect(Number.isFinite(pace.worth)).toBe(true);
      }),
    );
  });
});
