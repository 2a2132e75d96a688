/**
 * Decides which tick (scheduled time of a poll) comes next, also after a late wake-up, a laptop
 * that slept, or a correction of the clock: however many ticks were missed, only one run replaces
 * them. The engine owns the timer and runs the polls.
 */
import type { Schedule } from "../model/schedule.ts";
import type { Timetable } from "./timetable.ts";

export interface TickQuery {
  readonly schedule: Schedule;
  /** The tick of the current or the last run, without the spread. */
  readonly lastTickMs: number;
  readonly nowMs: number;
  /**
   * The offset of this poll, which is added to each tick. A tick only counts as missed if tick +
   * spread is in the past.
   */
  readonly spreadMs: number;
  /**
   * The slow-down factor: the next tick is at least this many intervals after the last one. 1, the
   * default, does not change the schedule.
   */
  readonly slowDownFactor?: number;
}

/**
 * Returns the first tick after `lastTickMs` whose due time (tick + spread) is still to come. Call
 * this when a poll is taken from the queue, not when it ends: a tick that becomes due during the
 * poll then waits in the queue and runs once. The ticks of an interval are counted from
 * `lastTickMs`, so a late run does not move later ticks.
 */
export function nextTick(timetable: Timetable, query: TickQuery): number {
  const { schedule, lastTickMs, nowMs } = query;
  if (lastTickMs > nowMs) return tickAfterBackwardJump(timetable, query);
  const factor = Math.max(1, query.slowDownFactor ?? 1);
  const passedMs = Math.max(lastTickMs, nowMs - query.spreadMs);
  if (schedule.kind === "cron") {
    const skippedMs = factor === 1 ? 0 : factor * timetable.intervalMs(schedule, lastTickMs) - 1;
    return timetable.nextDue(schedule, Math.max(passedMs, lastTickMs + skippedMs));
  }
  const intervalMs = Math.round(schedule.intervalMs * factor);
  return lastTickMs + (Math.floor((passedMs - lastTickMs) / intervalMs) + 1) * intervalMs;
}

/**
 * Returns the next tick if the last one lies in the future because the clock was set back. A tick
 * that ran is not run again, unless waiting for the next one would pause the poll for longer than
 * its own interval.
 */
function tickAfterBackwardJump(
  timetable: Timetable,
  { schedule, lastTickMs, nowMs, slowDownFactor }: TickQuery,
): number {
  if (schedule.kind === "every")
    return nowMs + schedule.intervalMs * Math.max(1, slowDownFactor ?? 1);
  const isFrozen = lastTickMs - nowMs > timetable.intervalMs(schedule, nowMs);
  return timetable.nextDue(schedule, isFrozen ? nowMs : lastTickMs);
}

export interface JumpMonitor {
  /**
   * Returns by how many ms the wall clock has moved relative to the monotonic clock since the last
   * call; 0 if it is less than 2 s, which is an ordinary correction.
   */
  observe(wallMs: number, monotonicMs: number): number;
}

/** The wall clock moves by less than this if it is corrected in small steps. */
export const ORDINARY_CORRECTION_MS = 2_000;

/**
 * Detects that the wall clock was set. Call `observe` at every wake-up, at least once a minute.
 * After a jump, call `nextTick` again for every waiting poll.
 */
export function createJumpMonitor(wallMs: number, monotonicMs: number): JumpMonitor {
  let offsetMs = wallMs - monotonicMs;
  return {
    observe(nowWallMs, nowMonotonicMs) {
      const jumpMs = nowWallMs - nowMonotonicMs - offsetMs;
      offsetMs += jumpMs;
      return Math.abs(jumpMs) < ORDINARY_CORRECTION_MS ? 0 : jumpMs;
    },
  };
}

/**
 * The maximum number of missed times that are computed one by one. After that many, the current
 * time is taken as the last one.
 */
const MAX_SKIPPED = 1_000;

/**
 * Returns the last time of a schedule that is not after `nowMs`. All times are in ms since 1970.
 * @param nextAtMs returns the first time of the schedule after a given time
 * @param firstMs a time of the schedule that has passed
 */
export function lastTimeBefore(
  nextAtMs: (afterMs: number) => number,
  firstMs: number,
  nowMs: number,
): number {
  let lastMs = firstMs;
  for (
    let skipped = 0, nextMs = nextAtMs(lastMs);
    nextMs <= nowMs;
    nextMs = nextAtMs(lastMs), skipped += 1
  )
    lastMs = skipped < MAX_SKIPPED ? nextMs : nowMs;
  return lastMs;
}
