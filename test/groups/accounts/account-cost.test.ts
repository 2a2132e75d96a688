import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseFullPollEvery, costOfProbing, type Group } from "../../../src/groups/accounts/account-cost.ts";
import type { PollTiming } from "../../../src/plan/poll.ts";

const HOUR = 3_600_000;
const TICKS: PollTiming = { kind: "schedule", schedules: [] };
const group = (count: number, rate: number, intervalMs = 120_000): Group => ({
  rates: Array.from({ length: count }, () => rate),
  intervalMs,
  handlesPerQuery: 17,
});

it("probing a thousand accounts costs 75 times less than single polls", () => {
  expect(720_000 / costOfProbing(group(1_000, 3), TICKS).requestsPerDay).toBeGreaterThan(75);
});

it("probing costs at most as much as single polls, up to what one search holds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 17 }), fc.float({ min: 0, max: 5_000, noNaN: true }), (count, rate) => {
      expect(costOfProbing(group(count, rate), TICKS).requestsPerDay).toBeLessThanOrEqual(count * 720 * 1.25);
    }),
  );
});

it("allows for bursts under freshness as on the ticks of a schedule, where one probe asks for everybody", () => {
  const freshness = { kind: "mean", meanMs: 300_000, maxMs: 4 * HOUR } as const;
  for (const posts of [0.3, 1]) {
    const fresh = costOfProbing(group(100, posts), { kind: "freshness", freshness });
    const scheduled = costOfProbing(group(100, posts, (24 * HOUR) / fresh.probesPerDay), TICKS);
    expect(fresh.readsPerDay / scheduled.readsPerDay).toBeCloseTo(1, 1);
  }
});

it("full polls stay well within max_age, and cost a small share of the rest", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 10_000, max: HOUR }), (count, intervalMs) => {
      const everyMs = chooseFullPollEvery(group(count, 3, intervalMs), 24 * HOUR, TICKS);
      expect(everyMs).toBeLessThan(12 * HOUR);
      expect(everyMs).toBeGreaterThanOrEqual(1_800_000);
    }),
  );
});
