/** Which polls count their intervals from the epoch instead of from when each began, and when they are due. Pure. */
import type { Schedule } from "../model/schedule.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { Poll } from "./poll.ts";

/** A longer interval counts from the moment its user started it. */
const LONGEST_ALIGNED_MS = 900_000;

/** Profiles asked for at the same time share their requests: short intervals are counted from the epoch. */
export const isAligned = ({ source, intervalMs }: Pick<Poll, "source" | "intervalMs">): boolean =>
  source.endpoint === "info-batch" && intervalMs <= LONGEST_ALIGNED_MS;

/** The last tick of the grid at or before `tickMs`; cron patterns are a grid of their own. */
export const onGrid = (schedule: Schedule, tickMs: number): number =>
  schedule.kind === "every" ? Math.floor(tickMs / schedule.intervalMs) * schedule.intervalMs : tickMs;

/** The next `count` ticks of a poll on the grid, without its spread. */
export function gridTicks({ schedules }: Pick<Poll, "schedules">, timetable: Timetable, nowMs: number, count: number): readonly number[] {
  const ticks: number[] = [];
  const next = (afterMs: number) => Math.min(...schedules.map((one) => timetable.nextDue(one, onGrid(one, afterMs))));
  for (let atMs = next(nowMs); ticks.length < count && Number.isFinite(atMs); atMs = next(atMs)) ticks.push(atMs);
  return ticks;
}
