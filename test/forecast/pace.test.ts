import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Priority, Schedule } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { createCostModel } from "../../src/forecast/cost.ts";
import { assumeTargets, createForecast } from "../../src/forecast/forecast.ts";
import { groupPolls } from "../../src/groups/group-polls.ts";
import { daysSince, planPace, pricePolls } from "../../src/forecast/pace.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import type { Poll } from "../../src/plan/poll.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const timetable = createTimetable();
const EVEN = { high: 1, normal: 1, low: 1 };

function pollsOf(watches: readonly Watch[]): readonly Poll[] {
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
  return groupPolls(planPolls(planned, { hash: sha256, timetable, nowMs: NOW }), { hash: sha256 });
}

const paceOf = (polls: readonly Poll[], factors: Readonly<Record<Priority, number>>) =>
  planPace(pricePolls(polls, createCostModel({ timetable }), NOW), factors);

const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc
    .integer({ min: 5, max: 90_000 })
    .map((seconds): Schedule => ({ kind: "every", intervalMs: seconds * 1_000 })),
  fc
    .constantFrom("*/5 * * * *", "7 */6 * * *", "0 9-17 * * 1-5")
    .map((pattern): Schedule => ({ kind: "cron", pattern, timezone: "UTC" })),
);
const watchSpecs = fc.array(
  fc.record({
    schedule,
    accounts: fc.integer({ min: 0, max: 30 }),
    priority: fc.constantFrom<Priority>("high", "normal", "low"),
  }),
  { maxLength: 6 },
);
const watchesOf = (
  specs: readonly { schedule: Schedule; accounts: number; priority: Priority }[],
): readonly Watch[] =>
  specs.map(({ accounts, ...changes }, i) =>
    accounts === 0
      ? makeWatch(`w${i}`, "search", { query: `q${i % 2}` }, changes)
      : makeWatch(
          `w${i}`,
          "timeline",
          { accounts: Array.from({ length: accounts }, (_, n) => `id:${100 + n}`) },
          changes,
        ),
  );

describe("the forecast that the daemon uses", () => {
  it("is what the plan says, in total and watch by watch, whatever is watched", () => {
    fc.assert(
      fc.property(watchSpecs, (specs) => {
        const polls = pollsOf(watchesOf(specs));
        const forecast = createForecast(polls, { timetable, nowMs: NOW });
        const pace = paceOf(polls, EVEN);
        expect(pace.askedPerDay).toBeCloseTo(forecast.requestsPerDay, 6);
        expect(pace.pacedPerDay).toBeCloseTo(pace.askedPerDay, 6);
        expect([...pace.watches.keys()].sort()).toEqual([...forecast.watches.keys()].sort());
        for (const [id, own] of pace.watches)
          expect(own.askedPerDay).toBeCloseTo(forecast.watches.get(id)?.requestsPerDay ?? -1, 6);
      }),
      { numRuns: 5 },
    );
  });

  it("falls with the slow-down factor of each priority", () => {
    const every = (seconds: number): Schedule => ({ kind: "every", intervalMs: seconds * 1_000 });
    const polls = pollsOf([
      makeWatch(
        "a",
        "search",
        { query: "a" },
        { schedule: every(60), priority: "high", strategy: "single" },
      ),
      makeWatch(
        "b",
        "search",
        { query: "b" },
        { schedule: every(60), priority: "low", strategy: "single" },
      ),
    ]);
    const pace = paceOf(polls, { ...EVEN, low: 4 });
    expect(pace).toMatchObject({
      askedPerDay: 2_880,
      pacedPerDay: 1_440 + 360,
      pacedPagesPerDay: 0,
    });
    expect(pace.watches.get("b")).toEqual({ askedPerDay: 1_440, pacedPerDay: 360 });
  });
});

it("knows how much of an average day has passed by the ticks of a pattern, of which some days have none", () => {
  const [weekdays, even] = [
    pollsOf([
      makeWatch(
        "w",
        "search",
        { query: "w" },
        { schedule: { kind: "cron", pattern: "*/10 9-16 * * 1-5", timezone: "UTC" } },
      ),
    ]),
    pollsOf([
      makeWatch(
        "e",
        "search",
        { query: "e" },
        { schedule: { kind: "every", intervalMs: 600_000 } },
      ),
    ]),
  ];
  const passed = (polls: readonly Poll[], fromMs: number, toMs: number) => {
    const [priced] = pricePolls(polls, createCostModel({ timetable }), NOW);
    return priced === undefined
      ? 0
      : daysSince(timetable, fromMs, toMs)(priced) * priced.pollsPerDay;
  };
  const [thursday, saturday] = [Date.UTC(2026, 0, 15), Date.UTC(2026, 0, 17)];
  const hour = (day: number, from: number) =>
    [day + from * 3_600_000 - 1, day + (from + 1) * 3_600_000 - 1] as const;
  expect(passed(weekdays, ...hour(thursday, 9))).toBeCloseTo(6);
  expect(passed(weekdays, ...hour(thursday, 20))).toBe(0);
  expect(passed(weekdays, ...hour(saturday, 9))).toBe(0);
  expect(passed(even, ...hour(saturday, 9))).toBeCloseTo(6);
});
