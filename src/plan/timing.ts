/**
 * What a timing comes to as a schedule, for whatever goes by one: limits, forecasts, and runs
 * before anything was learned. Pure.
 */
import type { Schedule, Timing } from "../model/schedule.ts";
import { aimedMeanMs } from "./delay-aims.ts";
import type { PollTiming } from "./poll.ts";

/** Under freshness: even reads with the mean delay that is asked for. */
export const scheduleOf = (timing: Timing): Schedule =>
  timing.kind === "schedule"
    ? timing.schedule
    : { kind: "every", intervalMs: Math.round(2 * aimedMeanMs(timing.freshness)) };

/** The same of a poll, which is due whenever one of them is. */
export const schedulesOf = (timing: PollTiming): readonly Schedule[] =>
  timing.kind === "schedule" ? timing.schedules : [scheduleOf(timing)];

/** What freshness places has no ticks to be moved from. */
export const spreadIn = (timing: PollTiming, spreadMs: number): number =>
  timing.kind === "schedule" ? spreadMs : 0;
