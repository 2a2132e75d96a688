import fc from "fast-check";
import { expect, it } from "vitest";
import {
  addRange,
  BOTTOM,
  closeGap,
  EMPTY_FEED,
  type Gap,
  isRead,
  newestGap,
  readFeedMemory,
  type CoveredRange,
} from "../../src/detect/feed-memory.ts";
import { gapAges } from "../../src/detect/gap-age.ts";
import { compareIds } from "../../src/model/id.ts";

const gap = (cursor: string): Gap => ({ cursor, horizonMs: 0, tries: 0 });

const rangeOf = ([a, b]: readonly [bigint, bigint]): CoveredRange => ({
  high: (a > b ? a : b).toString(),
  low: (a > b ? b : a).toString(),
});
/**
 * Ids around 2^63 and around the change from 18 to 19 digits, where numbers and plain text compare
 * wrongly.
 */
const id = fc.oneof(
  fc.bigInt({ min: 999_999_999_999_999_980n, max: 1_000_000_000_000_000_020n }),
  fc.bigInt({ min: 9_007_199_254_740_990n, max: 9_007_199_254_741_030n }),
);
const ranges = fc.array(fc.tuple(id, id).map(rangeOf), { minLength: 1, maxLength: 12 });

const build = (parts: readonly CoveredRange[]) =>
  parts.reduce<readonly CoveredRange[]>((all, one) => addRange(all, one), []);
const contains = ({ high, low }: CoveredRange, at: bigint) =>
  BigInt(low) <= at && at <= BigInt(high);

it("keeps ranges newest first and apart, whatever is added in whatever order", () => {
  fc.assert(
    fc.property(ranges, (parts) => {
      const memory = build(parts);
      for (const [i, { high, low }] of memory.entries()) {
        expect(BigInt(high) >= BigInt(low)).toBe(true);
        const below = memory[i + 1];
        if (below !== undefined) expect(BigInt(low) > BigInt(below.high)).toBe(true);
      }
    }),
  );
});

it("has read exactly what its parts have read", () => {
  fc.assert(
    fc.property(ranges, id, (parts, at) => {
      expect(isRead(build(parts), at.toString())).toBe(parts.some((part) => contains(part, at)));
    }),
  );
});

it("does not depend on the order in which ranges without gaps were added", () => {
  fc.assert(
    fc.property(ranges, (parts) => {
      expect(build(parts)).toEqual(build([...parts].reverse()));
    }),
  );
});

it("forgets a gap only when what lies below it was read", () => {
  fc.assert(
    fc.property(ranges, id, (parts, at) => {
      const upper: CoveredRange = {
        high: (at + 5n).toString(),
        low: at.toString(),
        hole: gap("c"),
      };
      const memory = build([upper, ...parts]);
      const isKept = memory.some((range) => range.hole?.cursor === "c");
      const merged = memory.find((range) => contains(range, at));
      // The gap lies under id `at`. It is kept as long as no joined range reaches deeper.
      expect(isKept).toBe(compareIds(merged?.low ?? "", at.toString()) === 0);
    }),
  );
});

it("keeps a gap when the ground above it is read again down to the same id", () => {
  const memory = [{ high: "90", low: "50", hole: gap("old") }];
  expect(addRange(memory, { high: "95", low: "50" })).toEqual([
    { high: "95", low: "50", hole: gap("old") },
  ]);
  expect(addRange(memory, { high: "95", low: "50", hole: gap("new") })).toEqual([
    { high: "95", low: "50", hole: gap("new") },
  ]);
});

it("closes a gap by joining its range to the next, whose own gap stays", () => {
  const memory = [
    { high: "90", low: "80", hole: gap("a") },
    { high: "60", low: "50", hole: gap("b") },
    { high: "20", low: BOTTOM },
  ];
  const first = closeGap(memory, 0);
  expect(first).toEqual([
    { high: "90", low: "50", hole: gap("b") },
    { high: "20", low: BOTTOM },
  ]);
  expect(closeGap(first, 0)).toEqual([{ high: "90", low: BOTTOM }]);
  expect(closeGap([{ high: "90", low: "80", hole: gap("a") }], 0)).toEqual([
    { high: "90", low: BOTTOM },
  ]);
});

it("finds the newest gap first", () => {
  const rangesWithGap = [
    { high: "90", low: "80" },
    { high: "60", low: "50", hole: gap("b") },
  ];
  expect(
    newestGap({ stretches: rangesWithGap, readAtMs: null, newestItemMs: null, sweptAtMs: null }),
  ).toBe(1);
  expect(newestGap({ stretches: [], readAtMs: null, newestItemMs: null, sweptAtMs: null })).toBe(
    -1,
  );
});

it("is read from a state that holds part of it, or another source's memory, and counts its gaps", () => {
  const stored = {
    stretches: [
      { high: "90", low: "80", hole: { cursor: "a", horizonMs: 0, tries: 0 } },
      { high: "60", low: "50" },
    ],
  };
  expect(readFeedMemory(stored)).toEqual({ ...EMPTY_FEED, ...stored });
  expect(gapAges(readFeedMemory(stored)).length).toBe(1);
  expect(gapAges(readFeedMemory({ readAtMs: 1, passes: [] })).length).toBe(0);
  expect(readFeedMemory({})).toEqual(EMPTY_FEED);
});
