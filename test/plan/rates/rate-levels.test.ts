import { expect, it } from "vitest";
import { levelsOf } from "../../../src/plan/rates/rate-levels.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

it("shows rates of which the average is the account's own, however late its posts are found", () => {
  for (const rate of [0, 0.01, 3, 40, 150])
    for (const delayMs of [0, MINUTE, HOUR]) {
      const levels = levelsOf(rate, delayMs);
      expect(sum(levels.map(({ share }) => share))).toBeCloseTo(1);
      expect(sum(levels.map(({ share, rate: own }) => share * own))).toBeCloseTo(rate);
    }
  expect(levelsOf(3, 100 * HOUR).map(({ rate }) => Math.round(rate))).toEqual([3, 3, 3, 3, 3]);
});
