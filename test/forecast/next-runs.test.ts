import { describe, expect, it } from "vitest";
import type { Schedule } from "../../src/model/schedule.ts";
import { assumeTargets, createForecast } from "../../src/forecast/forecast.ts";
import { groupPolls } from "../../src/groups/group-polls.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const HOUR = 3_600_000;
const every = (intervalMs: number): Schedule => ({ kind: "every", intervalMs });

/** Returns the runs of one watch after `NOW`, without its spread, in ms from `NOW`. */
function runsOf(
  type: string,
  settings: object,
  schedule: Schedule,
  lastPolledMs?: (spreadMs: number) => number,
) {
  const watch = makeWatch("w", type, settings as never, { schedule });
  const found = WATCH_TYPES.find((one) => one.type === type);
  if (found === undefined) throw new Error(type);
  const targets = assumeTargets("w", targetsOf(sha256, watch, found), []);
  const timetable = createTimetable();
  const deps = { hash: sha256, timetable, nowMs: NOW };
  const polls = groupPolls(
    planPolls([{ watch, type: found, watchKey: "w", paused: false, targets }], deps),
    deps,
  );
  const spreadMs = polls[0]?.spreadMs ?? 0;
  const forecast = createForecast(polls, {
    timetable,
    nowMs: NOW,
    ...(lastPolledMs === undefined ? {} : { lastPolledMs: () => lastPolledMs(spreadMs) }),
  });
  return {
    spreadMs,
    runs: forecast.watches.get("w")?.nextRunsMs.map((runMs) => runMs - NOW - spreadMs),
  };
}

const search = (schedule: Schedule, lastPolledMs?: (spreadMs: number) => number) =>
  runsOf("search", { query: "acme lang:en" }, schedule, lastPolledMs);

describe("the next runs", () => {
  it("count an interval from the last run, as a running daemon does", () => {
    const { runs } = search(every(6 * HOUR), (spreadMs) => NOW - 2 * HOUR + spreadMs);
    expect(runs).toEqual([4, 10, 16, 22, 28].map((hours) => hours * HOUR));
  });

  it("count from now before the first run, and where a run was missed while nothing ran", () => {
    const fromNow = [6, 12, 18, 24, 30].map((hours) => hours * HOUR);
    expect(search(every(6 * HOUR)).runs).toEqual(fromNow);
    expect(search(every(6 * HOUR), () => NOW - 20 * HOUR).runs).toEqual(fromNow);
  });

  it("hold a tick of a pattern that is past, but whose spread is not over", () => {
    const noon: Schedule = { kind: "cron", pattern: "0 */6 * * *", timezone: "UTC" };
    const { spreadMs, runs } = search(noon, (spread) => NOW - 6 * HOUR + spread);
    expect(spreadMs).toBeGreaterThan(0);
    expect(runs).toEqual([0, 6, 12, 18, 24].map((hours) => hours * HOUR));
  });

  it("keep to the clock where profiles share their requests, whenever they ran last", () => {
    const { runs } = runsOf("profile", { accounts: ["id:7"] }, every(600_000), () => NOW - 200_000);
    expect(runs).toEqual([1, 2, 3, 4, 5].map((run) => run * 600_000));
  });
});
