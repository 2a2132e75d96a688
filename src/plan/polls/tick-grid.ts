/**
 * Decides which polls count their intervals from the epoch instead of from their start, and when
 * they are due. Pure.
 */
import type { Schedule } from "../../model/schedule.ts";
import { firstTicks, type Timetable } from "../../schedule/timetable.ts";
import { MIN_SPREAD_MS } from "./group-spread.ts";
import type { Poll } from "../poll.ts";
import { schedulesOf } from "../timing.ts";

/**
 * The longest interval that counts from the epoch. A longer interval counts from when its user
 * started it.
 */
const MAX_ALIGNED_MS = 900_000;

/**
 * Whether a poll counts its interval from the epoch. Polls of profiles with short intervals do,
 * because profiles that are requested at the same time share requests.
 */
export const isAligned = ({ source, intervalMs }: Pick<Poll, "source" | "intervalMs">): boolean =>
  source.endpoint === "info-batch" && intervalMs <= MAX_ALIGNED_MS;

/**
 * Returns the last tick of the grid at or before `tickMs`. The ticks of a cron pattern already are
 * a grid.
 */
export const onGrid = (schedule: Schedule, tickMs: number): number =>
  schedule.kind === "every"
    ? Math.floor(tickMs / schedule.intervalMs) * schedule.intervalMs
    : tickMs;

/**
 * Returns the interval of a poll that is due at every multiple of it since the epoch; undefined for
 * other schedules. It is also undefined for intervals below `MIN_SPREAD_MS`: these have no offset
 * from their ticks, so they never coincide with longer ones.
 */
export function gridStepMs({ timing }: Pick<Poll, "timing">): number | undefined {
  const [schedule, ...others] = schedulesOf(timing);
  if (schedule === undefined || others.length > 0) return undefined;
  const stepMs =
    schedule.kind === "every" ? schedule.intervalMs : minutesOf(schedule.pattern) * 60_000;
  return stepMs >= MIN_SPREAD_MS && stepMs <= MAX_ALIGNED_MS ? stepMs : undefined;
}

/**
 * Whether two moments belong to the same tick of the poll's grid, including the poll's offset;
 * false if the poll has no grid.
 */
export function isSameTick(
  poll: Pick<Poll, "timing" | "spreadMs">,
  aMs: number,
  bMs: number,
): boolean {
  const stepMs = gridStepMs(poll);
  if (stepMs === undefined) return false;
  const tickOf = (ms: number): number => Math.floor((ms - poll.spreadMs) / stepMs);
  return tickOf(aMs) === tickOf(bMs);
}

/**
 * Returns the interval in minutes of a pattern that runs every minute or every few minutes; 0 for
 * other patterns. The interval must divide 15 minutes, because time zones differ by multiples of
 * that.
 */
function minutesOf(pattern: string): number {
  const match = /^(?:0 )?\*(?:\/(\d+))?(?: \*){4}$/.exec(pattern.trim());
  const minutes = match === null ? 0 : Number(match[1] ?? 1);
  return 15 % minutes === 0 ? minutes : 0;
}

/** Returns the next `count` ticks of a poll on the grid, without its spread. */
export function gridTicks(
  { timing }: Pick<Poll, "timing">,
  timetable: Timetable,
  nowMs: number,
  count: number,
): readonly number[] {
  const next = (afterMs: number) =>
    Math.min(...schedulesOf(timing).map((one) => timetable.nextDue(one, onGrid(one, afterMs))));
  return firstTicks(next, nowMs, count);
}
