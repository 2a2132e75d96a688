import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullPollsPerDay } from "../../../src/groups/accounts/full-polls.ts";

const HOUR = 3_600_000;
const polling = { fullPollEveryMs: 6 * HOUR, handlesPerQuery: 17 };
const accounts = (count: number, rate: number) => Array.from({ length: count }, () => rate);
const NO_NEWS = { perDay: 0, accountsPerDay: 0 };

describe("full polls", () => {
  it("take searches of their own where none is sent for news: one for each query's accounts, four times a day", () => {
    expect(fullPollsPerDay(accounts(100, 0), polling, NO_NEWS)).toBe(24);
    expect(fullPollsPerDay(accounts(100, 3), polling, NO_NEWS)).toBeCloseTo(24 * (1 + 300 / 24 / 20 - 0.5), 9);
  });

  it("are never made where they are never due", () => {
    const never = { ...polling, fullPollEveryMs: Number.POSITIVE_INFINITY };
    expect(fullPollsPerDay(accounts(100, 3), never, { perDay: 200, accountsPerDay: 250 })).toBe(0);
  });

  // What the engine was counted to do, in bench/economy's workload: the share of what full polls had cost that they still cost.
  it("are saved where a few have news, not where many have, and now and then between", () => {
    const saved = (count: number, everyHours: number, perDay: number, together: number) => {
      const rates = Array.from({ length: count }, (_, index) => Math.min(150, 0.4 * Math.exp(2 * quantile((index + 0.5) / count))));
      const every = { ...polling, fullPollEveryMs: everyHours * HOUR };
      const beside = fullPollsPerDay(rates, every, { perDay, accountsPerDay: together * perDay });
      return (fullPollsPerDay(rates, every, NO_NEWS) - beside) / ((24 / everyHours) * Math.ceil(count / 17));
    };
    expect(saved(100, 4, 184, 1.15)).toBeGreaterThan(0.65);
    expect(saved(1_000, 10.8, 1_050, 2)).toBeGreaterThan(0.65);
    expect(saved(1_000, 10.8, 290, 5.1)).toBeGreaterThan(0.05);
    expect(saved(1_000, 10.8, 290, 5.1)).toBeLessThan(0.4);
    expect(saved(1_000, 10.8, 144, 11)).toBeLessThan(0.01);
  });

  it("of one account have no search to share", () => {
    expect(fullPollsPerDay([3], polling, { perDay: 3, accountsPerDay: 3 })).toBe(fullPollsPerDay([3], polling, NO_NEWS));
  });

  it("cost no more for more searches whose spare slots they can fill, and never more than alone", () => {
    const rates = fc.array(fc.float({ min: 0, max: 150, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 500 }), fc.float({ min: 1, max: 17, noNaN: true }), (all, perDay, together) => {
        const cost = (searches: number) => fullPollsPerDay(all, polling, { perDay: searches, accountsPerDay: together * searches });
        expect(cost(perDay)).toBeLessThanOrEqual(fullPollsPerDay(all, polling, NO_NEWS));
        expect(cost(2 * perDay)).toBeLessThanOrEqual(cost(perDay));
        expect(cost(perDay)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

/** Of a normal variable, nearly: what this share of it stays below. */
const quantile = (share: number): number => Math.log(share / (1 - share)) / 1.702;
