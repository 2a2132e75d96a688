import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Schedule } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { findChanges } from "../../src/forecast/advice/cheaper.ts";
import {
  assumeTargets,
  createForecast,
  delayOf,
  type Forecast,
} from "../../src/forecast/forecast.ts";
import { fullReadPages } from "../../src/plan/polls/full-read.ts";
import { groupPolls } from "../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { scheduleOf } from "../../src/plan/timing.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const every = (seconds: number): Schedule => ({ kind: "every", intervalMs: seconds * 1_000 });
const search = (id: string, schedule: Schedule, query = id) =>
  makeWatch(id, "search", { query }, { schedule });
const timeline = (
  id: string,
  accounts: readonly string[],
  schedule: Schedule,
  changes: WatchChanges = {},
) => makeWatch(id, "timeline", { accounts } as JsonObject, { schedule, ...changes });

function forecastOf(...watches: readonly Watch[]): Forecast {
  const timetable = createTimetable();
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
  return createForecast(planPolls(planned, { hash: sha256, timetable, nowMs: NOW }), {
    timetable,
    nowMs: NOW,
  });
}

describe("requests", () => {
  it("one search a minute costs 43,200 requests a month", () => {
    expect(forecastOf(search("a", every(60)))).toMatchObject({
      requestsPerDay: 1_440,
      requestsPerMonth: 43_200,
      sweepsPerDay: 0,
    });
  });

  it("follows cron patterns", () => {
    const forecast = forecastOf(
      search("a", { kind: "cron", pattern: "7 */6 * * *", timezone: "UTC" }),
    );
    expect(forecast.requestsPerDay).toBeCloseTo(4);
  });

  it("counts one poll for every account whose id nobody knows yet", () => {
    expect(forecastOf(timeline("t", ["alice", "bob", "id:7"], every(3_600))).polls).toHaveLength(3);
  });

  it("bills a rescan of an unknown list that cannot be bounded once per overlap, and none where polls are rarer than that", () => {
    const community = (seconds: number) =>
      makeWatch(
        "c",
        "community_tweets",
        { community: "1493446837214187523" },
        { schedule: every(seconds) },
      );
    expect(forecastOf(community(60)).sweepsPerDay).toBe(96);
    // The low bound assumes that the first page covers the overlap, which is not known.
    expect(forecastOf(community(60)).range).toEqual({ low: 1_440 * 30, high: (1_440 + 96) * 30 });
    expect(forecastOf(community(900)).sweepsPerDay).toBe(0);
  });

  it("bills no rescan of a timeline whose first page reaches deeper than that", () => {
    expect(forecastOf(timeline("t", ["alice"], every(60))).requestsPerDay).toBe(1_440);
  });

  it("bills the daily check of a list that accounts are read through, and at most a request a tick for those it may lack, once for all its watches", () => {
    const accounts = Array.from({ length: 201 }, (_, i) => `id:${100 + i}`);
    const listed = (id: string, few: readonly string[]) =>
      makeWatch(
        id,
        "timeline",
        { accounts: few, via_list: "1585430245762441216" },
        { schedule: every(3_600) },
      );
    const range = {
      low: expect.closeTo(26 * 30) as number,
      high: expect.closeTo((26 + 24) * 30) as number,
    };
    expect(forecastOf(listed("a", accounts)).range).toEqual(range);
    expect(forecastOf(listed("a", accounts), listed("b", accounts.slice(0, 3))).range).toEqual(
      range,
    );
    expect(
      forecastOf(makeWatch("l", "list_tweets", { list: "77" }, { schedule: every(3_600) }))
        .requestsPerDay,
    ).toBeCloseTo(24);
  });

  it("adds the daily full read of a long list, less the page that is read anyway", () => {
    const timetable = createTimetable();
    const { polls } = forecastOf(search("a", every(86_400)));
    const forecast = createForecast(
      polls.map(({ poll }) => poll),
      { timetable, nowMs: NOW, pagesOf: () => 5 },
    );
    expect(forecast.requestsPerDay).toBe(5);
  });

  const knownOf = (watch: Watch, memory: JsonObject) => {
    const [target] = assumeTargets(watch.id, [{ key: "@acme", name: "acme", userId: "7" }], []);
    if (target === undefined) throw new Error("no target");
    return [
      {
        key: watch.id,
        id: watch.id,
        type: watch.type,
        registeredAtMs: 0,
        paused: false,
        targets: [{ ...target, memory }],
        knownItems: 900,
        accounts: {},
      },
    ];
  };
  const billOf = (type: string, memory: JsonObject, schedule: Schedule, maxPages = 10) => {
    const watch = makeWatch("w", type, { accounts: ["acme"] }, { schedule, maxPages });
    const [one] = forecastOf(watch).polls;
    if (one === undefined) throw new Error("no poll");
    const pagesOf = (poll: typeof one.poll) => fullReadPages(poll, knownOf(watch, memory));
    return createForecast([one.poll], { timetable: createTimetable(), nowMs: NOW, pagesOf });
  };

  it("bills a list whose leaving is reported a request a page with every poll, by the pages of its last whole read", () => {
    expect(billOf("followers", { pages: 7 }, every(3_600)).requestsPerDay).toBe(24 * 7);
    expect(billOf("followers", {}, every(3_600)).requestsPerDay).toBe(24 * 5);
    // 25 pages take three polls of at most 10.
    expect(billOf("followers", { pages: 25 }, every(3_600)).requestsPerDay).toBeCloseTo(
      (24 * 25) / 3,
    );
    expect(billOf("verified_followers", { pages: 3 }, every(86_400)).requestsPerDay).toBe(3);
  });

  it("takes a list for one page that was read whole and left no number, though the members known of its watch are many", () => {
    expect(billOf("followers", { baseline_of: "all" }, every(3_600)).requestsPerDay).toBe(24);
    expect(billOf("followers", {}, every(3_600)).requestsPerDay).toBeGreaterThan(24);
  });

  it("bills the whole read of a list of newcomers once a day, or with every rarer poll", () => {
    const all = (schedule: Schedule) =>
      makeWatch("w", "new_followers", { accounts: ["acme"], source: "all" }, { schedule });
    const cost = (schedule: Schedule, pages = 7) => {
      const [one] = forecastOf(all(schedule)).polls;
      if (one === undefined) throw new Error("no poll");
      return createForecast([one.poll], {
        timetable: createTimetable(),
        nowMs: NOW,
        pagesOf: () => pages,
      }).requestsPerDay;
    };
    expect(cost(every(3_600))).toBe(24 + 6);
    // A poll reads ten pages because of `max_pages`, and the day has room for no more.
    expect(cost(every(3_600), 300)).toBe(24 * 10);
    expect(cost(every(2 * 86_400))).toBe(0.5 * 7);
  });

  it("finds a cheaper plan for a list that every poll reads whole", () => {
    const goal = {
      before: billOf("followers", { pages: 7 }, every(3_600)),
      limit: 7 * 30,
      replan: (change: (watch: Watch) => Watch) =>
        billOf(
          "followers",
          { pages: 7 },
          scheduleOf(change(makeWatch("w", "followers", { accounts: ["acme"] })).timing),
        ),
      intervalMs: () => 3_600_000,
      slowestMs: () => Number.POSITIVE_INFINITY,
      throughList: () => expect.unreachable(),
    };
    expect(findChanges(goal)[0]).toMatchObject({
      kind: "slower",
      watches: [{ timing: { kind: "schedule", schedule: every(86_400) } }],
      requestsPerMonth: 7 * 30,
    });
  });
});

describe("sharing", () => {
  it("counts a shared poll once in the total and splits it among its subscribers", () => {
    const forecast = forecastOf(search("a", every(60), "acme"), search("b", every(60), "acme"));
    expect(forecast.requestsPerDay).toBe(1_440);
    expect(forecast.watches.get("a")).toMatchObject({
      requestsPerDay: 720,
      sharedWith: ["b"],
      sharers: 1,
    });
  });

  it("names the first of many subscribers and counts them all", () => {
    const watches = Array.from({ length: 30 }, (_, i) => search(`w${i}`, every(60), "acme"));
    const forecast = forecastOf(...watches, search("alone", every(60), "other"));
    for (const { id } of watches) {
      const own = forecast.watches.get(id);
      expect(own?.sharers).toBe(29);
      expect(new Set(own?.sharedWith).size).toBe(20);
      expect(own?.sharedWith).not.toContain(id);
    }
    expect(forecast.watches.get("alone")).toMatchObject({ sharedWith: [], sharers: 0 });
  });

  it("takes the fastest of several intervals", () => {
    expect(
      forecastOf(search("a", every(60), "acme"), search("b", every(300), "acme")).pollsPerDay,
    ).toBeCloseTo(1_440);
  });

  it("adds the ticks of patterns that do not coincide, and those that do only once", () => {
    const cron = (pattern: string): Schedule => ({ kind: "cron", pattern, timezone: "UTC" });
    expect(
      forecastOf(search("a", cron("0 * * * *"), "acme"), search("b", cron("30 * * * *"), "acme"))
        .pollsPerDay,
    ).toBeCloseTo(48);
    expect(
      forecastOf(search("a", cron("0 * * * *"), "acme"), search("b", cron("0 */2 * * *"), "acme"))
        .pollsPerDay,
    ).toBeCloseTo(24);
  });

  it("parts always add up to the total", () => {
    const watch = fc.record({
      query: fc.constantFrom("x", "y", "z"),
      seconds: fc.integer({ min: 1, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(watch, { maxLength: 8 }), (specs) => {
        const forecast = forecastOf(
          ...specs.map(({ query, seconds }, index) => search(`w${index}`, every(seconds), query)),
        );
        const parts = [...forecast.watches.values()].reduce(
          (sum, { requestsPerDay }) => sum + requestsPerDay,
          0,
        );
        expect(parts).toBeCloseTo(forecast.requestsPerDay, 3);
      }),
    );
  });
});

describe("counted days", () => {
  it("scale the watch whose days they are, to one figure", () => {
    const fresh = (id: string) =>
      makeWatch(
        id,
        "search",
        { query: id },
        { schedule: every(60), freshness: { kind: "mean", meanMs: 60_000, maxMs: 3_600_000 } },
      );
    const { polls } = forecastOf(fresh("a"), fresh("b"));
    const planned = polls.map(({ poll }) => poll);
    const ratioOf = (id: string) => (id === "a" ? 0.7 : undefined);
    const [before, after] = [undefined, ratioOf].map((ratio) =>
      createForecast(planned, {
        timetable: createTimetable(),
        nowMs: NOW,
        ...(ratio === undefined ? {} : { ratioOf: ratio }),
      }),
    );
    expect(before?.watches.get("a")).toMatchObject({
      basis: "assumed",
      assumptions: ["pace", "pages"],
    });
    expect(before?.watches.get("a")?.range).toEqual({ low: 720 * 0.5 * 30, high: 720 * 1.1 * 30 });
    expect(after?.watches.get("a")).toMatchObject({ basis: "counted", assumptions: [] });
    const month = (before?.watches.get("a")?.requestsPerMonth ?? 0) * 0.7;
    expect(after?.watches.get("a")?.range).toEqual({ low: month, high: month });
    expect(after?.watches.get("b")).toEqual(before?.watches.get("b"));
    expect(after?.requestsPerMonth).toBeCloseTo(
      month + (before?.watches.get("b")?.requestsPerMonth ?? 0),
    );
  });
});

describe("delay", () => {
  it("of an even schedule is half the interval, and 95% of it at worst but one in twenty", () => {
    expect(delayOf([300_000])).toEqual({ p50Ms: 150_000, p95Ms: 285_000 });
  });

  it("counts a long pause by the items that fall into it", () => {
    // There are nine polls an hour apart, then none for 15 hours, so most items wait through the
    // night.
    const { p50Ms } = delayOf([...Array.from({ length: 9 }, () => 3_600_000), 15 * 3_600_000]);
    expect(p50Ms).toBe(3 * 3_600_000);
  });

  it("is never longer than the longest gap", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1 }), (gaps) => {
        const { p50Ms, p95Ms } = delayOf(gaps);
        expect(p50Ms).toBeLessThanOrEqual(p95Ms);
        expect(p95Ms).toBeLessThanOrEqual(Math.max(...gaps));
      }),
    );
  });

  it("is the configured one if freshness places the probes", () => {
    const accounts = Array.from({ length: 20 }, (_, i) => `id:${100 + i}`);
    const freshness = { kind: "mean", meanMs: 60_000, maxMs: 300_000 } as const;
    const watch = makeWatch("w", "timeline", { accounts }, { schedule: every(3_600), freshness });
    const polls = forecastOf(watch).polls.map(({ poll }) => poll);
    const forecast = createForecast(groupPolls(polls, { hash: sha256 }), {
      timetable: createTimetable(),
      nowMs: NOW,
    });
    const delay = forecast.watches.get("w")?.delay;
    expect(delay?.p50Ms).toBeLessThan(60_000);
    expect(delay?.p95Ms).toBeGreaterThan(60_000);
    expect(delay?.p95Ms).toBeLessThan(300_000);
    const runs = forecast.watches.get("w")?.nextRunsMs ?? [];
    expect(runs).toHaveLength(5);
    // Runs are about as frequent as with even intervals.
    expect((runs.at(-1) ?? 0) - NOW).toBe(5 * 120_000);
  });

  it("lists the next five runs with their spread", () => {
    const forecast = forecastOf(search("a", every(5)));
    expect(forecast.watches.get("a")?.nextRunsMs).toEqual(
      [5, 10, 15, 20, 25].map((seconds) => NOW + seconds * 1_000),
    );
  });

  it("come where the daemon counts them from: short intervals of profiles from the epoch", () => {
    const nowMs = NOW + 17_000;
    const runsOf = (seconds: number) => {
      const timetable = createTimetable();
      const [one] = forecastOf(
        makeWatch("p", "profile", { accounts: ["id:1"] }, { schedule: every(seconds) }),
      ).polls;
      if (one === undefined) throw new Error("no poll");
      const runs = createForecast([one.poll], { timetable, nowMs }).polls[0]?.nextRunsMs ?? [];
      return runs.map((runMs) => (runMs - one.poll.spreadMs - NOW) / 1_000);
    };
    expect(runsOf(120)).toEqual([120, 240, 360, 480, 600]);
    expect(runsOf(1_800)[0]).toBe(1_817);
  });
});
