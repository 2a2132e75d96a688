import { expect, it } from "vitest";
import { EMPTY_FEED, type FeedMemory } from "../../src/detect/feed-memory.ts";
import {
  afterFill,
  afterHead,
  horizonMs,
  planFill,
  planHead,
  type Reach,
} from "../../src/detect/feed-poll.ts";
import { type FeedItem, FeedWalk } from "../../src/detect/feed-walk.ts";

const MIN = 60_000;
const NOW = 1_000 * MIN;
/** Returns items. Item `n` was posted at minute `n`. */
const items = (...ns: number[]): FeedItem[] => ns.map((n) => ({ id: String(n), timeMs: n * MIN }));
const options = {
  startMs: NOW,
  intervalMs: 5 * MIN,
  overlapMs: 15 * MIN,
  maxPages: 2,
  minItems: 0,
};
const READ: FeedMemory = {
  stretches: [{ high: "990", low: "0" }],
  readAtMs: 995 * MIN,
  newestItemMs: 990 * MIN,
  sweptAtMs: 990 * MIN,
};

function head(
  memory: FeedMemory,
  pages: readonly (readonly FeedItem[])[],
  lastCursor: string | undefined,
  changes = {},
) {
  const plan = planHead(memory, { ...options, ...changes });
  const walk = new FeedWalk(plan.walk);
  pages.every((page, i) => walk.addPage(page, i < pages.length - 1 ? `c${i}` : lastCursor));
  return { plan, walk, memory: afterHead(memory, { plan, walk, startMs: NOW, query: undefined }) };
}

it("keeps a margin of twice the interval, at least five seconds and at most a minute", () => {
  const margins = [1_000, 10_000, 300_000].map(
    (intervalMs) => 995 * MIN - planHead(READ, { ...options, intervalMs }).walk.floorMs,
  );
  expect(margins).toEqual([5_000, 20_000, 60_000]);
});

it("reads down to the last poll less a margin, and to the overlap once per overlap", () => {
  expect(planHead(READ, options)).toMatchObject({
    isRescan: false,
    sinceMs: 989 * MIN,
    walk: { floorMs: 994 * MIN },
  });
  expect(planHead({ ...READ, sweptAtMs: 985 * MIN }, options)).toMatchObject({
    isRescan: true,
    walk: { floorMs: 970 * MIN },
  });
  expect(planHead(EMPTY_FEED, { ...options, firstRunFloorMs: NOW - MIN })).toMatchObject({
    sinceMs: undefined,
    walk: { floorMs: NOW - MIN },
  });
});

it("reads to the overlap before the last rescan once a clock of the service that ran ahead is set right", () => {
  const ahead = { ...READ, readAtMs: NOW + 300 * MIN, sweptAtMs: NOW + 300 * MIN };
  // The last rescan was at most one overlap ago.
  expect(planHead(ahead, options)).toMatchObject({
    isRescan: true,
    walk: { floorMs: NOW - 30 * MIN },
  });
  expect(planHead({ ...ahead, sweptAtMs: NOW + 30_000 }, options).isRescan).toBe(false);
});

it("goes as deep as something else says that it must, and calls it a rescan only where all was read that far back", () => {
  const reach = (kind: Reach["kind"]) =>
    planHead(READ, { ...options, reach: { kind, sinceMs: 900 * MIN } });
  expect(reach("since")).toMatchObject({ isRescan: false, walk: { floorMs: 994 * MIN } });
  expect(reach("rescan")).toMatchObject({ isRescan: true, walk: { floorMs: 900 * MIN } });
});

it("knows everything below a first page for ever, without paging", () => {
  const { walk, memory } = head(EMPTY_FEED, [items(990, 980, 970)], "c");
  expect(walk.pages).toBe(1);
  expect(memory).toEqual({
    stretches: [{ high: "990", low: "0" }],
    readAtMs: NOW,
    newestItemMs: 990 * MIN,
    sweptAtMs: NOW,
  });
});

it("moves no watermark by an answer without any item", () => {
  expect(head(READ, [[]], undefined).memory).toEqual(READ);
  const rescan = { ...READ, sweptAtMs: 900 * MIN };
  expect(head(rescan, [[]], undefined).memory).toEqual(rescan);
});

it("marks the first read of a list that is empty", () => {
  expect(head(EMPTY_FEED, [[]], undefined).memory).toMatchObject({
    stretches: [{ high: "0", low: "0" }],
    readAtMs: NOW,
  });
});

it("leaves a gap with its cursor and the last complete poll as horizon when it is cut", () => {
  const { memory } = head(READ, [items(999, 998), items(997, 996)], "next");
  expect(memory.stretches).toEqual([
    { high: "999", low: "996", hole: { cursor: "next", horizonMs: 995 * MIN, tries: 0 } },
    { high: "990", low: "0" },
  ]);
  expect(horizonMs(memory)).toBe(995 * MIN);
});

it("keeps the gap of a first run's floor when a later head walk runs on into it and is cut again", () => {
  const first = head(EMPTY_FEED, [items(990, 980), items(970, 960)], "a", {
    firstRunFloorMs: 100 * MIN,
  }).memory;
  expect(first.stretches[0]?.hole).toMatchObject({ cursor: "a", floorMs: 100 * MIN });
  const second = head(
    { ...first, readAtMs: 900 * MIN },
    [items(990, 980), items(970, 960), items(950, 940), items(930, 920)],
    "b",
  ).memory;
  expect(second.stretches).toEqual([
    {
      high: "990",
      low: "920",
      hole: { cursor: "b", floorMs: 100 * MIN, horizonMs: 100 * MIN, tries: 0 },
    },
  ]);
});

const HOLED: FeedMemory = {
  ...READ,
  stretches: [
    { high: "999", low: "996", hole: { cursor: "next", horizonMs: 995 * MIN, tries: 0 } },
    { high: "990", low: "0" },
  ],
};

function fill(
  memory: FeedMemory,
  pages: readonly (readonly FeedItem[])[],
  lastCursor: string | undefined,
  hasFailed = false,
) {
  const plan = planFill(memory, 0, 2, 15 * MIN);
  if (plan === undefined) throw new Error("no gap");
  const walk = new FeedWalk(plan.walk);
  pages.every((page, i) => walk.addPage(page, i < pages.length - 1 ? `c${i}` : lastCursor));
  if (hasFailed) walk.cut();
  return afterFill(memory, 0, { plan, walk, query: undefined, hasFailed });
}

it("closes a gap when the walk reaches the ground below, or the end", () => {
  const whole = [{ high: "999", low: "0" }];
  expect(fill(HOLED, [items(995, 994), items(993, 990)], "c").memory.stretches).toEqual(whole);
  expect(fill(HOLED, [items(995, 994)], undefined).memory.stretches).toEqual(whole);
});

it("moves a gap down when the allowance ends first", () => {
  const { memory } = fill(HOLED, [items(995), items(994), items(993)], "deeper");
  expect(memory.stretches[0]).toEqual({
    high: "999",
    low: "994",
    hole: { cursor: "c1", horizonMs: 995 * MIN, tries: 0 },
  });
});

it("distrusts an empty answer: asks again without the cursor, and finally gives up with a reason", () => {
  let result = fill(HOLED, [[]], undefined);
  expect(result).toMatchObject({ isStuck: true, isGapLost: false });
  expect(result.memory.stretches[0]?.hole).toEqual({ horizonMs: 995 * MIN, tries: 1 });
  for (let tries = 2; tries < 5; tries += 1) result = fill(result.memory, [[]], undefined);
  expect(result.isGapLost).toBe(false);
  expect(fill(result.memory, [[]], undefined)).toMatchObject({
    isGapLost: true,
    memory: { stretches: [{ high: "999", low: "0" }] },
  });
});

it("counts no failed walk as an attempt, however many fail", () => {
  let { memory } = fill(HOLED, [], undefined, true);
  for (let i = 0; i < 20; i += 1) memory = fill(memory, [], undefined, true).memory;
  expect(memory).toEqual(HOLED);
});
