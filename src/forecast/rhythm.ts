/**
 * How often a poll runs, and how far apart its runs are. Pure: reads schedules through the
 * timetable.
 */
import type { Schedule } from "../model/schedule.ts";
import { takeTicks, type Timetable } from "../schedule/timetable.ts";
import { sum } from "../plan/sum.ts";

const DAY_MS = 86_400_000;
/** Ticks that are walked to learn the gaps of an uneven schedule: three weeks of an hourly one. */
const SAMPLE_TICKS = 500;

export interface Rhythm {
  readonly gapsMs: readonly number[];
  /** The next ones, at least `count` where the schedule has so many. */
  readonly ticksMs: readonly number[];
}

export function readRhythm(
  schedules: readonly Schedule[],
  timetable: Timetable,
  nowMs: number,
  count: number,
): Rhythm {
  const ticksMs = takeTicks(
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
 * Ticks of an average day. Of several schedules: as the engine does it, after each run the earliest
 * of all is next.
 */
export function pollsPerDay(
  schedules: readonly Schedule[],
  timetable: Timetable,
  nowMs: number,
): number {
  const [only] = schedules;
  if (schedules.length === 1 && only !== undefined) return timetable.pollsPerDay(only, nowMs);
  const gapsMs = gapsOf(
    takeTicks(earliestTick(schedules, timetable), nowMs, isEven(schedules) ? 2 : SAMPLE_TICKS),
  );
  const spanMs = sum(gapsMs, (gap) => gap);
  return spanMs > 0 ? (gapsMs.length * DAY_MS) / spanMs : 0;
}

const isEven = (schedules: readonly Schedule[]): boolean =>
  schedules.every(({ kind }) => kind === "every");

/** The first tick of any of them after a moment, without spread. */
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
