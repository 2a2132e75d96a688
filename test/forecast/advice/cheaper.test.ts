import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Freshness, Schedule, Timing } from "../../../src/model/schedule.ts";
import type { Watch } from "../../../src/model/watch.ts";
import { type Change, findChanges } from "../../../src/forecast/advice/cheaper.ts";
import {
  assumeTargets,
  createForecast,
  mostExpensive,
  type Forecast,
} from "../../../src/forecast/forecast.ts";
import { groupPolls } from "../../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { scheduleOf } from "../../../src/plan/timing.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const every = (seconds: number): Schedule => ({ kind: "every", intervalMs: seconds * 1_000 });
const search = (id: string, schedule: Schedule) =>
  makeWatch(id, "search", { query: id }, { schedule });
const timeline = (id: string, count: number, schedule: Schedule, changes: WatchChanges = {}) =>
  makeWatch(
    id,
    "timeline",
    { accounts: Array.from({ length: count }, (_, i) => `id:${1_000 + i}`) },
    { schedule, ...changes },
  );

function forecastOf(watches: readonly Watch[], isGrouped = true): Forecast {
  const timetable = createTimetable();
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error(watch.type);
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []),
    };
  });
  const polls = planPolls(planned, { hash: sha256, timetable, nowMs: NOW });
  return createForecast(isGrouped ? groupPolls(polls, { hash: sha256 }) : polls, {
    timetable,
    nowMs: NOW,
  });
}

const at = (seconds: number): Timing => ({ kind: "schedule", schedule: every(seconds) });
const intervalMs = (timing: Timing) => createTimetable().intervalMs(scheduleOf(timing), NOW);
const changesFor = (
  watches: readonly Watch[],
  limit: number,
  isGrouped = true,
  slowestMs = Number.POSITIVE_INFINITY,
) =>
  findChanges({
    before: forecastOf(watches, isGrouped),
    limit,
    replan: (change) => forecastOf(watches.map(change), isGrouped),
    intervalMs,
    slowestMs: () => slowestMs,
    throughList: ({ settings, strategy: _, ...watch }, everyMs) => ({
      ...watch,
      settings: { ...(settings as object), via_list: "0" },
      timing: at(everyMs / 1_000),
    }),
  });

const kind = (changes: readonly Change[], wanted: Change["kind"]) =>
  changes.find((one) => one.kind === wanted);

describe("slowing down", () => {
  it("touches as few of the most expensive watches as lose least, at the shortest usual interval that fits", () => {
    const watches = [
      search("slow", every(86_400)),
      search("fast", every(60)),
      search("faster", every(10)),
    ];
    expect(mostExpensive(forecastOf(watches))).toEqual(["faster", "fast", "slow"]);
    expect(kind(changesFor(watches, 90_000), "slower")).toMatchObject({
      watches: [{ watchId: "faster", timing: at(60) }],
    });
    expect(kind(changesFor(watches, 10_000), "slower")).toMatchObject({
      // Alone they would have to be twice as slow. With the same schedule they share a query.
      watches: ["faster", "fast"].map((watchId) => ({ watchId, timing: at(300) })),
    });
  });

  it("is not proposed when not even one poll a week fits", () => {
    expect(changesFor([search("a", every(60))], 2)).toEqual([]);
  });

  it("costs what the slower plan costs: accounts that then have one schedule share their requests", () => {
    const watches = [timeline("a", 40, every(60)), timeline("b", 40, every(75))];
    const limit = forecastOf(watches).requestsPerMonth / 3;
    const change = kind(changesFor(watches, limit), "slower");
    const seconds = intervalMs(change?.watches[0]?.timing ?? at(0)) / 1_000;
    const after = forecastOf(watches.map((watch) => ({ ...watch, timing: at(seconds) })));
    expect(change?.watches.map(({ timing }) => timing)).toEqual(watches.map(() => at(seconds)));
    expect(change?.requestsPerMonth).toBeCloseTo(after.requestsPerMonth);
    expect(after.requestsPerMonth).toBeLessThanOrEqual(limit);
    const sooner = forecastOf(watches.map((watch) => ({ ...watch, timing: at(seconds / 2) })));
    expect(sooner.requestsPerMonth).toBeGreaterThan(limit);
  });

  it("goes no further than what else is written of a watch leaves room for", () => {
    const watches = [search("a", every(60)), search("b lang:en", every(60))];
    expect(
      kind(changesFor(watches, 1_500, true, 3_600_000), "slower")?.watches.map(
        ({ timing }) => timing,
      ),
    ).toEqual([at(3_600), at(3_600)]);
    expect(changesFor(watches, 1_400, true, 3_600_000)).toEqual([]);
    const fresh = timeline("f", 30, every(120), { freshness: { kind: "p95", p95Ms: 60_000 } });
    expect(changesFor([fresh], 1_500, true, 3_600_000)).toEqual([]);
  });

  it("names no watch whose schedule stays as it is", () => {
    const slow = makeWatch("slow", "search", { query: "a" }, { schedule: every(600) });
    const fast = makeWatch("fast", "search", { query: "a" }, { schedule: every(60) });
    const change = kind(changesFor([slow, fast], 20_000), "slower");
    expect(change?.watches).toMatchObject([{ watchId: "fast", timing: at(180) }]);
  });

  it("tries other watches where those that should have been enough share requests with the rest", () => {
    const accounts = Array.from({ length: 30 }, (_, i) => `id:${1_000 + i}`);
    const profile = makeWatch(
      "p",
      "profile",
      { accounts: accounts.slice(0, 10) },
      { schedule: every(300) },
    );
    const watches = [profile, timeline("t", 30, every(300)), search("s lang:en", every(3_600))];
    // Without the profile watch, whose requests also serve the timelines, the timelines make their
    // own.
    const change = kind(changesFor(watches, 3_500), "slower");
    expect(change?.watches.map(({ watchId }) => watchId).sort()).toEqual(["p", "t"]);
  });

  it("says how late the alerts of the named watches then are, and of no others", () => {
    const sharers = [timeline("fast", 60, every(60)), timeline("slow", 90, every(300))];
    const slower = kind(changesFor(sharers, 45_000), "slower");
    expect(slower).toMatchObject({
      watches: [{ watchId: "fast", timing: at(120) }],
      delay: { p50Ms: 60_000, p95Ms: 114_000 },
    });
  });

  it("says how late alerts are then", () => {
    expect(kind(changesFor([search("a", every(60))], 10_000), "slower")?.delay).toEqual({
      p50Ms: 150_000,
      p95Ms: 285_000,
    });
  });
});

describe("freshness", () => {
  const fresh = (id: string, count: number, freshness: Freshness) =>
    timeline(id, count, every(60), { freshness });

  it("is loosened as little as fits, by planning again, and no schedule is proposed instead", () => {
    const watches = [fresh("big", 1_000, { kind: "mean", meanMs: 60_000, maxMs: 600_000 })];
    const changes = changesFor(watches, 60_000);
    const change = kind(changes, "freshness");
    expect(kind(changes, "slower")).toBeUndefined();
    const [looser] = change?.watches ?? [];
    if (looser?.timing.kind !== "freshness" || looser.timing.freshness.kind !== "mean")
      throw new Error("no mean");
    const { freshness } = looser.timing;
    expect(freshness.meanMs).toBeGreaterThan(60_000);
    expect(freshness.maxMs).toBeGreaterThanOrEqual(4 * freshness.meanMs);
    const after = forecastOf([fresh("big", 1_000, freshness)]);
    expect(after.requestsPerMonth).toBeLessThanOrEqual(60_000);
    expect(change?.requestsPerMonth).toBeCloseTo(after.requestsPerMonth);
    expect(change?.delay).toEqual(after.watches.get("big")?.delay);
  });

  it("is left as it is where it asks for no more than that, and schedules stay the user's word", () => {
    const strict = fresh("strict", 300, { kind: "p95", p95Ms: 60_000 });
    const lax = makeWatch(
      "lax",
      "timeline",
      { accounts: ["id:1"] },
      { freshness: { kind: "p95", p95Ms: 604_800_000 } },
    );
    const change = kind(changesFor([strict, lax, search("s", every(3_600))], 60_000), "freshness");
    expect(change?.watches.map(({ watchId }) => watchId)).toEqual(["strict"]);
  });

  it("makes a list worth naming that is sooner than what would fit else", () => {
    const changes = changesFor(
      [fresh("big", 1_000, { kind: "mean", meanMs: 60_000, maxMs: 600_000 })],
      60_000,
    );
    expect(changes[0]).toMatchObject({ kind: "list", list: { handles: 1_000 } });
  });
});

describe("a public list", () => {
  it("is cheapest where many accounts are read one by one, and says what the delay would be else", () => {
    const [first] = changesFor(
      [timeline("big", 1_000, every(30), { strategy: "single" })],
      140_000,
      false,
    );
    expect(first).toMatchObject({
      kind: "list",
      watches: [{ watchId: "big" }],
      list: { handles: 1_000 },
      everyMs: 30_000,
    });
    expect(kind([first as Change], "list")?.delay.p50Ms).toBe(15_000);
    expect(kind([first as Change], "list")?.list?.instead.p50Ms).toBeGreaterThan(10 * 60_000);
  });

  it("is read more slowly where its own schedule does not fit either", () => {
    const watches = [timeline("big", 1_000, every(30), { strategy: "single" })];
    expect(kind(changesFor(watches, 20_000, false), "list")?.everyMs).toBe(300_000);
  });

  it("is not proposed where it is no faster than slowing down", () => {
    const watches = [timeline("merged", 12, every(60))];
    expect(kind(changesFor(watches, 40_000), "slower")?.watches).toMatchObject([
      { watchId: "merged", timing: at(120) },
    ]);
    expect(kind(changesFor(watches, 40_000), "list")).toBeUndefined();
  });

  it("is not proposed where another watch goes on reading the same accounts for more than the quota", () => {
    const watches = ["one", "two"].map((id) => timeline(id, 40, every(20)));
    expect(forecastOf(watches).requestsPerMonth).toBeGreaterThan(140_000);
    expect(kind(changesFor(watches, 140_000), "list")).toBeUndefined();
  });

  it("is proposed for no handful of accounts, and for none that others share", () => {
    expect(kind(changesFor([timeline("few", 5, every(10))], 1_000, false), "list")).toBeUndefined();
    const shared = [timeline("one", 20, every(30)), timeline("two", 20, every(30))];
    expect(kind(changesFor(shared, 10_000, false), "list")).toBeUndefined();
  });
});

describe("reading whole less often", () => {
  it("is proposed where someone wrote how often, and loses no time", () => {
    const watches = [
      timeline("big", 400, every(300), { strategy: "probe", fullPollEveryMs: 1_800_000 }),
    ];
    const limit = forecastOf(watches).requestsPerMonth - 10_000;
    const change = kind(changesFor(watches, limit), "full_poll");
    expect(change).toMatchObject({ watches: [{ watchId: "big" }], lossMs: 0 });
    expect(change?.everyMs).toBeGreaterThan(1_800_000);
    const slower = forecastOf([
      timeline("big", 400, every(300), {
        strategy: "probe",
        fullPollEveryMs: change?.everyMs ?? 0,
      }),
    ]);
    expect(slower.requestsPerMonth).toBeLessThanOrEqual(limit);
    expect(slower.requestsPerMonth).toBeCloseTo(change?.requestsPerMonth ?? 0, 3);
  });

  const lists = (fullPollEveryMs: number, changes: WatchChanges = {}) =>
    makeWatch(
      "lists",
      "new_followers",
      { accounts: Array.from({ length: 60 }, (_, i) => `id:${1_000 + i}`), source: "all" },
      { schedule: every(600), strategy: "probe", fullPollEveryMs, ...changes },
    );

  it("is proposed for lists of followers, at the least that fits, and leaves those alone who said nothing", () => {
    const others = timeline("others", 40, every(600));
    const before = forecastOf([lists(1_800_000), others]).requestsPerMonth;
    const limit = forecastOf([lists(6 * 3_600_000), others]).requestsPerMonth + 1;
    expect(limit).toBeLessThan(0.8 * before);
    const change = kind(changesFor([lists(1_800_000), others], limit), "full_poll");
    expect(change).toMatchObject({
      everyMs: 6 * 3_600_000,
      watches: [{ watchId: "lists" }],
      lossMs: 0,
    });
    expect(change?.requestsPerMonth).toBeCloseTo(limit - 1, 3);
  });

  it("is not proposed if it does not fit within half of what is still reported, nor if no watch sets how often", () => {
    const limit = forecastOf([lists(6 * 3_600_000)]).requestsPerMonth + 1;
    expect(
      kind(changesFor([lists(1_800_000, { maxAgeMs: 6 * 3_600_000 })], limit), "full_poll"),
    ).toBeUndefined();
    const silent = timeline("silent", 400, every(300), { strategy: "probe" });
    expect(
      kind(changesFor([silent], forecastOf([silent]).requestsPerMonth - 100), "full_poll"),
    ).toBeUndefined();
  });
});

describe("every change", () => {
  it("fits, and the one that loses least comes first", () => {
    const watch = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      seconds: fc.integer({ min: 5, max: 5_000 }),
      isGrouped: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(watch, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 10, max: 200_000 }),
        (specs, limit) => {
          const watches = specs.map(({ count, seconds }, i) =>
            timeline(`w${i}`, count, every(seconds)),
          );
          if (forecastOf(watches, specs[0]?.isGrouped).requestsPerMonth <= limit) return;
          const changes = changesFor(watches, limit, specs[0]?.isGrouped);
          for (const change of changes)
            expect(change.requestsPerMonth).toBeLessThanOrEqual(limit + 1e-6);
          const losses = changes.map(({ lossMs }) => lossMs);
          expect(losses).toEqual([...losses].sort((a, b) => a - b));
        },
      ),
      { numRuns: 60 },
    );
  });
});
