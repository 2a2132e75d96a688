import { expect, it } from "vitest";
import {
  createForecastCorrection,
  type ForecastCorrection,
} from "../../src/budget/forecast-correction.ts";
import { governedFactors } from "../../src/budget/slow-down.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Reads the ledger once a minute. `forecast` and `taken` are per day. */
function watch(
  correction: ForecastCorrection,
  fromMs: number,
  forMs: number,
  forecast: number | undefined,
  taken: number,
  spent = 0,
): number {
  for (let ms = 0; ms <= forMs; ms += MINUTE)
    correction.addSample({
      nowMs: fromMs + ms,
      periodId: "2026-03-01",
      spent: spent + (taken * ms) / DAY,
      pacedPerDay: forecast,
    });
  return spent + (taken * forMs) / DAY;
}

it("tends to what slowed-down polls take of what was forecast, and back", () => {
  const correction = createForecastCorrection();
  expect(correction.factor).toBe(1);
  const spent = watch(correction, 0, 3 * DAY, 300, 600);
  expect(correction.factor).toBeGreaterThan(1.85);
  expect(correction.factor).toBeLessThan(2);
  watch(correction, 3 * DAY, 5 * DAY, 300, 300, spent);
  expect(correction.factor).toBeLessThan(1.1);
});

it("is never below 1, and says nothing of polls that are not slowed down", () => {
  const correction = createForecastCorrection();
  const spent = watch(correction, 0, 3 * DAY, 300, 100);
  expect(correction.factor).toBe(1);
  watch(correction, 3 * DAY, 3 * DAY, undefined, 9_000, spent);
  expect(correction.factor).toBe(1);
});

it("takes an hour of first reads for little, and a period's end, a sleep and a clock that was set for nothing", () => {
  const correction = createForecastCorrection();
  let spent = watch(correction, 0, HOUR, 300, 20_000);
  expect(correction.factor).toBeLessThan(2.2);
  spent = watch(correction, HOUR, 3 * DAY, 300, 300, spent);
  const before = correction.factor;
  expect(before).toBeLessThan(1.2);
  correction.addSample({
    nowMs: 5 * DAY,
    periodId: "2026-03-01",
    spent: spent + 5_000,
    pacedPerDay: 300,
  });
  correction.addSample({
    nowMs: 5 * DAY - HOUR,
    periodId: "2026-03-01",
    spent: spent + 10_000,
    pacedPerDay: 300,
  });
  correction.addSample({ nowMs: 5 * DAY, periodId: "2026-04-01", spent: 0, pacedPerDay: 300 });
  watch(correction, 5 * DAY, HOUR, 300, 300);
  expect(correction.factor).toBeLessThanOrEqual(before);
});

it("goes on after a restart where it was, also from within an hour, and begins anew with a period", () => {
  const whole = createForecastCorrection();
  watch(whole, 0, 5 * DAY, 300, 600);
  let again = createForecastCorrection();
  for (let ms = 0, spent = 0; ms < 5 * DAY; ms += 20 * MINUTE) {
    const before = again;
    again = createForecastCorrection();
    again.restore(before.memory);
    spent = watch(again, ms, 20 * MINUTE, 300, 600, spent);
  }
  expect(again.factor).toBeCloseTo(whole.factor, 5);
  again.addSample({ nowMs: 6 * DAY, periodId: "2026-04-01", spent: 0, pacedPerDay: 300 });
  expect(again.factor).toBe(1);
});

/**
 * Returns the mean slow-down factor over a month whose quota allows half of 720 polls and 120 reads
 * a day. The number of reads does not depend on the polls.
 */
function meanSlowDown(isCorrected: boolean): number {
  const correction = createForecastCorrection();
  const [polls, reads, stepMs] = [720, 120, 5 * MINUTE];
  const [limit, periodEndMs] = [((polls + reads) / 2) * 30, 30 * DAY];
  const scheduled = [{ priority: "normal", requestsPerDay: polls + reads }] as const;
  let [spent, factors] = [0, 0];
  for (let nowMs = 0; nowMs < periodEndMs; nowMs += stepMs) {
    const correctionFactor = isCorrected ? correction.factor : 1;
    const asked = {
      spent,
      limit,
      reserve: 0,
      nowMs,
      periodEndMs,
      onExhausted: "degrade",
      correctionFactor,
      polls: scheduled,
    } as const;
    const { normal } = governedFactors(asked);
    const pacedPerDay = normal > 1 ? (polls + reads) / normal : undefined;
    correction.addSample({ nowMs, periodId: "2026-03-01", spent, pacedPerDay });
    spent = Math.min(limit, spent + ((polls / normal + reads) * stepMs) / DAY);
    factors += normal;
  }
  return (factors * stepMs) / periodEndMs;
}

it("spreads what a quota allows over the month where reads do not become fewer with the polls", () => {
  expect(meanSlowDown(true)).toBeLessThan(3);
  expect(meanSlowDown(false)).toBeGreaterThan(5);
});
