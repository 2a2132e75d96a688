import { describe, expect, it } from "vitest";
import { nextProbeWaitMs } from "../../../src/deliver/outcome/breaker.ts";
import { nextAttemptAt } from "../../../src/deliver/outcome/retry-schedule.ts";
import { HOUR, MINUTE, SECOND } from "../pump-bench.ts";

const middle = { float: () => 0.5, id: () => "" };
const waitAfter = (failures: number, random = middle) =>
  nextAttemptAt({ nowMs: 0, failures, firstAttemptAtMs: 0, retryForMs: 1_000 * HOUR }, random) ??
  -1;

describe("the retry schedule", () => {
  it("waits 1, 2, 5, 15, 30 s, 1, 2, 5, 15, 30 min, 1, 2, 4, 8 h, then 12 h for ever", () => {
    const waits = Array.from({ length: 17 }, (_, i) => waitAfter(i + 1));
    const seconds = [1, 2, 5, 15, 30].map((count) => count * SECOND);
    const minutes = [1, 2, 5, 15, 30].map((count) => count * MINUTE);
    const hours = [1, 2, 4, 8, 12, 12, 12].map((count) => count * HOUR);
    expect(waits).toEqual([...seconds, ...minutes, ...hours]);
  });

  it("spreads each wait by a tenth at most", () => {
    expect(waitAfter(3, { ...middle, float: () => 0 })).toBe(4_500);
    expect(waitAfter(3, { ...middle, float: () => 1 })).toBe(5_500);
  });

  it("makes the last attempt at the end of retry_for and then none", () => {
    const late = { failures: 15, firstAttemptAtMs: 0, retryForMs: 24 * HOUR };
    expect(nextAttemptAt({ ...late, nowMs: 16 * HOUR }, middle)).toBe(24 * HOUR);
    expect(nextAttemptAt({ ...late, nowMs: 24 * HOUR }, middle)).toBeUndefined();
  });

  it("keeps to what the other side asked for", () => {
    const asked = {
      nowMs: 5,
      failures: 3,
      firstAttemptAtMs: 0,
      retryForMs: HOUR,
      retryAfterMs: 2 * HOUR,
    };
    expect(nextAttemptAt(asked, middle)).toBe(2 * HOUR + 5);
  });
});

describe("probing behind an open breaker", () => {
  it("waits 1, 5 and 15 minutes for a dead destination, then an hour each time", () => {
    expect(
      [0, 1, 6, 21, 81].map((minutes) => nextProbeWaitMs("destination", minutes * MINUTE) / MINUTE),
    ).toEqual([1, 5, 15, 60, 60]);
  });

  it("waits 5, 15, 30 s, 1, 2 min for a failing sink, then 5 min each time", () => {
    const openFor = [0, 5, 20, 50, 110, 230, 530, 80_000];
    expect(
      openFor.map((seconds) => nextProbeWaitMs("transient", seconds * SECOND) / SECOND),
    ).toEqual([5, 15, 30, 60, 120, 300, 300, 300]);
  });
});
