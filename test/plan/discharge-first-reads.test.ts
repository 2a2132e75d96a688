/** Tests posts that are found before a counter moves for them, and what first reads find. */
import { describe, expect, it } from "vitest";
import {
  afterFirstRead,
  afterRead,
  isDue,
  type ProbeMemory,
  applyProbe,
} from "../../src/groups/probing/pending-changes.ts";
import { fields, read, START } from "../support/probed.ts";

const MIN = 60_000;

describe("a post that was found before the counter moved for it", () => {
  it("is not expected again: one read explains the change of the counter", () => {
    const early = afterRead(START, read({ newPosts: 1 }), MIN);
    const moved = applyProbe(early, fields(11), 2 * MIN);
    expect(moved.open?.owed).toBe(0);
    expect(isDue(moved, 2 * MIN)).toBe(true);
    expect(afterRead(moved, read(), 2 * MIN).open).toBeUndefined();
  });

  it("is credit of a first read that came later than the probe before it, and what had moved is part of the baseline", () => {
    const moved = applyProbe(START, fields(11), MIN);
    const memory = afterFirstRead(moved, 2);
    expect(memory.open).toBeUndefined();
    expect(applyProbe(memory, fields(13), 2 * MIN).open?.owed).toBe(0);
    expect(applyProbe(memory, fields(14), 2 * MIN).open?.owed).toBe(1);
    expect(afterFirstRead(moved, 0)).toEqual({ ...moved, open: undefined });
  });

  it("counts no longer than until the next probe", () => {
    const early = applyProbe(afterRead(START, read({ newPosts: 1 }), MIN), fields(10), 2 * MIN);
    expect(applyProbe(early, fields(11), 4 * MIN).open?.owed).toBe(1);
  });
});

it("credits no post that was found by the first read of an account: the first probe had counted it", () => {
  const unknown: ProbeMemory = { ...START, open: { sinceMs: 0, owed: null, reads: 6, dueMs: 0 } };
  const known = afterRead(unknown, read({ newPosts: 3, isFull: true }), MIN);
  expect(known.open).toBeUndefined();
  // The next post becomes visible late. The counter already includes it, so it is searched for more
  // than once.
  const moved = afterRead(applyProbe(known, fields(11), 2 * MIN), read(), 2 * MIN);
  expect(moved.open).toMatchObject({ owed: 1, reads: 1 });
});

it("holds what the first read of an account finds on its timeline against no search: none was asked", () => {
  const unknown: ProbeMemory = { ...START, open: { sinceMs: 0, owed: null, reads: 6, dueMs: 0 } };
  expect(
    afterRead(unknown, read({ endpoint: "timeline", newPosts: 3, isFull: true }), MIN).hidden,
  ).toBeUndefined();
});
