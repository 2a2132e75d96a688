/** Requests counted over whole days. */
import { expect, it } from "vitest";
import { countRequests, type RequestCount } from "../../src/plan/request-count.ts";

const START = Date.UTC(2026, 2, 2, 7, 13);
const MIN = 60_000;
const HOUR = 60 * MIN;

/** A request every `everyMs`, from one moment to another. */
function run(count: RequestCount | undefined, fromMs: number, toMs: number, everyMs: number): RequestCount {
  let latest = countRequests(count, 1, fromMs, everyMs);
  for (let atMs = fromMs + everyMs; atMs < toMs; atMs += everyMs) latest = countRequests(latest, 1, atMs, everyMs);
  return latest;
}

it("says nothing before a whole day was counted, and leaves out the day in which rates and pace are learned", () => {
  const learned = run(undefined, START, START + 24 * HOUR, MIN / 2);
  const almost = run(learned, START + 24 * HOUR, START + 48 * HOUR, 4 * MIN);
  expect(almost.perDay).toBeUndefined();
  expect(run(almost, START + 48 * HOUR, START + 49 * HOUR, 4 * MIN).perDay).toBeCloseTo(360, 0);
});

it("lets the latest day weigh against those before it", () => {
  const first = run(undefined, START, START + 49 * HOUR, 4 * MIN);
  const second = run(first, START + 49 * HOUR, START + 73 * HOUR, 2 * MIN);
  expect(second.perDay).toBeGreaterThan(440);
  expect(second.perDay).toBeLessThan(500);
});

it("counts a day anew after a pause, and keeps what was known", () => {
  const first = run(undefined, START, START + 49 * HOUR, 4 * MIN);
  const after = run(first, START + 68 * HOUR, START + 91 * HOUR, 4 * MIN);
  expect(after.perDay).toBe(first.perDay);
  expect(run(after, START + 91 * HOUR, START + 93 * HOUR, 4 * MIN).perDay).toBeCloseTo(360, 0);
});

it("takes no interval for a pause, however long it is", () => {
  expect(run(undefined, START, START + 96 * HOUR, 6 * HOUR).perDay).toBeCloseTo(4);
  const paused = run(run(undefined, START, START + 40 * HOUR, 6 * HOUR), START + 60 * HOUR, START + 83 * HOUR, 6 * HOUR);
  expect(paused.perDay).toBeUndefined();
});
