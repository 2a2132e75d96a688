/** Tests how the waits that another side asks for are limited. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addRefusal,
  asksToWait,
  boundedWaitMs,
  failsInMs,
  MAX_SERVICE_WAIT_MS,
  MAX_SINK_WAIT_MS,
  readRetryAfter,
  type RefusalRow,
  waitOfRow,
} from "../../src/model/asked-wait.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

describe("a Retry-After header", () => {
  it("is read as it was sent, in seconds or as a date", () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const headers = [
      undefined,
      "",
      "soon",
      "0",
      "-3",
      "2",
      "1.5",
      "9999999",
      "Thu, 01 Jan 2026 00:01:00 GMT",
    ];
    expect(headers.map((header) => readRetryAfter(header, nowMs))).toEqual([
      ...[undefined, undefined, undefined, 0, -3_000, 2_000, 1_500, 9_999_999_000, 60_000],
    ]);
    expect(readRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", nowMs)).toBe(-86_400_000);
    expect(readRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", Number.NaN)).toBeUndefined();
  });
});

describe("a wait", () => {
  it.each([
    ["missing", undefined, SECOND],
    ["zero", 0, SECOND],
    ["negative", -5_000, SECOND],
    ["a fraction of a second", 300.2, 301],
    ["usual", 30_000, 30_000],
    ["of years", 9_999_999_000, MAX_SINK_WAIT_MS],
    ["without end", Number.POSITIVE_INFINITY, MAX_SINK_WAIT_MS],
  ])("that is %s is bounded", (_, askedMs, waitMs) => {
    expect(boundedWaitMs(askedMs, MAX_SINK_WAIT_MS)).toBe(waitMs);
  });

  it("is said in words", () => {
    expect([undefined, -1, 0, 300, 1_500].map((askedMs) => asksToWait("Slack", askedMs))).toEqual([
      "Slack asks to wait and does not say how long",
      "Slack asks to wait and does not say how long",
      "Slack asks to wait and does not say how long",
      "Slack asks to wait 300 ms",
      "Slack asks to wait 2 s",
    ]);
  });
});

/**
 * Returns the waits after a series of refusals. Each is of a request that was sent when the
 * previous wait was over.
 */
function waitsOf(askedMs: number | undefined, count: number, maxMs: number): readonly number[] {
  let row: RefusalRow | undefined;
  let nowMs = 0;
  return Array.from({ length: count }, () => {
    row = addRefusal(row, { askedMs, sentAtMs: nowMs, nowMs }, maxMs);
    const waitMs = waitOfRow(row, nowMs);
    nowMs += waitMs;
    return waitMs;
  });
}

describe("refusals in a row", () => {
  it("ask for longer waits from the third on, up to the longest", () => {
    const seconds = (waits: readonly number[]) => waits.map((waitMs) => waitMs / SECOND);
    expect(seconds(waitsOf(0, 14, MAX_SINK_WAIT_MS))).toEqual([
      1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600,
    ]);
    expect(seconds(waitsOf(30_000, 6, MAX_SERVICE_WAIT_MS))).toEqual([30, 30, 60, 120, 240, 300]);
    expect(seconds(waitsOf(9_999_999_000, 3, MAX_SERVICE_WAIT_MS))).toEqual([300, 300, 300]);
  });

  it("whatever is asked, no wait is shorter than what is kept of it or longer than the longest, and few fit into an hour", () => {
    const asked = fc.option(fc.double({ min: -1e12, max: 1e12, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(
        asked,
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(MAX_SINK_WAIT_MS, MAX_SERVICE_WAIT_MS),
        (askedMs, count, maxMs) => {
          const waits = waitsOf(askedMs, count, maxMs);
          const keptMs = boundedWaitMs(askedMs, maxMs);
          expect(
            waits.every(
              (waitMs, n) => waitMs >= keptMs && waitMs <= maxMs && waitMs >= (waits[n - 1] ?? 0),
            ),
          ).toBe(true);
          const untilMs = waits.slice(0, 30).reduce((sum, waitMs) => sum + waitMs, 0);
          if (count >= 30 && keptMs >= SECOND) expect(untilMs).toBeGreaterThan(60 * MINUTE);
        },
      ),
    );
  });

  it("that were sent together are one", () => {
    let row = addRefusal(undefined, { askedMs: 30_000, sentAtMs: 0, nowMs: 100 }, MAX_SINK_WAIT_MS);
    row = addRefusal(row, { askedMs: 12_000, sentAtMs: 10, nowMs: 200 }, MAX_SINK_WAIT_MS);
    row = addRefusal(row, { askedMs: 40_000, sentAtMs: 20, nowMs: 300 }, MAX_SINK_WAIT_MS);
    expect(row).toEqual({ count: 1, sinceMs: 100, untilMs: 40_300 });
    expect(failsInMs(row, 300)).toBe(2 * MINUTE - 200);
  });
});
