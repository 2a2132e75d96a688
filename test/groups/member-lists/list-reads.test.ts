import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  firstProbe,
  isDue,
  type ProbeMemory,
  applyProbe,
} from "../../../src/groups/probing/pending-changes.ts";
import { afterListRead, type ListRead } from "../../../src/groups/member-lists/list-reads.ts";

const MIN = 60_000;
const fields = (count: number) => ({ followers_count: count });
const probe = (memory: ProbeMemory, count: number, atMs: number) =>
  applyProbe(memory, fields(count), atMs, "followers_count");
const read = (changes: Partial<ListRead> = {}): ListRead => ({
  joined: 0,
  left: 0,
  awaited: 0,
  isWhole: false,
  isSilent: false,
  ...changes,
});
const START = firstProbe(fields(10), 0);

/**
 * Returns the minutes at which a list is read, when its counter is probed every two minutes and
 * reads find what `found` says.
 */
function readTimes(
  memory: ProbeMemory,
  count: number,
  found: Partial<ListRead> = {},
): { times: readonly number[]; after: ProbeMemory } {
  const times: number[] = [];
  let now = memory;
  for (let atMs = 2 * MIN; atMs <= 90 * MIN; atMs += 2 * MIN) {
    now = probe(now, count, atMs);
    if (!isDue(now, atMs)) continue;
    times.push(atMs / MIN);
    now = afterListRead(now, read(found), atMs);
  }
  expect(now.open).toBeUndefined();
  return { times, after: now };
}

describe("a counter that grew", () => {
  it("is accounted for by as many new members", () => {
    const half = afterListRead(probe(START, 13, MIN), read({ joined: 2 }), MIN);
    expect(half.open).toMatchObject({ owed: 1 });
    expect(afterListRead(half, read({ joined: 1 }), 2 * MIN).open).toBeUndefined();
  });

  it("is read at once, on the next three ticks, and after 1, 5 and 15 minutes, while nobody is found", () => {
    expect(readTimes(START, 11).times).toEqual([2, 4, 6, 8, 10, 16, 32]);
  });

  it("is read less each time that nobody is ever found, and wholly again once somebody was late", () => {
    const first = readTimes(START, 11).after;
    const second = readTimes(first, 12);
    expect(second.times).toEqual([2, 4, 10, 26]);
    const third = readTimes(second.after, 13);
    expect(third.times).toEqual([2, 18]);
    const fourth = readTimes(third.after, 14);
    expect(fourth.times).toEqual([2]);
    const seenLate = afterListRead(
      afterListRead(probe(START, 12, MIN), read(), MIN),
      read({ joined: 1 }),
      2 * MIN,
    );
    expect(seenLate.patience).toBeUndefined();
  });
});

describe("a counter that moved otherwise", () => {
  it("costs two reads where leaving is not reported: it may hide one who came", () => {
    expect(readTimes(START, 9).times).toEqual([2, 18]);
  });

  it("is accounted for by a whole list that shows who went, once they are reported", () => {
    const first = afterListRead(probe(START, 9, MIN), read({ isWhole: true, awaited: 1 }), MIN);
    expect(first.open).toMatchObject({ reads: 1, dueMs: MIN });
    expect(afterListRead(first, read({ isWhole: true, left: 1 }), 3 * MIN).open).toBeUndefined();
  });

  it("costs one read of a whole list that never shows it, once that is known", () => {
    const first = readTimes(START, 9, { isWhole: true });
    expect(first.times).toEqual([2, 18]);
    expect(readTimes(first.after, 8, { isWhole: true }).times).toEqual([2]);
  });
});

describe("a counter that stood still", () => {
  it("over what two full polls found is not trusted any more", () => {
    const once = afterListRead(START, read({ isSilent: true, joined: 1 }), MIN);
    expect(once.isBlind).toBeUndefined();
    expect(afterListRead(once, read({ isSilent: true }), 2 * MIN).strikes).toBeUndefined();
    expect(afterListRead(once, read({ isSilent: true, joined: 1 }), 2 * MIN).isBlind).toBe(true);
  });

  it("over one who is missing asks for another complete read", () => {
    expect(
      afterListRead(START, read({ isSilent: true, isWhole: true, awaited: 1 }), MIN).open,
    ).toMatchObject({ dueMs: MIN });
  });
});

it("any change is read at once, and the reads of it come to an end", () => {
  const steps = fc.array(
    fc.record({
      count: fc.integer({ min: 5, max: 15 }),
      joined: fc.integer({ min: 0, max: 2 }),
      awaited: fc.integer({ min: 0, max: 1 }),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(steps, fc.boolean(), (moves, isWhole) => {
      let memory = START;
      let atMs = 0;
      let counted = 10;
      for (const { count, joined, awaited } of moves) {
        atMs += 2 * MIN;
        memory = probe(memory, count, atMs);
        if (count !== counted) expect(isDue(memory, atMs)).toBe(true);
        counted = count;
        if (isDue(memory, atMs))
          memory = afterListRead(
            memory,
            read({ joined, isWhole, awaited: isWhole ? awaited : 0 }),
            atMs,
          );
      }
      for (let reads = 0; memory.open !== undefined; reads += 1) {
        expect(reads).toBeLessThan(7);
        atMs = Math.max(atMs + 2 * MIN, memory.open.dueMs);
        memory = afterListRead(memory, read({ isWhole }), atMs);
      }
    }),
  );
});
