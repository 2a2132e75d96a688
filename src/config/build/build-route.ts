/** The route tree and the named time intervals, from what is written to what is walked. Unknown labels, sinks and intervals are complained about. */
import { parseDuration } from "../../model/duration.ts";
import { type CompilePattern, parseMatcher } from "../../route/matcher.ts";
import type { Matcher, Route, TimeInterval } from "../../route/route.ts";
import { createTimeInterval, parseTimeOfDay, parseWeekdays, type DayTimeRange, type TimeWindow } from "../../route/time-interval.ts";
import { buildThrottle } from "./build-throttle.ts";
import { checkSinks } from "./check-sinks.ts";
import { checkValue } from "../check/check-value.ts";
import { describeUnknownLabel, describeUnknownValue, type MatchableNames } from "../check/matched-names.ts";
import { DEFAULTS } from "../defaults.ts";
import type { Report } from "../report.ts";
import { ownRouteSchema, timeIntervalHolder, type WrittenInterval } from "../schema/route-schema.ts";
import { didYouMean } from "../suggest.ts";
import { childOf, type Entry, entriesOf, entryOf, findNode, type MapNode, type Node, type Path, type Place, withEntries } from "../tree.ts";

export interface RouteBuildDeps extends MatchableNames {
  readonly report: Report;
  readonly sinkNames: readonly string[];
  readonly intervals: ReadonlyMap<string, TimeInterval | undefined>;
  readonly compilePattern: CompilePattern;
}

/** The tree, or undefined after complaining. */
export function buildRoute(entry: Entry, deps: RouteBuildDeps): Route | undefined {
  const { report } = deps;
  if (entry.node.kind !== "map") {
    report.error(entry.keyPlace, "wrong-type", "`route` must be a map with a `sink`");
    return undefined;
  }
  const matchers = childOf(entry.node, "matchers");
  if (matchers !== undefined)
    report.error(matchers.place, "root-matchers", "the root route takes everything: move `matchers` into one of its `routes`");
  if (childOf(entry.node, "sink") === undefined)
    report.error(entry.keyPlace, "root-sink", "the root route needs a `sink`: it takes what nothing else took");
  return convert({ map: entry.node, keyPlace: entry.keyPlace, path: "0" }, rootSettings, deps);
}

/** What a route hands down to its children, as in Alertmanager. Mutes, throttles and `continue` are its own. */
interface Inherited {
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
}

const rootSettings: Inherited = {
  groupBy: DEFAULTS.route.group_by,
  groupWaitMs: parseDuration(DEFAULTS.route.group_wait) ?? 0,
  groupIntervalMs: parseDuration(DEFAULTS.route.group_interval) ?? 0,
};

/** The tree of a file that writes none: everything goes to its one sink. */
export const routeTo = (sink: string): Route => ({
  path: "0",
  sinks: [sink],
  matchers: [],
  continues: DEFAULTS.route.continue,
  ...rootSettings,
  mutes: [],
  onMute: DEFAULTS.route.on_mute,
  routes: [],
});

/** A route as written, and where. */
interface WrittenRoute {
  readonly map: MapNode;
  readonly keyPlace: Place;
  /** From the root: "0.2.1". */
  readonly path: string;
}

function convert({ map, keyPlace, path }: WrittenRoute, above: Inherited, deps: RouteBuildDeps): Route {
  const own = withEntries(map, { routes: undefined });
  const written = checkValue(ownRouteSchema, own, { report: deps.report, place: keyPlace, name: "route", otherKeys: ["routes"] }) ?? {};
  const at = (key: string, index: number): Place => itemPlace(map, keyPlace, key, index);
  checkSinks(written.sink ?? [], (index) => at("sink", index), deps.sinkNames, deps.report);
  for (const [index, label] of (written.group_by ?? []).entries()) checkLabel(label, at("group_by", index), deps);
  const grouping: Inherited = {
    groupBy: written.group_by ?? above.groupBy,
    groupWaitMs: written.group_wait ?? above.groupWaitMs,
    groupIntervalMs: written.group_interval ?? above.groupIntervalMs,
  };
  const throttle = written.throttle;
  return {
    path,
    sinks: [...new Set(written.sink ?? [])],
    matchers: (written.matchers ?? []).flatMap((text, index) => readMatcher(text, at("matchers", index), deps)),
    continues: written.continue ?? DEFAULTS.route.continue,
    ...grouping,
    mutes: (written.mute_time_intervals ?? []).flatMap((mute, index) => findInterval(mute, at("mute_time_intervals", index), deps)),
    onMute: written.on_mute ?? DEFAULTS.route.on_mute,
    ...(throttle === undefined ? {} : { throttle: buildThrottle(throttle) }),
    routes: childRoutes(map, deps.report).map((child, index) =>
      convert({ map: child, keyPlace: child.place, path: `${path}.${index}` }, grouping, deps),
    ),
  };
}

function childRoutes(map: MapNode, report: Report): readonly MapNode[] {
  const entry = entryOf(map, "routes");
  if (entry === undefined) return [];
  const items = entry.node.kind === "list" ? entry.node.items : [];
  if (entry.node.kind !== "list") report.error(entry.keyPlace, "wrong-type", "`routes` must be a list");
  for (const item of items) if (item.kind !== "map") report.error(item.place, "wrong-type", "a route must be a map");
  return items.filter((item) => item.kind === "map");
}

/** Of one item of a list; of the value itself where one name stands for a list. */
function itemPlace(map: MapNode, fallback: Place, key: string, index: number): Place {
  const node = childOf(map, key);
  return (node?.kind === "list" ? node.items[index]?.place : undefined) ?? node?.place ?? fallback;
}

function placeOf(entry: Entry, path: Path): Place {
  const { node, place } = findNode(entry.node, path, entry.keyPlace);
  return node === undefined || node.kind === "map" ? place : node.place;
}

function readMatcher(text: string, place: Place, deps: RouteBuildDeps): readonly Matcher[] {
  const matcher = parseMatcher(text, deps.compilePattern);
  if (typeof matcher === "string") {
    // The flag is the matcher's own, not what was written.
    deps.report.error(place, "matcher", matcher.replace("`(?s)", "`"));
    return [];
  }
  checkLabel(matcher.label, place, deps);
  const unknown = describeUnknownValue(matcher, deps);
  if (unknown !== undefined) deps.report.error(place, "matcher-value", unknown);
  return [matcher];
}

function checkLabel(label: string, place: Place, deps: RouteBuildDeps): void {
  const unknown = describeUnknownLabel(label, deps);
  if (unknown !== undefined) deps.report.error(place, "unknown-label", unknown);
}

function findInterval(name: string, place: Place, deps: RouteBuildDeps): readonly TimeInterval[] {
  if (!deps.intervals.has(name)) {
    const known = [...deps.intervals.keys()];
    const hint =
      didYouMean(name, known) || (known.length === 0 ? "; none is defined under `time_intervals`" : `; there are ${known.join(", ")}`);
    deps.report.error(place, "unknown-interval", `there is no time interval "${name}"${hint}`);
  }
  const interval = deps.intervals.get(name);
  return interval === undefined ? [] : [interval];
}

/** Every named interval; undefined for one that was complained about. */
export function buildIntervals(section: Node | undefined, report: Report): ReadonlyMap<string, TimeInterval | undefined> {
  const built = new Map<string, TimeInterval | undefined>();
  for (const entry of entriesOf(section)) if (!entry.key.startsWith("x-")) built.set(entry.key, buildInterval(entry, report));
  return built;
}

function buildInterval(entry: Entry, report: Report): TimeInterval | undefined {
  const holder: MapNode = { kind: "map", place: entry.keyPlace, entries: new Map([[entry.key, entry]]) };
  const written = checkValue(timeIntervalHolder(entry.key), holder, { report, place: entry.keyPlace, name: entry.key })?.[entry.key] as
    | WrittenInterval
    | undefined;
  if (written === undefined) return undefined;
  const windows = written.map((window, index) => readWindow(window, (...path) => placeOf(entry, [index, ...path]), report));
  const whole = windows.filter((window) => window !== undefined);
  return whole.length === windows.length ? createTimeInterval({ name: entry.key, windows: whole }) : undefined;
}

function readWindow(written: WrittenInterval[number], at: (...path: Path) => Place, report: Report): TimeWindow | undefined {
  const times = (written.times ?? []).map((time, index) => readSpan(time, (key) => at("times", index, key), report));
  const named = typeof written.weekdays === "string" ? [written.weekdays] : (written.weekdays ?? []);
  const days = named.map((text, index) => readDays(text, at("weekdays", index), report));
  if (times.includes(undefined) || days.includes(undefined)) return undefined;
  return {
    times: times.filter((time) => time !== undefined),
    weekdays: [...new Set(days.flatMap((one) => one ?? []))],
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
    report.error(at(key), "time-of-day", `"${time[key]}" is not a time of day: write hours and minutes in quotes, like "22:00"`);
    return undefined;
  };
  const startMinute = read("start");
  const endMinute = read("end");
  return startMinute === undefined || endMinute === undefined ? undefined : { startMinute, endMinute };
}

function readDays(text: string, place: Place, report: Report): readonly number[] | undefined {
  const days = parseWeekdays(text);
  if (days === undefined) report.error(place, "weekday", `"${text}" is not a weekday: write monday, or a range like monday:friday`);
  return days;
}
