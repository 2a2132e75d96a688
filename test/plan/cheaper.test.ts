import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Freshness, Schedule } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type Change, findChanges } from "../../src/plan/cheaper.ts";
import { assumeTargets, createForecast, dearest, type Forecast } from "../../src/plan/forecast.ts";
import { groupPolls } from "../../src/plan/group-polls.ts";
import { planPolls, targetsOf } from "../../src/plan/plan-polls.ts";
import { evenSchedule } from "../../src/plan/wishes.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const every = (seconds: number): Schedule => ({ kind: "every", intervalMs: seconds * 1_000 });
const search = (id: string, schedule: Schedule) => makeWatch(id, "search", { query: id }, { schedule });
const timeline = (id: string, count: number, schedule: Schedule, changes: Partial<Watch> = {}) =>
  makeWatch(id, "timeline", { accounts: Array.from({ length: count }, (_, i) => `id:${1_000 + i}`) }, { schedule, ...changes });

function forecastOf(watches: readonly Watch[], isGrouped = true): Forecast {
  const timetable = createTimetable();
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error(watch.type);
    return { watch, type, watchKey: watch.id, paused: false, targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []) };
  });
  const polls = planPolls(planned, { hash: sha256, timetable, nowMs: NOW });
  return createForecast(isGrouped ? groupPolls(polls, { hash: sha256 }) : polls, { timetable, nowMs: NOW });
}

/** Where nobody asks for freshness, nothing is planned again. */
const changesOf = (forecast: Forecast, limit: number) => findChanges(forecast, limit, () => expect.unreachable());

const kind = <K extends Change["kind"]>(changes: readonly Change[], wanted: K) =>
  changes.find((one): one is Extract<Change, { kind: K }> => one.kind === wanted);

describe("slowing down", () => {
  it("touches as few of the dearest watches as lose least, at the shortest usual interval that fits", () => {
    const forecast = forecastOf([search("slow", every(86_400)), search("fast", every(60)), search("faster", every(10))]);
    expect(dearest(forecast)).toEqual(["faster", "fast", "slow"]);
    expect(kind(changesOf(forecast, 90_000), "slower")).toMatchObject({ everyMs: 60_000, watches: [{ watchId: "faster" }] });
    expect(kind(changesOf(forecast, 10_000), "slower")).toMatchObject({
      everyMs: 600_000,
      requestsPerMonth: 8_670,
      watches: [{ watchId: "faster", requestsPerMonth: 4_320 }, { watchId: "fast" }],
    });
  });

  it("is not proposed when not even one poll a week fits", () => {
    expect(changesOf(forecastOf([search("a", every(60))]), 2)).toEqual([]);
  });

  it("says how late alerts are then", () => {
    expect(kind(changesOf(forecastOf([search("a", every(60))]), 10_000), "slower")?.delay).toEqual({ p50Ms: 150_000, p95Ms: 285_000 });
  });
});

describe("freshness", () => {
  const fresh = (id: string, count: number, freshness: Freshness) => timeline(id, count, evenSchedule(freshness), { freshness });
  const changesFor = (watches: readonly Watch[], limit: number) =>
    findChanges(forecastOf(watches), limit, (change) => forecastOf(watches.map(change)));

  it("is loosened as little as fits, by planning again, and no schedule is proposed instead", () => {
    const watches = [fresh("big", 1_000, { kind: "mean", meanMs: 60_000, maxMs: 600_000 })];
    const changes = changesFor(watches, 60_000);
    const change = kind(changes, "freshness");
    expect(kind(changes, "slower")).toBeUndefined();
    const [looser] = change?.watches ?? [];
    if (looser?.freshness.kind !== "mean") throw new Error("no mean");
    expect(looser.freshness.meanMs).toBeGreaterThan(60_000);
    expect(looser.freshness.maxMs).toBeGreaterThanOrEqual(4 * looser.freshness.meanMs);
    const after = forecastOf([fresh("big", 1_000, looser.freshness)]);
    expect(after.requestsPerMonth).toBeLessThanOrEqual(60_000);
    expect(change?.requestsPerMonth).toBeCloseTo(after.requestsPerMonth);
    expect(change?.delay).toEqual(after.watches.get("big")?.delay);
  });

  it("is left as it is where it asks for no more than that, and schedules stay the user's word", () => {
    const strict = fresh("strict", 300, { kind: "p95", p95Ms: 60_000 });
    const lax = makeWatch("lax", "timeline", { accounts: ["id:1"] }, { freshness: { kind: "p95", p95Ms: 604_800_000 } });
    const change = kind(changesFor([strict, lax, search("s", every(3_600))], 60_000), "freshness");
    expect(change?.watches.map(({ watchId }) => watchId)).toEqual(["strict"]);
  });

  it("is not proposed where no freshness fits", () => {
    const watches = [fresh("big", 100, { kind: "mean", meanMs: 60_000, maxMs: 600_000 }), search("s", every(60))];
    expect(kind(changesFor(watches, 20_000), "freshness")).toBeUndefined();
  });

  it("makes a list worth naming that is sooner than what would fit else", () => {
    const changes = changesFor([fresh("big", 1_000, { kind: "mean", meanMs: 60_000, maxMs: 600_000 })], 60_000);
    expect(changes[0]).toMatchObject({ kind: "list", handles: 1_000 });
  });
});

describe("a public list", () => {
  it("is cheapest where many accounts are read one by one, and says what the delay would be else", () => {
    const forecast = forecastOf([timeline("big", 1_000, every(30), { strategy: "single" })], false);
    const [first] = changesOf(forecast, 100_000);
    expect(first).toMatchObject({ kind: "list", watchId: "big", handles: 1_000, everyMs: 30_000 });
    expect(kind([first as Change], "list")?.delay.p50Ms).toBe(15_000);
    expect(kind([first as Change], "list")?.instead.p50Ms).toBeGreaterThan(10 * 60_000);
  });

  it("is read more slowly where its own schedule does not fit either", () => {
    const forecast = forecastOf([timeline("big", 1_000, every(30), { strategy: "single" })], false);
    expect(kind(changesOf(forecast, 20_000), "list")?.everyMs).toBe(180_000);
  });

  it("is not proposed where it is no faster than slowing down", () => {
    const forecast = forecastOf([timeline("merged", 12, every(60))]);
    expect(kind(changesOf(forecast, 40_000), "slower")?.everyMs).toBe(120_000);
    expect(kind(changesOf(forecast, 40_000), "list")).toBeUndefined();
  });

  it("is proposed for no handful of accounts, and for none that others share", () => {
    expect(kind(changesOf(forecastOf([timeline("few", 5, every(10))], false), 1_000), "list")).toBeUndefined();
    const shared = [timeline("one", 20, every(30)), timeline("two", 20, every(30))];
    expect(kind(changesOf(forecastOf(shared, false), 10_000), "list")).toBeUndefined();
  });
});

describe("reading whole less often", () => {
  it("is proposed where someone wrote how often, and loses no time", () => {
    const forecast = forecastOf([timeline("big", 400, every(300), { strategy: "probe", fullPollEveryMs: 1_800_000 })]);
    const limit = forecast.requestsPerMonth - 10_000;
    const change = kind(changesOf(forecast, limit), "full_poll");
    expect(change).toMatchObject({ watchIds: ["big"], lossMs: 0 });
    expect(change?.everyMs).toBeGreaterThan(1_800_000);
    const slower = forecastOf([timeline("big", 400, every(300), { strategy: "probe", fullPollEveryMs: change?.everyMs ?? 0 })]);
    expect(slower.requestsPerMonth).toBeLessThanOrEqual(limit);
    expect(slower.requestsPerMonth).toBeCloseTo(change?.requestsPerMonth ?? 0, 3);
  });
});

describe("low priority", () => {
  it("is the last resort: the daemon slows the dearest watches down by itself", () => {
    const forecast = forecastOf([search("a", every(60)), search("b", every(600))]);
    const changes = changesOf(forecast, 20_000);
    expect(changes.at(-1)).toMatchObject({ kind: "priority", watchIds: ["a"] });
    expect(kind(changes, "priority")?.factor).toBeCloseTo(43_200 / (20_000 - 4_320), 3);
  });

  it("is not proposed where it is low already", () => {
    const low = makeWatch("a", "search", { query: "a" }, { schedule: every(60), priority: "low" });
    expect(kind(changesOf(forecastOf([low]), 20_000), "priority")).toBeUndefined();
  });
});

describe("every change", () => {
  it("fits, and those that leave the plan alone come last", () => {
    const watch = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      seconds: fc.integer({ min: 5, max: 5_000 }),
      isGrouped: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(watch, { minLength: 1, maxLength: 5 }), fc.integer({ min: 10, max: 200_000 }), (specs, limit) => {
        const watches = specs.map(({ count, seconds }, i) => timeline(`w${i}`, count, every(seconds)));
        const forecast = forecastOf(watches, specs[0]?.isGrouped);
        if (forecast.requestsPerMonth <= limit) return;
        const changes = changesOf(forecast, limit);
        for (const change of changes) expect(change.requestsPerMonth).toBeLessThanOrEqual(limit + 1e-6);
        const losses = changes.map(({ lossMs }) => lossMs);
        expect(losses).toEqual([...losses].sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });
});
