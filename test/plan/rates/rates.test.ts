import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  baseRate,
  expectedRate,
  firstRate,
  FLAT_PROFILE,
  hourFactor,
  learnHours,
  learnPosts,
  type RateMemory,
  rateAt,
} from "../../../src/plan/rates/rates.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const spaced = (count: number, everyMs: number, untilMs = NOW) =>
  Array.from({ length: count }, (_, i) => untilMs - i * everyMs);

describe("the first estimate", () => {
  it("comes from the dates of the first page", () => {
    expect(baseRate(firstRate(spaced(20, DAY / 10, NOW - HOUR), NOW), NOW)).toBeCloseTo(8, 0);
    expect(baseRate(firstRate(spaced(20, 5 * DAY), NOW), NOW)).toBeCloseTo(0.2, 1);
  });

  it("does not take a pinned tweet of years ago for the beginning of what the page shows", () => {
    expect(
      baseRate(firstRate([...spaced(19, DAY / 10), NOW - 900 * DAY], NOW), NOW),
    ).toBeGreaterThan(6);
  });

  it("says little about an account without posts, so that its first ones count", () => {
    const silent = firstRate([], NOW);
    expect(baseRate(silent, NOW)).toBeLessThan(0.5);
    expect(
      baseRate(learnPosts(silent, spaced(10, HOUR, NOW + DAY), NOW + DAY), NOW + DAY),
    ).toBeGreaterThan(3);
  });

  it("is finite and positive whatever the dates are", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: NOW + DAY }), { maxLength: 40 }), (dates) => {
        const rate = baseRate(firstRate(dates, NOW), NOW);
        expect(rate).toBeGreaterThan(0);
        expect(Number.isFinite(rate)).toBe(true);
      }),
    );
  });
});

describe("learning", () => {
  it("follows an account that posts more than it used to, and one that fell silent", () => {
    let memory = firstRate(spaced(20, 2 * DAY), NOW);
    for (let day = 1; day <= 30; day += 1)
      memory = learnPosts(memory, spaced(6, 4 * HOUR, NOW + day * DAY), NOW + day * DAY);
    expect(baseRate(memory, NOW + 30 * DAY)).toBeGreaterThan(2.5);
    expect(baseRate(memory, NOW + 120 * DAY)).toBeLessThan(0.5);
  });

  it("is the same whether nothing was noted for a while or noted as nothing", () => {
    const memory = firstRate(spaced(20, HOUR), NOW);
    const noted = learnPosts(learnPosts(memory, [], NOW + DAY), [], NOW + 3 * DAY);
    expect(baseRate(noted, NOW + 4 * DAY)).toBeCloseTo(baseRate(memory, NOW + 4 * DAY), 9);
    expect(rateAt(noted, NOW + 4 * DAY)).toBeCloseTo(rateAt(memory, NOW + 4 * DAY), 9);
  });

  it("expects half a post after each, gone within the hour", () => {
    const quiet = firstRate(spaced(20, DAY), NOW - DAY);
    const excited = learnPosts(quiet, [NOW], NOW);
    const extra = (atMs: number) =>
      rateAt(excited, atMs) - rateAt(learnPosts(quiet, [NOW - DAY], NOW), atMs);
    let expected = 0;
    for (let minute = 0; minute < 120; minute += 1)
      expected += extra(NOW + (minute + 0.5) * 60_000) / 1_440;
    expect(expected).toBeCloseTo(0.5, 2);
    expect(extra(NOW + HOUR)).toBeLessThan(extra(NOW) / 1_000);
  });
});

it("expects nothing of posts that were noted at a later time than now is: the clock was set back since", () => {
  const noted = learnPosts(
    firstRate(spaced(20, DAY), NOW),
    [NOW + DAY, NOW + DAY - 1_000],
    NOW + DAY,
  );
  expect(rateAt(noted, NOW + DAY)).toBeGreaterThan(100);
  expect(rateAt(noted, NOW)).toBeLessThan(2);
});

describe("the hours of the day", () => {
  it("are alike until posts say otherwise", () => {
    expect(hourFactor(FLAT_PROFILE, NOW)).toBe(1);
    const evenings = learnHours(
      FLAT_PROFILE,
      Array.from({ length: 2_000 }, (_, i) => Math.floor(NOW / DAY) * DAY - i * DAY + 20 * HOUR),
    );
    expect(hourFactor(evenings, NOW + 8 * HOUR)).toBeGreaterThan(5);
    expect(hourFactor(evenings, NOW)).toBeLessThan(0.5);
  });

  it("average to one", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 * DAY }), { maxLength: 300 }), (dates) => {
        const profile = learnHours(FLAT_PROFILE, dates);
        const factors = Array.from({ length: 24 }, (_, hour) =>
          hourFactor(profile, NOW + hour * HOUR),
        );
        expect(factors.reduce((sum, factor) => sum + factor, 0) / 24).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe("the hours of one account", () => {
  const midnight = Math.floor(NOW / DAY) * DAY;
  const at = (hour: number) =>
    Array.from({ length: 20 }, (_, day) => midnight - day * DAY + hour * HOUR);
  const calm = NOW + 2 * DAY;
  const dayOf = (memory: RateMemory) =>
    Array.from({ length: 24 }, (_, hour) => rateAt(memory, midnight + 2 * DAY + hour * HOUR));

  it("are those it posted in, as far as there are posts to show it", () => {
    const evenings = dayOf(firstRate(at(20), calm));
    expect((evenings[20] ?? 0) / (evenings[8] ?? 0)).toBeGreaterThan(5);
    const few = dayOf(firstRate(at(20).slice(0, 3), calm));
    expect((few[20] ?? 0) / (few[8] ?? 0)).toBeLessThan(3);
  });

  it("change how posts are spread over the day, not how many there are", () => {
    const memory = firstRate([...at(20), ...at(9)], calm);
    const mean = dayOf(memory).reduce((sum, rate) => sum + rate, 0) / 24;
    expect(
      mean / dayOf({ ...memory, habit: [] }).reduce((sum, rate) => sum + rate / 24, 0),
    ).toBeCloseTo(1, 1);
  });

  it("are not learned from a page that shows less than a day", () => {
    expect(firstRate(spaced(20, HOUR / 2), NOW).habit).toBeUndefined();
  });
});

it("takes an account with an empty page for a silent one, until it posts", () => {
  const empty = firstRate([], NOW);
  expect(expectedRate(empty, NOW)).toBeLessThan(0.01);
  expect(expectedRate(learnPosts(empty, [NOW + DAY], NOW + DAY), NOW + DAY)).toBeGreaterThan(0.5);
});
