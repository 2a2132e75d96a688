/** Requests counted over whole days. */
import { expect, it } from "vitest";
import { countRequests, type RequestCount } from "../../src/plan/request-count.ts";

const START = Date.UTC(2026, 2, 2, 7, 13);
const MIN = 60_000;
const HOUR = 60 * MIN;

/** A request every `everyMs`, from one moment to another. */
function run(count: RequestCount | undefined, fromMs: number, toMs: number, everyMs: number): RequestCount {
  let latest = countRequests(count, 1, fromMs);
  for (let atMs = fromMs + everyMs; atMs < toMs; atMs += everyMs) latest = countRequests(latest, 1, atMs);
  return latest;
}

it("says nothing before a whole day was counted, and leaves out the hours in which the pace is learned", () => {
  const learned = run(undefined, START, START + 6 * HOUR, MIN / 2);
  const almost = run(learned, START + 6 * HOUR, START + 30 * HOUR, 4 * MIN);
  expect(almost.perDay).toBeUndefined();
  expect(run(almost, START + 30 * HOUR, START + 31 * HOUR, 4 * MIN).perDay).toBeCloseTo(360, 0);
});

it("lets the latest day weigh against those before it", () => {
  const first = run(undefined, START, START + 31 * HOUR, 4 * MIN);
  const second = run(first, START + 31 * HOUR, START + 55 * HOUR, 2 * MIN);
  expect(second.perDay).toBeGreaterThan(440);
  expect(second.perDay).toBeLessThan(500);
});

it("counts a day anew after a pause, and keeps what was known", () => {
  const first = run(undefined, START, START + 31 * HOUR, 4 * MIN);
  const after = run(first, START + 50 * HOUR, START + 73 * HOUR, 4 * MIN);
  expect(after.perDay).toBe(first.perDay);
  expect(run(after, START + 73 * HOUR, START + 75 * HOUR, 4 * MIN).perDay).toBeCloseTo(360, 0);
});
