/** When a named time interval holds, in its own time zones, over midnight and clock changes. The YAML of it is read in config/. */
import type { TimeInterval } from "./route.ts";
import { createZone, type Zone } from "./zone.ts";

/** One daily window in minutes from local midnight: start 0-1439, end 0-1440. An end at or before the start lies on the next day. */
export interface DayTimeRange {
  readonly startMinute: number;
  readonly endMinute: number;
}

export interface TimeWindow {
  /** Empty: the whole day. */
  readonly times: readonly DayTimeRange[];
  /** 0 is Sunday. Empty: every day. A window over midnight belongs to the day it starts on. */
  readonly weekdays: readonly number[];
  /** IANA name, e.g. `Europe/Berlin`. */
  readonly timezone: string;
}

export interface TimeIntervalSpec {
  readonly name: string;
  /** The interval holds while any of them does. */
  readonly windows: readonly TimeWindow[];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const DAY_MINUTES = 1_440;
const DAY_MS = 86_400_000;
const WHOLE_DAY: DayTimeRange = { startMinute: 0, endMinute: DAY_MINUTES };
/** Windows repeat weekly: one that still holds after so long holds always, and has no end to wait for. */
export const LONGEST_MUTE_MS = 9 * DAY_MS;

/** @throws RangeError when a time zone is unknown: check it with `isTimezone` first. */
export function createTimeInterval(spec: TimeIntervalSpec): TimeInterval {
  const windows = spec.windows.map((window) => ({ window, zone: createZone(window.timezone) }));
  const reach = (atMs: number) => Math.max(...windows.map(({ window, zone }) => windowEnd(window, zone, atMs)), atMs);
  return {
    name: spec.name,
    endsAt: (epochMs) => endOfUnion(reach, epochMs),
    startsAt: (epochMs) => Math.min(...windows.map(({ window, zone }) => nextStart(window, zone, epochMs))),
  };
}

/** All the time in which none of these holds. */
export const outsideOf = (intervals: readonly TimeInterval[]): Pick<TimeInterval, "name" | "endsAt"> => ({
  name: `hours outside ${intervals.map(({ name }) => name).join(" and ")}`,
  endsAt: (epochMs) =>
    intervals.some((interval) => interval.endsAt(epochMs) !== undefined)
      ? undefined
      : Math.min(...intervals.map((interval) => interval.startsAt(epochMs))),
});

/** Windows that touch are one: 22:00-24:00 and 00:00-07:00 end at 07:00. */
function endOfUnion(reach: (atMs: number) => number, epochMs: number): number | undefined {
  let endMs = reach(epochMs);
  if (endMs === epochMs) return undefined;
  while (endMs - epochMs < LONGEST_MUTE_MS) {
    const furtherMs = reach(endMs);
    if (furtherMs === endMs) break;
    endMs = furtherMs;
  }
  return endMs;
}

/** The latest end of this window's spans that have begun; `atMs` itself when all are over. */
function windowEnd(window: TimeWindow, zone: Zone, atMs: number): number {
  const ends = [-1, 0].flatMap((dayOffset) => spansOfDay(window, zone, atMs, dayOffset));
  return Math.max(atMs, ...ends.filter((span) => span.fromMs <= atMs).map((span) => span.toMs));
}

/** Windows repeat weekly. One on a day that the clocks skip begins a week later. */
function nextStart(window: TimeWindow, zone: Zone, atMs: number): number {
  const days = Array.from({ length: LONGEST_MUTE_MS / DAY_MS }, (_, day) => day);
  const starts = days.flatMap((day) => spansOfDay(window, zone, atMs, day)).filter(({ fromMs, toMs }) => fromMs > atMs && toMs > fromMs);
  return Math.min(atMs + LONGEST_MUTE_MS, ...starts.map(({ fromMs }) => fromMs));
}

function spansOfDay(window: TimeWindow, zone: Zone, atMs: number, dayOffset: number): readonly Span[] {
  const day = zone.localDay(atMs) + dayOffset;
  // Day 0 of the epoch was a Thursday.
  const weekday = (((day + 4) % 7) + 7) % 7;
  if (window.weekdays.length > 0 && !window.weekdays.includes(weekday)) return [];
  return (window.times.length === 0 ? [WHOLE_DAY] : window.times).map((time) => {
    const overMidnight = time.endMinute <= time.startMinute ? DAY_MINUTES : 0;
    return { fromMs: zone.firstAt(day, time.startMinute), toMs: zone.lastAt(day, time.endMinute + overMidnight) };
  });
}

/** `22:00` as minutes from midnight, `24:00` included; undefined when it is not a time of day. */
export function parseTimeOfDay(text: string): number | undefined {
  const found = /^([01]?\d|2[0-4]):([0-5]\d)$/.exec(text.trim());
  if (found === null) return undefined;
  const minutes = Number(found[1]) * 60 + Number(found[2]);
  return minutes <= DAY_MINUTES ? minutes : undefined;
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** `saturday`, `sat` or a range `monday:friday` as day numbers (0 is Sunday); undefined when it is neither. A range may run over Saturday. */
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
