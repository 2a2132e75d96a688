/**
 * Computes the times of schedules: next ticks, shortest interval, polls per day. Caches results for
 * each pattern and time zone. Sets no timer and reads no clock. misfire.ts decides what happens
 * after missed ticks; due-queue.ts orders the polls that are due.
 */
import { Cron } from "croner";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import type { Schedule } from "../model/schedule.ts";
import { createCronRates } from "./cron-rate.ts";

const DAY_MS = 86_400_000;
/**
 * The number of ticks among which the shortest gap is searched. That many contain the closest pair
 * if the ticks of a pattern form groups that repeat daily or weekly.
 */
const GAP_SAMPLE = 24;
/**
 * The maximum number of Cron objects that are kept. One needs 90 KB and takes 60 µs to create, so a
 * configuration with a thousand patterns must not keep one for each pattern.
 */
const OPEN_KEPT = 8;

export interface Timetable {
  /**
   * Returns the first tick after `afterMs`, never `afterMs` itself. An interval is counted from
   * `afterMs`. Returns Infinity if the pattern never matches again.
   */
  nextDue(schedule: Schedule, afterMs: number): number;
  /** Returns the next `count` ticks after `fromMs`, to be shown; fewer if the pattern ends. */
  nextRuns(schedule: Schedule, fromMs: number, count: number): readonly number[];
  /**
   * Returns the shortest gap in ms between successive ticks, which are taken from the start of the
   * UTC day of `aroundMs` on.
   */
  intervalMs(schedule: Schedule, aroundMs: number): number;
  /** Returns the average number of ticks per day over the following year, for forecasts. */
  pollsPerDay(schedule: Schedule, aroundMs: number): number;
  /**
   * Returns the schedule with the shortest interval. If several have the same interval, returns the
   * one with the most ticks per day.
   */
  fastest(schedules: readonly [Schedule, ...Schedule[]], aroundMs: number): Schedule;
}

/**
 * The cached results for one pattern in one time zone. Thousands of watches share a tick, and
 * computing the next tick takes 20 µs or more.
 */
interface SharedCron {
  readonly open: () => Cron;
  readonly pattern: string;
  fromMs: number;
  nextMs: number;
  day: number;
  gapMs: number;
  runsPerDay: number | undefined;
}

type CronSchedule = Extract<Schedule, { kind: "cron" }>;

/**
 * Creates a timetable.
 * @throws ChirpwatchError SCHEDULE_INVALID, from any of its methods, for an invalid pattern or time
 * zone
 */
export function createTimetable(): Timetable {
  const shared = new Map<string, SharedCron>();
  const opened = new Map<string, Cron>();
  const cronRunsPerDay = createCronRates();
  const open = (key: string, schedule: CronSchedule): Cron => {
    const cron = opened.get(key) ?? openCron(schedule);
    // The entry used last moves to the end; the one unused for longest is dropped.
    opened.delete(key);
    opened.set(key, cron);
    const [oldest] = opened.keys();
    if (opened.size > OPEN_KEPT && oldest !== undefined) opened.delete(oldest);
    return cron;
  };
  const cronOf = (schedule: CronSchedule): SharedCron => {
    const { pattern, timezone } = schedule;
    const key = `${timezone}\n${pattern}`;
    const known = shared.get(key);
    if (known !== undefined) return known;
    open(key, schedule);
    const fresh = {
      open: () => open(key, schedule),
      pattern,
      fromMs: 0,
      nextMs: 0,
      day: -1,
      gapMs: 0,
      runsPerDay: undefined,
    };
    shared.set(key, fresh);
    return fresh;
  };
  const nextDue = (schedule: Schedule, afterMs: number): number =>
    schedule.kind === "every" ? afterMs + schedule.intervalMs : nextTick(cronOf(schedule), afterMs);
  const intervalMs = (schedule: Schedule, aroundMs: number): number =>
    schedule.kind === "every" ? schedule.intervalMs : shortestGap(cronOf(schedule), aroundMs);
  const pollsPerDay = (schedule: Schedule, aroundMs: number): number =>
    schedule.kind === "every"
      ? DAY_MS / schedule.intervalMs
      : runsPerDay(cronOf(schedule), aroundMs);
  const runsPerDay = (entry: SharedCron, aroundMs: number): number => {
    entry.runsPerDay ??= cronRunsPerDay(entry.pattern, aroundMs);
    return entry.runsPerDay;
  };
  return {
    nextDue,
    intervalMs,
    pollsPerDay,
    nextRuns: (schedule, fromMs, count) =>
      firstTicks((afterMs) => nextDue(schedule, afterMs), fromMs, count),
    fastest: (schedules, aroundMs) =>
      schedules.reduce((best, other) => {
        const gain = intervalMs(best, aroundMs) - intervalMs(other, aroundMs);
        return gain > 0 ||
          (gain === 0 && pollsPerDay(other, aroundMs) > pollsPerDay(best, aroundMs))
          ? other
          : best;
      }),
  };
}

/**
 * Opens a pattern. The rule "no-wildcard" means: patterns that name their hours (also as lists and
 * ranges) run once in the hour that a clock change repeats, and once right after the hour that it
 * skips. Patterns with a wildcard hour follow real time.
 */
function openCron({ pattern, timezone }: CronSchedule): Cron {
  try {
    const cron = new Cron(pattern, {
      timezone,
      paused: true,
      mode: "5-or-6-parts",
      fixedTimeRule: "no-wildcard",
    });
    cron.nextRun(new Date(0)); // croner notices an unknown time zone here and not before
    return cron;
  } catch (error) {
    throw new ChirpwatchError(
      "SCHEDULE_INVALID",
      `"${pattern}" in ${timezone} is no schedule: ${errorText(error)}`,
      {
        hint: 'Write five or six cron fields such as "*/5 * * * *", an interval such as "@every 30s", and a time zone such as Europe/Berlin.',
        cause: error,
      },
    );
  }
}

function nextTick(entry: SharedCron, afterMs: number): number {
  if (afterMs < entry.fromMs || afterMs >= entry.nextMs) {
    entry.nextMs = entry.open().nextRun(new Date(afterMs))?.getTime() ?? Number.POSITIVE_INFINITY;
    entry.fromMs = afterMs;
  }
  return entry.nextMs;
}

function shortestGap(entry: SharedCron, aroundMs: number): number {
  const day = Math.floor(aroundMs / DAY_MS);
  if (day !== entry.day) {
    const ticks = firstTicks((afterMs) => nextTick(entry, afterMs), day * DAY_MS, GAP_SAMPLE);
    entry.gapMs = Math.min(...ticks.slice(1).map((tickMs, i) => tickMs - (ticks[i] ?? 0)));
    entry.day = day;
  }
  return entry.gapMs;
}

/**
 * Returns the first `count` ticks after `fromMs`; fewer if the schedule ends. `next` returns the
 * first tick after a given time.
 */
export function firstTicks(
  next: (afterMs: number) => number,
  fromMs: number,
  count: number,
): readonly number[] {
  const ticks: number[] = [];
  for (let atMs = next(fromMs); ticks.length < count && Number.isFinite(atMs); atMs = next(atMs))
    ticks.push(atMs);
  return ticks;
}
