import { expect, it } from "vitest";
import { levelsOf, probesPerDay, sumLevels } from "../../../src/plan/rates/probe-allocation.ts";
import { expectedRate, firstRate, learnPosts } from "../../../src/plan/rates/rates.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 2);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const steady = (rates: readonly number[]) => rates.map((rate) => ({ rate, share: 1 }));

it("shows rates of which the average is the account's own, however late its posts are found", () => {
  for (const rate of [0, 0.01, 3, 40, 150])
    for (const delayMs of [0, MINUTE, HOUR]) {
      const levels = levelsOf(rate, delayMs);
      expect(sum(levels.map(({ share }) => share))).toBeCloseTo(1);
      expect(sum(levels.map(({ share, rate: own }) => share * own))).toBeCloseTo(rate);
    }
  expect(levelsOf(3, 100 * HOUR).map(({ rate }) => Math.round(rate))).toEqual([3, 3, 3, 3, 3]);
});

it("needs (sum of roots)² / (2 x mean x posts) checks where nothing bounds the intervals", () => {
  const rates = Array.from({ length: 400 }, (_, i) => 2 + (i % 7));
  const checks = (sum(rates.map(Math.sqrt)) ** 2 / (2 * HOUR * sum(rates))) * DAY;
  expect(probesPerDay({ sums: sumLevels(steady(rates)), meanMs: HOUR, maxMs: 1_000 * HOUR, batch: 100 })).toBeCloseTo(checks / 100);
});

it("asks for nobody twice in one probe, and makes nobody wait longer than the most", () => {
  const rates = Array.from({ length: 101 }, (_, i) => 10 ** (i % 5));
  const almostAll = probesPerDay({ sums: sumLevels(steady(rates)), meanMs: MINUTE, maxMs: 1_000 * HOUR, batch: 100 });
  expect(almostAll / (DAY / (2 * MINUTE))).toBeCloseTo(1, 1);
  const silent = Array.from({ length: 1_000 }, () => ({ rate: 0, share: 1 }));
  expect(probesPerDay({ sums: sumLevels(silent), meanMs: MINUTE, maxMs: 4 * HOUR, batch: 100 })).toBeCloseTo(60);
});

it("takes an account with an empty page for a silent one, until it posts", () => {
  const empty = firstRate([], START);
  expect(expectedRate(empty, START)).toBeLessThan(0.01);
  expect(expectedRate(learnPosts(empty, [START + DAY], START + DAY), START + DAY)).toBeGreaterThan(0.5);
});
