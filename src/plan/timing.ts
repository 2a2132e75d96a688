/**
 * Converts a timing to a schedule, for code that needs one: limits, forecasts, and polls for which
 * nothing has been learned yet. Pure.
 */
import type { Schedule, Timing } from "../model/schedule.ts";
import { aimedMeanMs } from "./delay-aims.ts";
import type { PollTiming } from "./poll.ts";

/** Returns the schedule of a timing. Under freshness: even reads with the requested mean delay. */
export const scheduleOf = (timing: Timing): Schedule =>
  timing.kind === "schedule"
    ? timing.schedule
    : { kind: "every", intervalMs: Math.round(2 * aimedMeanMs(timing.freshness)) };

/** Returns the schedules of a poll, which is due whenever one of them is. */
export const schedulesOf = (timing: PollTiming): readonly Schedule[] =>
  timing.kind === "schedule" ? timing.schedules : [scheduleOf(timing)];

/** Returns the spread of a poll. Polls under `freshness` have no ticks, so they are not spread. */
export const spreadIn = (timing: PollTiming, spreadMs: number): number =>
  timing.kind === "schedule" ? spreadMs : 0;
