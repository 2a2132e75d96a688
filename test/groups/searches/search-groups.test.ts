import { expect, it } from "vitest";
import type { Watch } from "../../../src/model/watch.ts";
import { assumeTargets, createForecast } from "../../../src/forecast/forecast.ts";
import { groupPolls } from "../../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { isTooBusy, verificationOf } from "../../../src/groups/searches/search-groups.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const DAY_MS = 86_400_000;
const WORDS = [
  "acme",
  "bolt",
  "crane",
  "delta",
  "ember",
  "flint",
  "grove",
  "heron",
  "index",
  "jolt",
];
const search = (query: string, changes: WatchChanges = {}) =>
  makeWatch(query, "search", { query }, changes);
const timetable = createTimetable();

function polls(...watches: readonly Watch[]) {
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error("no type");
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []),
    };
  });
  return groupPolls(planPolls(planned, { hash: sha256, timetable, nowMs: NOW }), { hash: sha256 });
}
const groupsOf = (...watches: readonly Watch[]) =>
  polls(...watches).flatMap(({ group }) => (group === undefined ? [] : [group]));

it("searches of one schedule and priority are one poll, and the others stay apart", () => {
  const groups = groupsOf(
    ...WORDS.map((word) => search(word)),
    ...["kite", "lens"].map((word) => search(word, { priority: "low" })),
    search("mast", { schedule: { kind: "every", intervalMs: 120_000 } }),
    search("node", { strategy: "single" }),
    search("oven lang:en"),
  );
  expect(groups.map(({ kind, members }) => [kind, members.length])).toEqual([
    ["searches", 10],
    ["searches", 2],
  ]);
});

it("a group keeps its key when searches come and go, and is another one than a group of timelines", () => {
  const keyOf = (...watches: readonly Watch[]) =>
    polls(...watches).find(({ group }) => group !== undefined)?.key;
  expect(keyOf(search("acme"), search("bolt"))).toBe(
    keyOf(search("crane"), search("bolt"), search("delta")),
  );
  const timelines = makeWatch("t", "timeline", { accounts: ["id:1", "id:2", "id:3"] });
  expect(keyOf(timelines)).not.toBe(keyOf(search("acme"), search("bolt")));
});

it("the forecast bills a request a tick and the verification reads: about a ninth of ten single searches a minute", () => {
  const merged = createForecast(polls(...WORDS.map((word) => search(word))), {
    timetable,
    nowMs: NOW,
  });
  const single = createForecast(
    polls(...WORDS.map((word) => search(word, { strategy: "single" }))),
    { timetable, nowMs: NOW },
  );
  expect(single.requestsPerDay).toBe(14_400);
  expect(merged.requestsPerDay).toBeGreaterThan(1_440);
  expect(merged.requestsPerDay).toBeLessThan(1_440 * 1.1);
  expect(merged.watches.get("acme")?.strategies).toEqual(["merge"]);
});

it("a verification read comes well before what it finds is too old", () => {
  const slow = { schedule: { kind: "every", intervalMs: 3_600_000 }, maxAgeMs: DAY_MS } as const;
  const verificationsOf = (...words: readonly string[]) =>
    polls(...words.map((word) => search(word, slow))).map((poll) => verificationOf(poll).perDay);
  // Each search needs a verification read within 0.45 of a day. One of two searches suffices,
  // because it leaves the other on its own too.
  expect(verificationsOf("acme", "bolt")).toEqual([expect.closeTo(1 / 0.45, 5)]);
  expect(verificationsOf("acme", "bolt", "clip")).toEqual([expect.closeTo(3 / 0.45, 5)]);
});

it("a search that finds about half a page a poll is too busy to share, and is not called calm by a little less", () => {
  expect(isTooBusy(8 * 1_440, 60_000, false)).toBe(false);
  expect(isTooBusy(9 * 1_440, 60_000, false)).toBe(true);
  expect(isTooBusy(7 * 1_440, 60_000, true)).toBe(true);
  expect(isTooBusy(5 * 1_440, 60_000, true)).toBe(false);
});
