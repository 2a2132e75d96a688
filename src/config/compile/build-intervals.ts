/** Builds the named time intervals, and the muted and active hours of routes and sinks. */
import type { Muting, TimeInterval } from "../../route/route.ts";
import { isMutedForever } from "../../route/mute.ts";
import {
  createTimeInterval,
  type DateRange,
  parseDates,
  parseTimeOfDay,
  parseWeekdays,
  type DayTimeRange,
  type TimeWindow,
} from "../../route/time-interval.ts";
import { checkValue } from "../check/check-value.ts";
import type { Report } from "../report.ts";
import {
  timeIntervalHolder,
  type WrittenInterval,
  type WrittenMuting,
} from "../schema/route-schema.ts";
import { didYouMean } from "../suggest.ts";
import {
  childOf,
  type Entry,
  entriesOf,
  findNode,
  type MapNode,
  type Node,
  type Path,
  type Place,
} from "../tree.ts";

/** The intervals by name. The value is undefined for an interval with errors. */
export type Intervals = ReadonlyMap<string, TimeInterval | undefined>;

export interface MutingDeps {
  readonly report: Report;
  readonly intervals: Intervals;
  /** The current time. Dates before it never come again. */
  readonly nowMs: number;
}

/** Builds the muted and active hours. `map` is the route or sink that sets them. */
export function buildMuting(
  { mute_time_intervals: mutes, active_time_intervals: actives, on_mute: onMute }: WrittenMuting,
  { map, keyPlace }: { readonly map: MapNode; readonly keyPlace: Place },
  deps: MutingDeps,
): Muting {
  const find = (key: keyof WrittenMuting, names: readonly string[]) =>
    names.flatMap((name, index) =>
      findInterval(name, itemPlace(map, keyPlace, { key, index }), deps),
    );
  const muting = {
    ...(mutes === undefined ? {} : { mutes: find("mute_time_intervals", mutes) }),
    ...(actives === undefined ? {} : { actives: find("active_time_intervals", actives) }),
    ...(onMute === undefined ? {} : { onMute }),
  };
  const node = childOf(map, "active_time_intervals") ?? childOf(map, "mute_time_intervals");
  if (isAlwaysMuted(muting, deps.nowMs))
    deps.report.warn(node?.place ?? keyPlace, "no-sending-time", NO_SENDING_TIME);
  return muting;
}

export const NO_SENDING_TIME =
  "muted and active hours leave no time to send alerts: they wait until the hours are changed";

/**
 * Whether these hours leave no time to send from now on. The hours are those of a sink, or those of
 * a route combined with its sink's.
 */
export const isAlwaysMuted = (muting: Muting, nowMs: number): boolean =>
  isMutedForever(muting, nowMs);

/**
 * Returns the place of an item of a list, or of the value itself if a single name stands for a
 * list.
 */
export function itemPlace(
  map: MapNode,
  fallback: Place,
  { key, index }: { readonly key: string; readonly index: number },
): Place {
  const node = childOf(map, key);
  return (node?.kind === "list" ? node.items[index]?.place : undefined) ?? node?.place ?? fallback;
}

function placeOf(entry: Entry, path: Path): Place {
  const { node, place } = findNode(entry.node, path, entry.keyPlace);
  return node === undefined || node.kind === "map" ? place : node.place;
}

function findInterval(name: string, place: Place, deps: MutingDeps): readonly TimeInterval[] {
  if (!deps.intervals.has(name)) {
    const known = [...deps.intervals.keys()];
    const hint =
      didYouMean(name, known) ||
      (known.length === 0
        ? "; none is defined under `time_intervals`"
        : `; known here: ${known.join(", ")}`);
    deps.report.error(place, "unknown-interval", `there is no time interval "${name}"${hint}`);
  }
  const interval = deps.intervals.get(name);
  return interval === undefined ? [] : [interval];
}

export function buildIntervals(
  section: Node | undefined,
  report: Report,
  nowMs: number,
): Intervals {
  const built = new Map<string, TimeInterval | undefined>();
  for (const entry of entriesOf(section))
    if (!entry.key.startsWith("x-")) built.set(entry.key, buildInterval(entry, report, nowMs));
  return built;
}

function buildInterval(entry: Entry, report: Report, nowMs: number): TimeInterval | undefined {
  const holder: MapNode = {
    kind: "map",
    place: entry.keyPlace,
    entries: new Map([[entry.key, entry]]),
  };
  const written = checkValue(timeIntervalHolder(entry.key), holder, {
    report,
    place: entry.keyPlace,
    name: entry.key,
  })?.[entry.key] as WrittenInterval | undefined;
  if (written === undefined) return undefined;
  const windows = written.map((window, index) =>
    readWindow(window, (...path) => placeOf(entry, [index, ...path]), report),
  );
  const whole = windows.filter((window) => window !== undefined);
  if (whole.length !== windows.length) return undefined;
  const interval = createTimeInterval({ name: entry.key, windows: whole });
  const at = (...path: Path) => placeOf(entry, path);
  warnOfEnds(interval, at(), report, nowMs);
  warnOfOpenMinutes(whole, at, report);
  return interval;
}

const LAST_MINUTE = 1_439;

/**
 * Warns about an interval that is always active or will never be active again, because that is
 * probably a mistake. It is not an error, because a daemon must also start after the dates have
 * passed.
 */
function warnOfEnds(interval: TimeInterval, place: Place, report: Report, nowMs: number): void {
  if (interval.endsAt(nowMs) === undefined && interval.startsAt(nowMs) === Number.POSITIVE_INFINITY)
    report.warn(
      place,
      "interval-over",
      `the time interval "${interval.name}" will never be active again: its dates have passed`,
    );
  if (isAlwaysMuted({ mutes: [interval] }, nowMs))
    report.warn(
      place,
      "interval-without-end",
      `the time interval "${interval.name}" is always active: what it mutes is never sent`,
    );
}

/** Warns of times that end at 23:59, because they leave out the last minute of the day. */
function warnOfOpenMinutes(
  windows: readonly TimeWindow[],
  at: (...path: Path) => Place,
  report: Report,
): void {
  for (const [index, { times }] of windows.entries())
    for (const [nth, { endMinute }] of times.entries())
      if (endMinute === LAST_MINUTE && !times.some(coversLastMinute))
        report.warn(
          at(index, "times", nth, "end"),
          "open-minute",
          'the last minute before midnight is left out: write "24:00"',
        );
}

const coversLastMinute = ({ startMinute, endMinute }: DayTimeRange): boolean =>
  endMinute > LAST_MINUTE || endMinute <= startMinute;

function readWindow(
  written: WrittenInterval[number],
  at: (...path: Path) => Place,
  report: Report,
): TimeWindow | undefined {
  const times = (written.times ?? []).map((time, index) =>
    readSpan(time, (key) => at("times", index, key), report),
  );
  const named =
    typeof written.weekdays === "string" ? [written.weekdays] : (written.weekdays ?? []);
  const days = named.map((text, index) => readDays(text, at("weekdays", index), report));
  const spans = typeof written.dates === "string" ? [written.dates] : (written.dates ?? []);
  const dates = spans.map((text, index) => readDates(text, at("dates", index), report));
  if (times.includes(undefined) || days.includes(undefined) || dates.includes(undefined))
    return undefined;
  return {
    times: times.filter((time) => time !== undefined),
    weekdays: [...new Set(days.flatMap((one) => one ?? []))],
    dates: dates.filter((range) => range !== undefined),
    timezone: written.timezone,
  };
}

function readSpan(
  time: { readonly start: string; readonly end: string },
  at: (key: string) => Place,
  report: Report,
): DayTimeRange | undefined {
  const read = (key: "start" | "end"): number | undefined => {
    const minute = parseTimeOfDay(time[key]);
    if (minute !== undefined && !(key === "start" && minute === 1_440)) return minute;
    report.error(
      at(key),
      "time-of-day",
      `"${time[key]}" is not a time of day: write hours and minutes in quotes, like "22:00"`,
    );
    return undefined;
  };
  const startMinute = read("start");
  const endMinute = read("end");
  return startMinute === undefined || endMinute === undefined
    ? undefined
    : { startMinute, endMinute };
}

function readDays(text: string, place: Place, report: Report): readonly number[] | undefined {
  const days = parseWeekdays(text);
  if (days === undefined)
    report.error(
      place,
      "weekday",
      `"${text}" is not a weekday: write monday, or a range like monday:friday`,
    );
  return days;
}

function readDates(text: string, place: Place, report: Report): DateRange | undefined {
  const range = parseDates(text);
  if (range === undefined)
    report.error(
      place,
      "interval-dates",
      `"${text}" is neither a day nor a range of days: write "2026-12-24", or "2026-12-24:2026-12-26" with the first day first`,
    );
  return range;
}
