/** Computes how often a poll runs and how far apart its runs are, from its schedules. Pure. */
import type { Schedule } from "../model/schedule.ts";
import { firstTicks, type Timetable } from "../schedule/timetable.ts";
import { sum } from "../plan/sum.ts";

const DAY_MS = 86_400_000;
/**
 * How many ticks of an uneven schedule are computed to learn its gaps: three weeks of an hourly
 * schedule.
 */
const SAMPLE_TICKS = 500;

export interface Rhythm {
  readonly gapsMs: readonly number[];
  /** The next ticks, in epoch ms: at least `count` of them if the schedules have that many. */
  readonly ticksMs: readonly number[];
}

export function readRhythm(
  schedules: readonly Schedule[],
  timetable: Timetable,
  nowMs: number,
  count: number,
): Rhythm {
  const ticksMs = firstTicks(
    earliestTick(schedules, timetable),
    nowMs,
    isEven(schedules) ? count + 1 : SAMPLE_TICKS,
  );
  const [only] = schedules;
  const gapsMs =
    schedules.length === 1 && only?.kind === "every" ? [only.intervalMs] : gapsOf(ticksMs);
  return { gapsMs, ticksMs };
}

/**
 * Returns the number of ticks on an average day. With several schedules, each run is followed by
 * the earliest next tick of any of them, as in the engine.
 */
export function pollsPerDay(
  schedules: readonly Schedule[],
  timetable: Timetable,
  nowMs: number,
): number {
  const [only] = schedules;
  if (schedules.length === 1 && only !== undefined) return timetable.pollsPerDay(only, nowMs);
  const gapsMs = gapsOf(
    firstTicks(earliestTick(schedules, timetable), nowMs, isEven(schedules) ? 2 : SAMPLE_TICKS),
  );
  const spanMs = sum(gapsMs, (gap) => gap);
  return spanMs > 0 ? (gapsMs.length * DAY_MS) / spanMs : 0;
}

const isEven = (schedules: readonly Schedule[]): boolean =>
  schedules.every(({ kind }) => kind === "every");

/**
 * Returns a function that finds the first tick of any of the schedules after a time. The offset
 * that spreads polls (`spreadMs`) is not added.
 */
export const earliestTick =
  (schedules: readonly Schedule[], timetable: Timetable) => (afterMs: number) =>
    Math.min(...schedules.map((schedule) => timetable.nextDue(schedule, afterMs)));

export function ticksBetween(
  schedules: readonly Schedule[],
  timetable: Timetable,
  fromMs: number,
  toMs: number,
): number {
  const next = earliestTick(schedules, timetable);
  let ticks = 0;
  for (let atMs = next(fromMs); atMs <= toMs; atMs = next(atMs)) ticks += 1;
  return ticks;
}

const gapsOf = (ticksMs: readonly number[]): readonly number[] =>
  ticksMs.slice(1).map((tickMs, index) => tickMs - (ticksMs[index] ?? 0));
