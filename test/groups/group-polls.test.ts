import { describe, expect, it } from "vitest";
import type { Freshness } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { assumeTargets, createForecast } from "../../src/forecast/forecast.ts";
import { groupPolls } from "../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { userIdOf } from "../../src/plan/poll.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const every = (seconds: number) => ({ kind: "every", intervalMs: seconds * 1_000 }) as const;
const ids = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `id:${1_000 + from + i}`);
const timeline = (id: string, accounts: readonly string[], changes: WatchChanges = {}) =>
  makeWatch(id, "timeline", { accounts }, { schedule: every(120), ...changes });

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
  return groupPolls(
    planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs: NOW }),
    { hash: sha256 },
  );
}
const groupsOf = (...watches: readonly Watch[]) =>
  polls(...watches).filter(({ group }) => group !== undefined);

describe("accounts of one schedule", () => {
  it("are one poll, whatever watches they come from, and share the accounts they have in common", () => {
    const [group, ...others] = polls(timeline("a", ids(40)), timeline("b", ids(40, 20)));
    expect(others).toEqual([]);
    expect(group?.group?.members).toHaveLength(60);
    expect(new Set(group?.group?.members.map(userIdOf)).size).toBe(60);
    expect(group?.subscribers).toHaveLength(80);
  });

  it("stay single polls where there is but one, and where the user says so", () => {
    expect(groupsOf(timeline("a", ids(1)))).toEqual([]);
    expect(groupsOf(timeline("a", ids(50), { strategy: "single" }))).toEqual([]);
    // A subscriber that asks for a request of its own gets one for the accounts it shares with
    // others.
    const [group] = groupsOf(
      timeline("a", ids(50)),
      timeline("b", ids(10), { strategy: "single" }),
    );
    expect(group?.group?.members).toHaveLength(40);
  });

  it("are apart from those of another schedule, priority or strategy override", () => {
    const groups = groupsOf(
      timeline("a", ids(5)),
      timeline("b", ids(5, 10), { schedule: every(60) }),
      timeline("c", ids(5, 20), { priority: "low" }),
      timeline("d", ids(5, 30), { strategy: "probe" }),
    );
    expect(groups.map(({ group }) => group?.members.length)).toEqual([5, 5, 5, 5]);
  });

  it("keep their group's key when accounts come and go", () => {
    const [before] = groupsOf(timeline("a", ids(5)));
    const [after] = groupsOf(timeline("a", ids(50, 3)));
    expect(after?.key).toBe(before?.key);
  });

  it("cost a fraction of single polls", () => {
    const [group] = groupsOf(timeline("a", ids(1_000)));
    expect(group?.group?.kind).toBe("accounts");
    expect(1_000 / (group?.costRequests ?? 0)).toBeGreaterThan(75);
  });
});

describe("accounts of two intervals", () => {
  const minutes = (count: number) => ({ schedule: every(60 * count) });

  it("are read at the shorter one, with those who want that anyway", () => {
    const [group, ...others] = polls(
      timeline("a", ids(10), minutes(7)),
      timeline("b", ids(20), minutes(5)),
    );
    expect(others).toEqual([]);
    expect(group?.timing).toEqual({ kind: "schedule", schedules: [every(300)] });
    expect(group?.group?.members).toHaveLength(20);
  });

  it("share the requests of accounts that are due at the same time", () => {
    const profiles = makeWatch("p", "profile", { accounts: ids(60) }, minutes(10));
    const all = polls(
      timeline("a", ids(60), minutes(10)),
      timeline("b", ids(10), minutes(5)),
      profiles,
    );
    const probes = all.reduce(
      (sum, { group, intervalMs }) => sum + ((group?.probesPerRun ?? 0) * 86_400_000) / intervalMs,
      0,
    );
    const forecast = createForecast(all, { timetable: createTimetable(), nowMs: NOW });
    // The ledger counts one request every five minutes.
    expect(probes).toBe(288);
    expect(forecast.watches.get("p")?.requestsPerDay).toBe(0);
  });
});

describe("freshness", () => {
  const mean = { kind: "mean", meanMs: 60_000, maxMs: 3_600_000 } as const;

  it("takes the place of the schedule, and costs less than one that is as fresh", () => {
    const [fresh] = groupsOf(timeline("a", ids(1_000), { freshness: mean }));
    const [scheduled] = groupsOf(timeline("a", ids(1_000)));
    expect(fresh?.timing).toEqual({ kind: "freshness", freshness: mean });
    expect(fresh?.intervalMs).toBe(120_000);
    expect(fresh?.costRequests).toBeLessThanOrEqual(scheduled?.costRequests ?? 0);
  });

  it("is the strictest of the subscribers', and none where one of them has a schedule", () => {
    const strict = { kind: "p95", p95Ms: 30_000 } as const;
    const [shared] = groupsOf(
      timeline("a", ids(5), { freshness: mean }),
      timeline("b", ids(5), { freshness: strict }),
    );
    expect(shared?.timing).toEqual({ kind: "freshness", freshness: strict });
    const [scheduled] = groupsOf(timeline("a", ids(5), { freshness: mean }), timeline("b", ids(5)));
    expect(scheduled?.timing.kind).toBe("schedule");
  });

  it("is what the forecast says of delays", () => {
    const delayOf = (freshness: Freshness | undefined) => {
      const all = polls(timeline("a", ids(100), freshness === undefined ? {} : { freshness }));
      return createForecast(all, { timetable: createTimetable(), nowMs: NOW }).watches.get("a")
        ?.delay;
    };
    expect(delayOf({ kind: "p95", p95Ms: 60_000 })?.p95Ms).toBeCloseTo(60_000);
    expect(delayOf(mean)?.p50Ms).toBeLessThan(60_000);
    expect(delayOf(undefined)?.p95Ms).toBe(114_000);
  });

  it("is what the forecast says of the next runs: rounds of a p95 come evenly, however many probes they take", () => {
    const [poll] = polls(timeline("a", ids(1_000), { freshness: { kind: "p95", p95Ms: 60_000 } }));
    const { watches } = createForecast(poll === undefined ? [] : [poll], {
      timetable: createTimetable(),
      nowMs: NOW,
    });
    expect(poll?.group?.kind).toBe("accounts");
    expect(watches.get("a")?.nextRunsMs.slice(0, 3)).toEqual(
      [58_000, 116_000, 174_000].map((ms) => NOW + ms),
    );
  });

  it("groups even one account", () => {
    expect(groupsOf(timeline("a", ids(1), { freshness: mean }))).toHaveLength(1);
  });

  it("reads one account's timeline for a p95, unless profiles are asked for anyway", () => {
    const one = timeline("a", ids(1), { freshness: { kind: "p95", p95Ms: 60_000 } });
    expect(polls(one)).toMatchObject([{ source: { endpoint: "user-tweets" }, intervalMs: 60_000 }]);
    expect(groupsOf(one)).toEqual([]);
    expect(groupsOf(one, makeWatch("b", "profile", { accounts: ids(2) }))).toHaveLength(1);
    expect(groupsOf(one, makeWatch("b", "search", { query: "acme" }))).toEqual([]);
    expect(groupsOf(one, timeline("b", ids(5, 10)))).toHaveLength(2);
    expect(groupsOf({ ...one, strategy: "probe" })).toHaveLength(1);
  });
});
