import { expect, it } from "vitest";
import type { CoveredRange } from "../../src/detect/feed-memory.ts";
import { type FeedItem, FeedWalk, type WalkOptions } from "../../src/detect/feed-walk.ts";

/** Returns an item. Item `n` was posted at second `n`. */
const item = (n: number): FeedItem => ({ id: String(n), timeMs: n * 1_000 });
const items = (...ns: number[]) => ns.map(item);
const KNOWN: readonly CoveredRange[] = [{ high: "100", low: "0" }];
const head = (changes: Partial<WalkOptions> = {}) =>
  new FeedWalk({
    stretches: KNOWN,
    knownRanges: KNOWN,
    floorMs: 95_000,
    maxNewPages: 3,
    minItems: 0,
    fills: false,
    ...changes,
  });

it("ends at a page whose last item is known and older than the floor, even when the page held news", () => {
  const walk = head();
  expect(walk.addPage(items(102, 101, 94), "c1")).toBe(false);
  expect([walk.end, walk.pages, walk.covered]).toEqual(["reached", 1, { high: "102", low: "94" }]);
});

it("goes on past known items that are newer than the floor, because late ones may lie between them", () => {
  const walk = head();
  expect(walk.addPage(items(101, 99, 98), "c1")).toBe(true);
  expect(walk.addPage(items(97, 94), "c2")).toBe(false);
  expect(walk.end).toBe("reached");
});

it("goes on past items older than the floor that nobody has read", () => {
  const walk = head({ stretches: [], knownRanges: [{ high: "50", low: "0" }] });
  expect(walk.addPage(items(94, 93), "c1")).toBe(true);
  expect(walk.addPage(items(60, 50), "c2")).toBe(false);
});

it("is not ended by an old pinned item, first on one page or on every one", () => {
  const walk = head();
  expect(walk.addPage(items(3, 110, 109), "c1")).toBe(true);
  expect(walk.addPage(items(3, 108, 107), "c2")).toBe(true);
  expect(walk.covered).toEqual({ high: "110", low: "107" });
  expect(walk.addPage(items(3, 106, 90), "c3")).toBe(false);
  expect(walk.covered).toEqual({ high: "110", low: "90" });
});

it("is not ended by a page that holds a pinned item alone", () => {
  const walk = head();
  expect(walk.addPage(items(3), "c1")).toBe(true);
  expect(walk.covered).toBeUndefined();
  expect(walk.addPage(items(3), "c2")).toBe(true);
  expect(walk.addPage(items(3, 110, 90), "c3")).toBe(false);
});

it("takes items out of order for what they are, and counts depth by the last one that fits", () => {
  const walk = head();
  expect(walk.addPage(items(110, 20, 108), "c1")).toBe(true);
  expect(walk.covered).toEqual({ high: "110", low: "108" });
});

it("reads on past empty pages, and gives up after three in a row", () => {
  const walk = head();
  expect(walk.addPage([], "c1")).toBe(true);
  expect(walk.addPage([], "c2")).toBe(true);
  expect(walk.addPage(items(110, 109), "c3")).toBe(true);
  expect(walk.addPage([], "c4")).toBe(true);
  expect(walk.addPage([], "c5")).toBe(true);
  expect(walk.addPage([], "c6")).toBe(false);
  expect([walk.end, walk.nextCursor, walk.covered]).toEqual([
    "cut",
    "c6",
    { high: "110", low: "109" },
  ]);
});

it("is ended by no count of items: a short page with a cursor is followed, a full one without ends", () => {
  const short = head();
  expect(short.addPage(items(110, 109), "c1")).toBe(true);
  const full = head();
  expect(full.addPage(items(...Array.from({ length: 20 }, (_, i) => 150 - i)), undefined)).toBe(
    false,
  );
  expect(full.end).toBe("end");
});

it("notices cursors that lead in a circle", () => {
  const walk = head({ maxNewPages: 100 });
  expect(walk.addPage(items(120, 119), "a")).toBe(true);
  expect(walk.addPage(items(118, 117), "b")).toBe(true);
  expect(walk.addPage(items(116, 115), "a")).toBe(false);
  expect([walk.end, walk.hasLooped, walk.nextCursor]).toEqual(["cut", true, undefined]);
});

it("notices a circle of cursors that differ every time", () => {
  const walk = head({ maxNewPages: 100 });
  let pages = 1;
  while (walk.addPage(items(120, 119), `c${pages}`)) pages += 1;
  expect(pages).toBe(4);
  expect(walk.end).toBe("cut");
});

it("counts pages with something new against max_pages, and known ones not", () => {
  const walk = head({ maxNewPages: 2, floorMs: 0 });
  expect(walk.addPage(items(100, 99), "c1")).toBe(true);
  expect(walk.addPage(items(98, 97), "c2")).toBe(true);
  const fresh = head({ maxNewPages: 2 });
  expect(fresh.addPage(items(120, 119), "c1")).toBe(true);
  expect(fresh.addPage(items(118, 117), "c2")).toBe(false);
  expect([fresh.end, fresh.newPages, walk.newPages]).toEqual(["cut", 2, 0]);
});

it("compares ids as numbers of any length, not as text and not as doubles", () => {
  const known = [{ high: "9007199254740993", low: "1" }];
  const walk = new FeedWalk({
    stretches: known,
    knownRanges: known,
    floorMs: 1_000,
    maxNewPages: 3,
    minItems: 0,
    fills: false,
  });
  const at = (id: string): FeedItem => ({ id, timeMs: 0 });
  expect(walk.addPage([at("10000000000000000"), at("9007199254740994")], "c1")).toBe(true);
  expect(walk.covered).toEqual({ high: "10000000000000000", low: "9007199254740994" });
  expect(walk.addPage([at("9007199254740993")], "c2")).toBe(false);
});

it("reads at least as many items as a first run wants to report", () => {
  const walk = head({ stretches: [], knownRanges: [], floorMs: 1_000_000, minItems: 4 });
  expect(walk.addPage(items(50, 49), "c1")).toBe(true);
  expect(walk.addPage(items(48, 47), "c2")).toBe(false);
});

it("ends a filling walk at the ground below the gap, whatever its time", () => {
  const knownRanges = [{ high: "50", low: "0" }];
  const walk = head({
    stretches: [{ high: "100", low: "80" }, ...knownRanges],
    knownRanges,
    floorMs: Number.NEGATIVE_INFINITY,
    fills: true,
  });
  expect(walk.addPage(items(90, 85), "c1")).toBe(true);
  expect(walk.addPage(items(79, 60), "c2")).toBe(true);
  expect(walk.addPage(items(55, 50), "c3")).toBe(false);
  expect([walk.end, walk.newPages]).toEqual(["reached", 2]);
});

it("takes an item that is alone as showing the depth where nothing is pinned, so that a quiet search costs one request", () => {
  expect(head({ hasNoPins: true }).addPage(items(90), "c1")).toBe(false);
  expect(head().addPage(items(90), "c1")).toBe(true);
});
