import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../src/model/schedule.ts";
import type { Watch } from "../../../src/model/watch.ts";
import { assumeTargets, createForecast } from "../../../src/forecast/forecast.ts";
import { groupPolls } from "../../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { type ListGroupDeps, listsOf } from "../../../src/groups/member-lists/list-groups.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const every = (seconds: number) => ({ kind: "every", intervalMs: seconds * 1_000 }) as const;
const ids = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `id:${1_000 + from + i}`);
const watchOf = (
  id: string,
  type: string,
  accounts: readonly string[],
  changes: WatchChanges = {},
) => makeWatch(id, type, { accounts }, { schedule: every(60), ...changes });

function polls(watches: readonly Watch[], deps: Partial<ListGroupDeps> = {}) {
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
  return groupPolls(
    planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs: NOW }),
    { hash: sha256, ...deps },
  );
}
const forecastOf = (watches: readonly Watch[], deps: Partial<ListGroupDeps> = {}) =>
  createForecast(polls(watches, deps), { timetable: createTimetable(), nowMs: NOW });

describe("lists of one schedule", () => {
  it("are one poll, of whatever list, and one request a tick while they are quiet", () => {
    const watches = [
      watchOf("a", "new_followers", ids(60)),
      watchOf("b", "following", ids(40, 60)),
    ];
    const [group, ...others] = polls(watches);
    expect(others).toEqual([]);
    expect(group?.group?.members).toHaveLength(100);
    expect(group?.group?.probesPerRun).toBe(1);
    // The cost assumes one change a day for each list.
    expect(group?.costRequests).toBeCloseTo(1 + 100 / 1_440);
  });

  it("say in the plan how they are read, what that costs and how late it is", () => {
    const forecast = forecastOf([watchOf("a", "new_followers", ids(100))]);
    const part = forecast.watches.get("a");
    expect(part?.strategies).toEqual(["probe"]);
    // The range covers a probe for each tick, one to 24 changes of each list, and up to 222 changes
    // of one of them.
    expect(part?.range).toEqual({
      low: expect.closeTo(1_540 * 30, 3),
      high: expect.closeTo(1.1 * (1_440 + 99 * 24 + 222) * 30, 3),
    });
    expect(part?.delay.p95Ms).toBe(57_000);
    const single = forecastOf([watchOf("a", "new_followers", ids(100), { strategy: "single" })]);
    expect(single.watches.get("a")?.requestsPerDay).toBe(144_000);
  });

  it("are split among their watches by what each list takes: a long one that is read on and on is not paid for by the short ones", () => {
    const watches = [watchOf("long", "followers", ids(2)), watchOf("short", "following", ids(20))];
    const pagesOf = ({ source }: { readonly source: { readonly endpoint: string } }) =>
      source.endpoint === "followers" ? 8 : 1;
    const { watches: parts, requestsPerDay } = forecastOf(watches, { pagesOf });
    const [long, short] = [
      parts.get("long")?.requestsPerDay ?? 0,
      parts.get("short")?.requestsPerDay ?? 0,
    ];
    expect(long + short).toBeCloseTo(requestsPerDay);
    expect(long / short).toBeCloseTo((2 * 8) / 20, 1);
    const shared = forecastOf([...watches, watchOf("both", "followers", ids(1))], {
      pagesOf,
    }).watches;
    expect(shared.get("both")?.requestsPerDay).toBeCloseTo(long / 4, 0);
    expect(shared.get("long")?.requestsPerDay).toBeCloseTo((long * 3) / 4, 0);
  });

  it("stay single polls where there is one short list, and where the user says so", () => {
    expect(polls([watchOf("a", "new_followers", ids(1))])[0]?.group).toBeUndefined();
    expect(
      polls([watchOf("a", "new_followers", ids(3), { strategy: "single" })]).every(
        ({ group }) => group === undefined,
      ),
    ).toBe(true);
    expect(
      polls([watchOf("a", "new_followers", ids(1), { strategy: "probe" })])[0]?.group?.kind,
    ).toBe("member-lists");
  });

  it("that no counter shows are left alone", () => {
    expect(
      polls([watchOf("a", "top_followers", ids(5))]).every(({ group }) => group === undefined),
    ).toBe(true);
  });

  it("are probed even alone where a read takes many requests", () => {
    const [group] = polls([watchOf("a", "followers", ids(1))], { pagesOf: () => 40 });
    expect(group?.group?.kind).toBe("member-lists");
    expect(group?.costRequests).toBeLessThan(1.2);
  });
});

describe("accounts that others ask for on the same schedule", () => {
  const probesOf = (watches: readonly Watch[]) =>
    polls(watches).reduce(
      (sum, { group, source, costRequests, intervalMs }) =>
        sum +
        ((group?.probesPerRun ?? (source.endpoint === "info-batch" ? costRequests : 0)) *
          86_400_000) /
          intervalMs,
      0,
    );

  it("cost nothing more, and others as little as fits beside them", () => {
    const timelines = watchOf("t", "timeline", ids(50));
    expect(probesOf([timelines, watchOf("f", "new_followers", ids(50))])).toBe(1_440);
    expect(
      probesOf([
        timelines,
        watchOf("f", "new_followers", ids(50, 50)),
        watchOf("p", "profile", ids(30, 20)),
      ]),
    ).toBe(1_440);
    expect(probesOf([timelines, watchOf("f", "new_followers", ids(60, 50))])).toBe(2_880);
  });

  it("of another schedule cost what does not fit, where all their ticks meet, and else as much as by themselves", () => {
    const timelines = watchOf("t", "timeline", ids(50));
    const withOthers = (count: number, schedule: Schedule) =>
      probesOf([timelines, watchOf("f", "new_followers", ids(count, 50), { schedule })]);
    expect(withOthers(50, every(90))).toBeCloseTo(1_440 + 960, 6);
    expect(withOthers(50, every(300))).toBeCloseTo(1_440, 6);
    expect(withOthers(60, every(300))).toBeCloseTo(1_440 + 288, 6);
    expect(
      withOthers(50, { kind: "cron", pattern: "*/5 * * * *", timezone: "Asia/Kathmandu" }),
    ).toBeCloseTo(1_440, 6);
    // The ticks of the first schedule begin at an unknown time. Those of the second come every few
    // seconds and are not moved.
    expect(withOthers(50, every(1_200))).toBeCloseTo(1_440 + 72, 6);
    expect(withOthers(50, every(5))).toBeCloseTo(1_440 + 17_280, 6);
  });

  it("cost nothing as profiles either, where they fit in", () => {
    const watches = [
      watchOf("t", "timeline", ids(50)),
      watchOf("p", "profile", ids(50, 50), { schedule: every(300) }),
    ];
    const [alone, both] = [forecastOf(watches.slice(0, 1)), forecastOf(watches)].map(
      ({ requestsPerDay }) => requestsPerDay,
    );
    expect(both).toBeCloseTo(alone ?? 0, 6);
  });

  it("are due at the same moment", () => {
    const hourly = watchOf("h", "following", ids(50), {
      schedule: { kind: "cron", pattern: "0 * * * *", timezone: "UTC" },
    });
    const all = polls([
      watchOf("t", "timeline", ids(50)),
      watchOf("f", "new_followers", ids(50)),
      watchOf("p", "profile", ids(50)),
      hourly,
    ]);
    expect(new Set(all.map(({ spreadMs }) => spreadMs)).size).toBe(1);
  });

  it("let even one list be probed", () => {
    const forecast = forecastOf([
      watchOf("t", "timeline", ids(50)),
      watchOf("f", "new_followers", ids(1)),
    ]);
    expect(forecast.polls.map(({ strategy }) => strategy)).toEqual(["probe", "probe"]);
  });
});

describe("lists that move often", () => {
  const DAY = 86_400_000;
  const costOf = (
    changes: readonly number[],
    watch: WatchChanges = {},
    pages: readonly number[] = [],
  ) => {
    const [poll] = polls(
      [watchOf("a", "followers", ids(changes.length), { strategy: "probe" })],
      {},
    );
    if (poll?.group === undefined) throw new Error("no group");
    const group = { ...poll.group, override: watch.strategy ?? "auto" };
    const placeOf = new Map(group.members.map(({ key }, index) => [key, index]));
    const lists = listsOf(
      { ...poll, group },
      {
        rateOf: (key) => changes[placeOf.get(key) ?? -1],
        pagesOf: ({ key }) => pages[placeOf.get(key) ?? -1],
      },
    );
    const isProbed = lists.some(({ isReadEveryTick }) => !isReadEveryTick);
    const requests = lists.reduce(
      (sum, { readsPerDay }) => sum + readsPerDay,
      isProbed ? DAY / poll.intervalMs : 0,
    );
    return { requests, aside: lists.map(({ isReadEveryTick }) => isReadEveryTick) };
  };

  it("are read at every tick, beside the probes of the others", () => {
    expect(costOf([1_400, 1, 0.1]).aside).toEqual([true, false, false]);
  });

  it("are probed all the same where the user says so", () => {
    expect(costOf([1_400, 1_440, 5_000]).aside).toEqual([true, true, true]);
    expect(costOf([1_400, 1_440, 5_000], { strategy: "probe" }).aside).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("never cost more than to read each at every tick, or to probe all of them, but for a probe a tick", () => {
    const lists = fc.array(
      fc.record({
        reads: fc.double({ min: 0, max: 2_000, noNaN: true }),
        length: fc.integer({ min: 1, max: 5 }),
      }),
      {
        minLength: 1,
        maxLength: 100,
      },
    );
    fc.assert(
      fc.property(lists, (all) => {
        const [reads, pages] = [all.map((one) => one.reads), all.map(({ length }) => length)];
        const single = pages.reduce((sum, length) => sum + length, 0) * 1_440;
        const { requests } = costOf(reads, {}, pages);
        expect(requests).toBeLessThanOrEqual(single + 1_440);
        expect(requests).toBeLessThanOrEqual(
          costOf(reads, { strategy: "probe" }, pages).requests + 1_440,
        );
      }),
    );
  });
});
