/**
 * Which polls count their intervals from the epoch instead of from when each began, and when they
 * are due. Pure.
 */
import type { Schedule } from "../../model/schedule.ts";
import { takeTicks, type Timetable } from "../../schedule/timetable.ts";
import { SHORTEST_SPREAD_MS } from "./group-spread.ts";
import type { Poll } from "../poll.ts";
import { schedulesOf } from "../timing.ts";

/** A longer interval counts from the moment its user started it. */
const LONGEST_ALIGNED_MS = 900_000;

/**
 * Profiles asked for at the same time share their requests: short intervals are counted from the
 * epoch.
 */
export const isAligned = ({ source, intervalMs }: Pick<Poll, "source" | "intervalMs">): boolean =>
  source.endpoint === "info-batch" && intervalMs <= LONGEST_ALIGNED_MS;

/** The last tick of the grid at or before `tickMs`; cron patterns are a grid of their own. */
export const onGrid = (schedule: Schedule, tickMs: number): number =>
  schedule.kind === "every"
    ? Math.floor(tickMs / schedule.intervalMs) * schedule.intervalMs
    : tickMs;

/**
 * Of profiles that are asked for at every multiple of a step since the epoch: that step. Undefined
 * for any other schedule. Short ones are not moved from their ticks as the others are, and meet
 * none of them.
 */
export function gridStepMs({ timing }: Pick<Poll, "timing">): number | undefined {
  const [schedule, ...others] = schedulesOf(timing);
  if (schedule === undefined || others.length > 0) return undefined;
  const stepMs =
    schedule.kind === "every" ? schedule.intervalMs : minutesOf(schedule.pattern) * 60_000;
  return stepMs >= SHORTEST_SPREAD_MS && stepMs <= LONGEST_ALIGNED_MS ? stepMs : undefined;
}

/**
 * Whether no tick of a grid, as its poll is moved from it, lies between two moments; false where
 * there is no grid.
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
 * Of a pattern that is every minute, or every few, in whatever time zone: zones differ by quarters
 * of an hour.
 */
function minutesOf(pattern: string): number {
  const match = /^(?:0 )?\*(?:\/(\d+))?(?: \*){4}$/.exec(pattern.trim());
  const minutes = match === null ? 0 : Number(match[1] ?? 1);
  return 15 % minutes === 0 ? minutes : 0;
}

/** The next `count` ticks of a poll on the grid, without its spread. */
export function gridTicks(
  { timing }: Pick<Poll, "timing">,
  timetable: Timetable,
  nowMs: number,
  count: number,
): readonly number[] {
  const next = (afterMs: number) =>
    Math.min(...schedulesOf(timing).map((one) => timetable.nextDue(one, onGrid(one, afterMs))));
  return takeTicks(next, nowMs, count);
}
