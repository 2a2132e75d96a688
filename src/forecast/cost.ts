/**
 * Estimates how many requests a poll makes per day before anything has been counted. Used by
 * `plan`, by the daemon's forecast and by the slow-down of polls. Pure.
 */
import type { PollCost } from "../plan/poll-cost.ts";
import type { Timetable } from "../schedule/timetable.ts";
import { groupKindOf } from "../groups/registry.ts";
import type { Poll } from "../plan/poll.ts";
import { schedulesOf } from "../plan/timing.ts";
import { pollsPerDay } from "./rhythm.ts";

const DAY_MS = 86_400_000;

export interface CostModel {
  costOf(poll: Poll, nowMs: number): PollCost;
}

export interface CostDeps {
  readonly timetable: Timetable;
  /**
   * Returns how many requests a complete read of a poll's list takes; undefined if the list's
   * length is unknown.
   */
  readonly pagesOf?: (poll: Poll) => number | undefined;
}

/**
 * Creates a cost model. It caches how often uneven schedules run, because thousands of polls share
 * a few schedules, and hundreds of ticks must be computed to count one.
 */
export function createCostModel({ timetable, pagesOf = () => undefined }: CostDeps): CostModel {
  const rates = new Map<string, number>();
  let day = -1;
  const rateOf = ({ timing }: Poll, nowMs: number): number => {
    const schedules = schedulesOf(timing);
    if (schedules.length === 1) return pollsPerDay(schedules, timetable, nowMs);
    if (day !== Math.floor(nowMs / DAY_MS)) rates.clear();
    day = Math.floor(nowMs / DAY_MS);
    const key = JSON.stringify(schedules);
    const rate = rates.get(key) ?? pollsPerDay(schedules, timetable, nowMs);
    rates.set(key, rate);
    return rate;
  };
  return {
    costOf: (poll, nowMs) =>
      groupKindOf(poll).costOf(poll, { pollsPerDay: rateOf(poll, nowMs), pagesOf }),
  };
}
