import { expect, it } from "vitest";
import { EMPTY_FEED, type FeedMemory } from "../../src/detect/feed-memory.ts";
import { ageGaps, gapAges, STUCK, stuckGap } from "../../src/detect/gap-age.ts";

const MIN = 60_000;
const GAP = { horizonMs: 7, tries: 0 };
/** Creates a feed that was read from each first id down to each second one, with gaps below. */
const feed = (...ranges: readonly (readonly [string, string])[]): FeedMemory => ({
  ...EMPTY_FEED,
  stretches: [...ranges.map(([high, low]) => ({ high, low, hole: GAP })), { high: "10", low: "0" }],
});

/** Creates polls that leave these memories, this far apart. */
function pollsOf(memories: readonly FeedMemory[], everyMs: number): FeedMemory {
  let memory = EMPTY_FEED;
  for (const [n, next] of memories.entries())
    memory = ageGaps(memory, next, { nowMs: n * everyMs, cause: "quota" });
  return memory;
}

const same = (count: number) => Array.from({ length: count }, (_, n) => feed([`${90 + n}`, "50"]));

it("ages a gap by polls and by time, whatever is read above it", () => {
  expect(gapAges(pollsOf(same(4), MIN))).toEqual([
    { openedAtMs: 0, shrunkAtMs: 0, polls: 3, cause: "quota", isStuck: false },
  ]);
});

it("ages the gap above a list that held nothing at first", () => {
  const stretches = [
    { high: "90", low: "50", hole: GAP },
    { high: "0", low: "0" },
  ];
  const memories = [1, 2, 3].map(() => ({ ...EMPTY_FEED, stretches }));
  expect(gapAges(pollsOf(memories, MIN))).toMatchObject([{ openedAtMs: 0, polls: 2 }]);
});

it("is stuck after ten polls and ten minutes, both", () => {
  const isStuck = (polls: number, everyMs: number) =>
    stuckGap(gapAges(pollsOf(same(polls + 1), everyMs))) !== undefined;
  expect(isStuck(STUCK.polls, MIN)).toBe(true);
  expect(isStuck(STUCK.polls - 1, 10 * MIN)).toBe(false);
  expect(isStuck(STUCK.polls + 20, 10_000)).toBe(false);
  expect(isStuck(STUCK.ms / 10_000, 10_000)).toBe(true);
});

it("counts anew from a poll that read a part of it, and stays stuck until it is closed", () => {
  const shrunk = [...same(15), feed(["95", "40"])];
  expect(gapAges(pollsOf(shrunk, MIN))).toEqual([
    { openedAtMs: 0, shrunkAtMs: 15 * MIN, polls: 0, cause: "quota", isStuck: true },
  ]);
  expect(
    gapAges(pollsOf([...shrunk, { ...EMPTY_FEED, stretches: [{ high: "95", low: "0" }] }], MIN)),
  ).toEqual([]);
});

it("ages each gap by itself, and names the oldest that is stuck", () => {
  const memories = [
    ...same(3),
    ...Array.from({ length: 12 }, () => feed(["99", "95"], ["92", "50"])),
  ];
  const ages = gapAges(pollsOf(memories, MIN));
  expect(ages.map(({ openedAtMs, polls }) => [openedAtMs, polls])).toEqual([
    [3 * MIN, 11],
    [0, 14],
  ]);
  expect(stuckGap(ages)?.openedAtMs).toBe(0);
});

it("takes a gap left by an older version to be as old as the items known above it", () => {
  expect(gapAges(feed(["90", "50"]))).toMatchObject([{ openedAtMs: 7, polls: 0, isStuck: false }]);
});
