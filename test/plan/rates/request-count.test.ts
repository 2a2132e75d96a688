/** Requests counted over whole days. */
import { describe, expect, it } from "vitest";
import { countRequests, type RequestCount, weigh } from "../../../src/plan/rates/request-count.ts";

const START = Date.UTC(2026, 2, 2, 7, 13);
const MIN = 60_000;
const HOUR = 60 * MIN;

/** A request every `everyMs`, from one moment to another. */
function run(count: RequestCount | undefined, fromMs: number, toMs: number, everyMs: number): RequestCount {
  let latest = countRequests(count, 1, fromMs, { intervalMs: everyMs });
  for (let atMs = fromMs + everyMs; atMs < toMs; atMs += everyMs) latest = countRequests(latest, 1, atMs, { intervalMs: everyMs });
  return latest;
}

it("says nothing before a whole day was counted, and leaves out the day in which rates and pace are learned", () => {
  const learned = run(undefined, START, START + 24 * HOUR, MIN / 2);
  const almost = run(learned, START + 24 * HOUR, START + 48 * HOUR, 4 * MIN);
  expect(almost.counted?.perDay).toBeUndefined();
  expect(run(almost, START + 48 * HOUR, START + 49 * HOUR, 4 * MIN).counted?.perDay).toBeCloseTo(360, 0);
});

it("goes by the mean of the last days", () => {
  const first = run(undefined, START, START + 49 * HOUR, 4 * MIN);
  const second = run(first, START + 49 * HOUR, START + 73 * HOUR, 2 * MIN);
  expect(second.counted?.days).toBe(2);
  expect(second.counted?.perDay).toBeCloseTo((360 + 704) / 2, -1);
  const weeks = run(second, START + 73 * HOUR, START + 73 * 24 * HOUR, 2 * MIN);
  expect(weeks.counted?.days).toBe(10);
  expect(weeks.counted?.perDay).toBeCloseTo(720, 0);
});

it("counts a day anew after a pause, and keeps what was known", () => {
  const first = run(undefined, START, START + 49 * HOUR, 4 * MIN);
  const after = run(first, START + 68 * HOUR, START + 91 * HOUR, 4 * MIN);
  expect(after.counted).toEqual(first.counted);
  expect(run(after, START + 91 * HOUR, START + 93 * HOUR, 4 * MIN).counted?.perDay).toBeCloseTo(360, 0);
});

it("takes no interval for a pause, however long it is", () => {
  expect(run(undefined, START, START + 96 * HOUR, 6 * HOUR).counted?.perDay).toBeCloseTo(4);
  const paused = run(run(undefined, START, START + 40 * HOUR, 6 * HOUR), START + 60 * HOUR, START + 83 * HOUR, 6 * HOUR);
  expect(paused.counted?.perDay).toBeUndefined();
});

describe("a count beside a model", () => {
  it("is worth the more the more days were counted", () => {
    const shareOf = (days: number) => weigh(0, { perDay: 1, days });
    expect(shareOf(1)).toBeCloseTo(0.4);
    expect(shareOf(3)).toBeCloseTo(0.67);
    expect(shareOf(10)).toBeCloseTo(0.87);
  });

  it("takes its part of what was forecast, too, and none where nothing was counted", () => {
    expect(weigh(200, { perDay: 100, days: 1.5 })).toBeCloseTo(150);
    expect(weigh(0, { perDay: 0, days: 10 })).toBe(0);
    expect(weigh(7, undefined)).toBe(7);
  });
});
