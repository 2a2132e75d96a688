import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  forecastRequests,
  slowDownFactors,
  type SlowDownQuery,
} from "../../src/budget/slow-down.ts";
import type { Priority } from "../../src/model/schedule.ts";

const DAY = 86_400_000;
const NONE = { high: 1, normal: 1, low: 1 };
const query = (change: Partial<SlowDownQuery>): SlowDownQuery => ({
  spent: 0,
  limit: 10_000,
  reserve: 0.1,
  nowMs: 0,
  periodEndMs: 30 * DAY,
  onExhausted: "degrade",
  correctionFactor: 1,
  polls: [],
  ...change,
});
const poll = (priority: Priority, requestsPerDay: number) => ({ priority, requestsPerDay });
const costOf = (asked: SlowDownQuery, factors = slowDownFactors(asked)) =>
  asked.polls.reduce(
    (sum, one) =>
      sum +
      forecastRequests(one.requestsPerDay / factors[one.priority], asked.nowMs, asked.periodEndMs),
    0,
  );

describe("slow-down factors", () => {
  it("leaves everything alone while spent and forecast fit under the soft limit", () => {
    expect(slowDownFactors(query({ polls: [poll("low", 100), poll("high", 200)] }))).toEqual(NONE);
  });

  it("slows down low priority first, by just as much as is needed", () => {
    expect(
      slowDownFactors(query({ polls: [poll("low", 200), poll("normal", 100), poll("high", 100)] })),
    ).toEqual({ ...NONE, low: 2 });
  });

  it("comes to normal only when low has given way, and to high last", () => {
    const second = slowDownFactors(
      query({ polls: [poll("low", 100), poll("normal", 500), poll("high", 100)] }),
    );
    expect(second).toMatchObject({ high: 1, low: 10 });
    expect(second.normal).toBeCloseTo(500 / 190, 6);
    const third = slowDownFactors(
      query({ polls: [poll("low", 100), poll("normal", 500), poll("high", 500)] }),
    );
    expect(third).toMatchObject({ normal: 10, low: 10 });
    expect(third.high).toBeGreaterThan(1);
  });

  it("counts what was spent and the days that are left", () => {
    const polls = [poll("normal", 300)];
    expect(slowDownFactors(query({ polls, spent: 4_500, nowMs: 15 * DAY }))).toEqual(NONE);
    expect(slowDownFactors(query({ polls, spent: 6_750, nowMs: 15 * DAY })).normal).toBeCloseTo(
      2,
      6,
    );
  });

  it("slows down nothing in pause mode and nothing while the limit is unknown", () => {
    const polls = [poll("low", 1_000_000)];
    expect(slowDownFactors(query({ polls, onExhausted: "pause" }))).toEqual(NONE);
    expect(slowDownFactors(query({ polls, limit: undefined }))).toEqual(NONE);
    expect(slowDownFactors(query({ polls, limit: Number.NaN }))).toEqual(NONE);
  });

  it("names no priority that has no polls, even when nothing is left", () => {
    expect(slowDownFactors(query({ polls: [poll("normal", 100)], spent: 9_000 }))).toEqual({
      ...NONE,
      normal: 1_000,
    });
  });

  it("slows down more where polls take more than is forecast once they are slowed down, and not before", () => {
    expect(
      slowDownFactors(query({ polls: [poll("low", 200), poll("high", 100)], correctionFactor: 2 })),
    ).toEqual(NONE);
    expect(slowDownFactors(query({ polls: [poll("normal", 600)], correctionFactor: 2 }))).toEqual({
      ...NONE,
      normal: 4,
    });
  });

  it("fits the soft limit where it can, never slows down high more than normal or normal more than low, and never speeds up", () => {
    const polls = fc.record({
      high: fc.integer({ min: 1, max: 50_000 }),
      normal: fc.integer({ min: 1, max: 50_000 }),
      low: fc.integer({ min: 1, max: 50_000 }),
    });
    const spent = fc.integer({ min: 0, max: 12_000 });
    fc.assert(
      fc.property(
        polls,
        spent,
        fc.integer({ min: 0, max: 30 * DAY - 1 }),
        (perDay, spentNow, nowMs) => {
          const asked = query({
            polls: [
              poll("high", perDay.high),
              poll("normal", perDay.normal),
              poll("low", perDay.low),
            ],
            spent: spentNow,
            nowMs,
          });
          const factors = slowDownFactors(asked);
          expect(factors.high).toBeGreaterThanOrEqual(1);
          expect(factors.normal).toBeGreaterThanOrEqual(factors.high);
          expect(factors.low).toBeGreaterThanOrEqual(factors.normal);
          const isAtItsSlowest = factors.high === 1_000;
          if (!isAtItsSlowest)
            expect(spentNow + costOf(asked, factors)).toBeLessThanOrEqual(9_000 * (1 + 1e-9));
        },
      ),
      { numRuns: 500 },
    );
  });
});
