/**
 * Evaluates named time intervals in their own time zones, over midnight and clock changes. config/
 * reads their YAML.
 */
import type { TimeInterval } from "./route.ts";
import { createZone, type Zone } from "./zone.ts";

/**
 * A daily window in minutes from local midnight: start 0 to 1439, end 0 to 1440. If the end is at
 * or before the start, it lies on the next day.
 */
export interface DayTimeRange {
  readonly startMinute: number;
  readonly endMinute: number;
}

/** A range of days since 1970-01-01, both ends included. */
export interface DateRange {
  readonly firstDay: number;
  readonly lastDay: number;
}

export interface TimeWindow {
  /** Times of day; empty for the whole day. */
  readonly times: readonly DayTimeRange[];
  /**
   * Day numbers, where 0 is Sunday; empty for every day. A window over midnight belongs to the day
   * on which it starts.
   */
  readonly weekdays: readonly number[];
  /** The days on which the window may begin; empty for every day. */
  readonly dates?: readonly DateRange[];
  /** IANA name, e.g. `Europe/Berlin`. */
  readonly timezone: string;
}

export interface TimeIntervalSpec {
  readonly name: string;
  /** The windows. The interval holds while any of them does. */
  readonly windows: readonly TimeWindow[];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const DAY_MINUTES = 1_440;
const DAY_MS = 86_400_000;
const WHOLE_DAY: DayTimeRange = { startMinute: 0, endMinute: DAY_MINUTES };
/**
 * Windows repeat weekly. An interval that holds without a break for this long after its last date
 * therefore never ends.
 */
export const WEEKLY_MS = 9 * DAY_MS;

/**
 * Creates the interval.
 * @throws RangeError if a time zone is unknown; check it with `isTimezone` first
 */
export function createTimeInterval(spec: TimeIntervalSpec): TimeInterval {
  const windows = spec.windows.map((window) => ({ window, zone: createZone(window.timezone) }));
  const reach = (atMs: number) =>
    Math.max(...windows.map(({ window, zone }) => windowEnd(window, zone, atMs)), atMs);
  const datesEndMs = Math.max(...windows.map(({ window, zone }) => lastDateEnd(window, zone)));
  return {
    name: spec.name,
    datesEndMs,
    endsAt: (epochMs) => endOfUnion(reach, epochMs, datesEndMs),
    startsAt: (epochMs) =>
      Math.min(...windows.map(({ window, zone }) => nextStart(window, zone, epochMs))),
  };
}

/** Returns the interval that holds when none of the given ones does. */
export const outsideOf = (intervals: readonly TimeInterval[]): Omit<TimeInterval, "startsAt"> => ({
  name: `hours outside ${intervals.map(({ name }) => name).join(" and ")}`,
  datesEndMs: Math.max(...intervals.map(datesEndOf)),
  endsAt: (epochMs) =>
    intervals.some((interval) => interval.endsAt(epochMs) !== undefined)
      ? undefined
      : Math.min(...intervals.map((interval) => interval.startsAt(epochMs))),
});

export const datesEndOf = ({
  datesEndMs = Number.NEGATIVE_INFINITY,
}: Pick<TimeInterval, "datesEndMs">): number => datesEndMs;

const lastDateEnd = ({ dates = [], weekdays }: TimeWindow, zone: Zone): number =>
  dates.length === 0
    ? Number.NEGATIVE_INFINITY
    : zone.lastAt(
        Math.max(...dates.map(({ lastDay }) => lastDay)) + (weekdays.length === 0 ? 1 : 2),
        0,
      );

/**
 * Returns when the windows end. Windows that touch count as one: 22:00-24:00 and 00:00-07:00 end at
 * 07:00. Infinity if they never end.
 */
function endOfUnion(
  reach: (atMs: number) => number,
  epochMs: number,
  datesEndMs: number,
): number | undefined {
  let endMs = reach(epochMs);
  if (endMs === epochMs) return undefined;
  const alwaysMs = Math.max(epochMs, datesEndMs) + WEEKLY_MS;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const furtherMs = reach(endMs);
    if (furtherMs === endMs) return endMs;
    if (furtherMs >= alwaysMs) return Number.POSITIVE_INFINITY;
    endMs = furtherMs;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * The maximum number of windows in a row that are joined. After that many, the end is so far away
 * that its exact time does not matter.
 */
const MAX_STEPS = 4_000;

/** Returns the latest end of this window's spans that have begun; `atMs` itself if all are over. */
function windowEnd(window: TimeWindow, zone: Zone, atMs: number): number {
  const { dates = [], times, weekdays } = window;
  // Consecutive whole days are one span.
  if (dates.length > 0 && times.length === 0 && weekdays.length === 0) {
    const day = zone.localDay(atMs);
    return Math.max(
      atMs,
      ...dates
        .filter((range) => isWithin(range, day))
        .map(({ lastDay }) => zone.lastAt(lastDay + 1, 0)),
    );
  }
  const ends = [-1, 0].flatMap((dayOffset) =>
    spansOfDay(window, zone, zone.localDay(atMs) + dayOffset),
  );
  return Math.max(atMs, ...ends.filter((span) => span.fromMs <= atMs).map((span) => span.toMs));
}

const isWithin = ({ firstDay, lastDay }: DateRange, day: number): boolean =>
  firstDay <= day && day <= lastDay;

/**
 * Returns when the window next begins; Infinity if its dates are over. Windows repeat weekly. If a
 * clock change skips a window, it begins a week later.
 */
function nextStart(window: TimeWindow, zone: Zone, atMs: number): number {
  const { dates = [] } = window;
  const today = zone.localDay(atMs);
  const days = Array.from({ length: WEEKLY_MS / DAY_MS }, (_, day) => day);
  // Within a range of dates, the first day of each weekday is at most a week away.
  const firstDays =
    dates.length === 0 ? [today] : dates.map(({ firstDay }) => Math.max(firstDay, today));
  const starts = firstDays
    .flatMap((first) => days.flatMap((day) => spansOfDay(window, zone, first + day)))
    .filter(({ fromMs, toMs }) => fromMs > atMs && toMs > fromMs);
  const otherwiseMs = dates.length === 0 ? atMs + WEEKLY_MS : Number.POSITIVE_INFINITY;
  return Math.min(otherwiseMs, ...starts.map(({ fromMs }) => fromMs));
}

function spansOfDay(window: TimeWindow, zone: Zone, day: number): readonly Span[] {
  const { dates = [] } = window;
  if (dates.length > 0 && !dates.some((range) => isWithin(range, day))) return [];
  // Day 0 of the epoch was a Thursday.
  const weekday = (((day + 4) % 7) + 7) % 7;
  if (window.weekdays.length > 0 && !window.weekdays.includes(weekday)) return [];
  return (window.times.length === 0 ? [WHOLE_DAY] : window.times).map((time) => {
    const overMidnight = time.endMinute <= time.startMinute ? DAY_MINUTES : 0;
    return {
      fromMs: zone.firstAt(day, time.startMinute),
      toMs: zone.lastAt(day, time.endMinute + overMidnight),
    };
  });
}

/**
 * Parses `22:00` to minutes from midnight, `24:00` included; undefined if the text is not a time of
 * day.
 */
export function parseTimeOfDay(text: string): number | undefined {
  const found = /^([01]?\d|2[0-4]):([0-5]\d)$/.exec(text.trim());
  if (found === null) return undefined;
  const minutes = Number(found[1]) * 60 + Number(found[2]);
  return minutes <= DAY_MINUTES ? minutes : undefined;
}

const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

/**
 * Parses `saturday`, `sat` or a range such as `monday:friday` to day numbers (0 is Sunday);
 * undefined for any other text. A range may continue beyond Saturday, as in `friday:monday`.
 */
export function parseWeekdays(text: string): readonly number[] | undefined {
  const days = text
    .trim()
    .toLowerCase()
    .split(/\s*[:-]\s*/)
    .map((word) => WEEKDAYS.findIndex((day) => day === word || day.slice(0, 3) === word));
  const [first = -1, last = first, more] = days;
  if (first < 0 || last < 0 || more !== undefined) return undefined;
  const count = ((last - first + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % 7);
}

/**
 * Parses `2026-12-24:2026-12-26`, or a single day, to days since 1970-01-01; undefined if the text
 * is neither.
 */
export function parseDates(text: string): DateRange | undefined {
  const days = text
    .trim()
    .split(/\s*:\s*/)
    .map(dayOf);
  const [firstDay, lastDay = firstDay, more] = days;
  if (
    firstDay === undefined ||
    lastDay === undefined ||
    days.length > 2 ||
    more !== undefined ||
    days.includes(undefined)
  )
    return undefined;
  return firstDay > lastDay ? undefined : { firstDay, lastDay };
}

function dayOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const atMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return new Date(atMs).toISOString().startsWith(text) ? atMs / DAY_MS : undefined;
}
