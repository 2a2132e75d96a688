/** Requests of a group, counted for its strategy. */
import { describe, expect, it } from "vitest";
import { countedOf, countRun, type GroupCount, type GroupTaken } from "../../../src/plan/rates/group-count.ts";

const START = Date.UTC(2026, 2, 2, 7, 13);
const MIN = 60_000;
const DAY = 1_440 * MIN;

/** A run every four minutes for some days: one probe, and a read every second time. */
function daysOf(known: GroupCount | undefined, fromMs: number, days: number, changes: Partial<GroupTaken> = {}): GroupCount {
  let count = known;
  for (let run = 0; run * 4 * MIN < days * DAY; run += 1) {
    const taken = { strategy: "probe", members: 50, requests: { probes: 1, reads: run % 2 }, intervalMs: 4 * MIN, ...changes } as const;
    count = countRun(count, taken, fromMs + run * 4 * MIN);
  }
  if (count === undefined) throw new Error("nothing ran");
  return count;
}

describe("what a group takes", () => {
  it("is known with its strategy, once whole days were counted", () => {
    // Not of the first two, in which rates are learned.
    expect(countedOf(daysOf(undefined, START, 2.9), 50)).toEqual({ strategy: "probe", probes: undefined, reads: undefined });
    const counted = countedOf(daysOf(undefined, START, 3.1), 50);
    expect(counted?.strategy).toBe("probe");
    expect(counted?.probes?.perDay).toBeCloseTo(360, -1);
    expect(counted?.reads?.perDay).toBeCloseTo(180, -1);
  });

  it("is counted anew by another strategy, and of another number of accounts", () => {
    const probed = daysOf(undefined, START, 4);
    const merged = daysOf(probed, START + 4 * DAY, 1, { strategy: "merge" });
    expect(countedOf(merged, 50)).toEqual({ strategy: "merge", probes: undefined, reads: undefined });
    const more = daysOf(probed, START + 4 * DAY, 1, { members: 51 });
    expect(countedOf(more, 51)?.reads).toBeUndefined();
    expect(countedOf(more, 50)).toBeUndefined();
  });
});
