import { expect, it } from "vitest";
import { createCostModel } from "../../src/forecast/cost.ts";
import { assumeTargets, createForecast } from "../../src/forecast/forecast.ts";
import { planPace, pricePolls } from "../../src/forecast/pace.ts";
import { recheckCost } from "../../src/forecast/recheck-cost.ts";
import type { Watch } from "../../src/model/watch.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { middleOf } from "../../src/plan/range.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 2, 2);
const timetable = createTimetable();

const follow = (id: string, everyMs: number): Watch =>
  makeWatch(
    id,
    "search",
    { query: id },
    { schedule: { kind: "every", intervalMs: HOUR }, recheck: { everyMs, untilMs: 24 * HOUR } },
  );

function pollsOf(watches: readonly Watch[]) {
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
  return planPolls(planned, { hash: sha256, timetable, nowMs: NOW });
}

const costOf = (...watches: readonly Watch[]) => recheckCost(pollsOf(watches));

it("counts none to one request a recheck of searches, once for all of one interval", () => {
  const cost = costOf(
    follow("a", 10 * MINUTE),
    follow("b", 10 * MINUTE),
    follow("c", HOUR),
    makeWatch("d", "search", { query: "d" }),
  );
  expect([...cost].map(([id, range]) => [id, range])).toEqual([
    ["a", { low: 0, high: 72 }],
    ["b", { low: 0, high: 72 }],
    ["c", { low: 0, high: 24 }],
  ]);
  expect(costOf(makeWatch("d", "search", { query: "d" })).size).toBe(0);
});

it("counts a request for each hundred posts that accounts may have made in the time, of which most follow the watch with most accounts", () => {
  const accounts = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => `id:${from + i}`);
  const timeline = (id: string, ids: readonly string[]) =>
    makeWatch(
      id,
      "timeline",
      { accounts: ids },
      {
        schedule: { kind: "every", intervalMs: HOUR },
        recheck: { everyMs: HOUR, untilMs: 24 * HOUR },
      },
    );
  // A hundred accounts make 50 to 600 posts. One account's half a post is fresh half of the time.
  expect(costOf(timeline("t", accounts(100, 1))).get("t")).toEqual({ low: 24, high: 6 * 24 });
  expect(costOf(timeline("few", accounts(10, 1))).get("few")).toEqual({ low: 24, high: 24 });
  expect(costOf(timeline("one", accounts(1, 1))).get("one")).toEqual({ low: 12, high: 24 });
  const cost = costOf(timeline("three", accounts(75, 1)), timeline("one", accounts(25, 200)));
  const of = (id: string) => middleOf(cost.get(id) ?? { low: 0, high: 0 });
  expect(of("three") / of("one")).toBeCloseTo(3);
  expect(of("three") + of("one")).toBeCloseTo(84);
});

it("is billed in the plan and by the governor, in total and by watch, and delays no alert", () => {
  const watches = [follow("a", 10 * MINUTE), follow("b", 10 * MINUTE)];
  const bare = createForecast(pollsOf(watches.map(({ recheck: _, ...watch }) => watch)), {
    timetable,
    nowMs: NOW,
  });
  const polls = pollsOf(watches);
  const billed = createForecast(polls, { timetable, nowMs: NOW });
  expect(billed.requestsPerDay - bare.requestsPerDay).toBeCloseTo(72);
  expect(billed.requestsPerMonth).toBeCloseTo(billed.requestsPerDay * 30);
  const [before, after] = [bare.watches.get("a"), billed.watches.get("a")];
  expect(after?.rechecksPerDay).toBeCloseTo(36);
  expect((after?.requestsPerDay ?? 0) - (before?.requestsPerDay ?? 0)).toBeCloseTo(36);
  expect(after?.delay).toEqual(before?.delay);
  const pace = planPace(pricePolls(polls, createCostModel({ timetable }), NOW), {
    high: 1,
    normal: 2,
    low: 1,
  });
  expect(pace.askedPerDay).toBeCloseTo(billed.requestsPerDay, 6);
  expect(pace.watches.get("a")?.pacedPerDay).toBeCloseTo((after?.requestsPerDay ?? 0) / 2, 6);
});
