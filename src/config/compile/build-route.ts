/** Builds the route tree, and reports unknown labels and sinks. */
import { parseDuration } from "../../model/duration.ts";
import { type CompilePattern, parseMatcher } from "../../route/matcher.ts";
import type { Matcher, Muting, Route } from "../../route/route.ts";
import { isAlwaysMuted, itemPlace, NO_SENDING_TIME } from "./build-intervals.ts";
import {
  buildEscalate,
  buildShaping,
  type EscalateDeps,
  type ShapingDeps,
} from "./build-shaping.ts";
import { type BuiltTemplates, buildTemplateName } from "./build-templates.ts";
import { buildThrottle } from "./build-throttle.ts";
import { checkSinks, type EventSinks, warnOfUnshownKeys } from "./check-sinks.ts";
import { checkValue } from "../check/check-value.ts";
import {
  describeUnknownLabel,
  describeUnknownValue,
  type MatchableNames,
} from "../check/matched-names.ts";
import { DEFAULTS } from "../defaults.ts";
import type { Report } from "../report.ts";
import { ownRouteSchema } from "../schema/route-schema.ts";
import {
  childOf,
  type Entry,
  entryOf,
  type MapNode,
  offsetInto,
  type Place,
  withEntries,
} from "../tree.ts";

export interface RouteBuildDeps extends MatchableNames, ShapingDeps, EscalateDeps {
  readonly compilePattern: CompilePattern;
  readonly templates: BuiltTemplates;
  /** The muted and active hours of each sink, by the name of the sink. */
  readonly sinkHours: ReadonlyMap<string, Muting>;
  readonly eventSinks: EventSinks;
}

/** Builds the tree. If `route` is not a map, reports that and resolves to undefined. */
export async function buildRoute(entry: Entry, deps: RouteBuildDeps): Promise<Route | undefined> {
  const { report } = deps;
  if (entry.node.kind !== "map") {
    report.error(entry.keyPlace, "wrong-type", "`route` must be a map with a `sink`");
    return undefined;
  }
  const matchers = childOf(entry.node, "matchers");
  if (matchers !== undefined)
    report.error(
      matchers.place,
      "root-matchers",
      "the root route takes everything: move `matchers` into one of its `routes`",
    );
  const where = childOf(entry.node, "where");
  if (where !== undefined)
    report.error(
      where.place,
      "root-matchers",
      "the root route takes everything: move `where` into one of its `routes`",
    );
  if (childOf(entry.node, "sink") === undefined)
    report.error(
      entry.keyPlace,
      "root-sink",
      "the root route needs a `sink`: it takes what nothing else took",
    );
  return convert({ map: entry.node, keyPlace: entry.keyPlace, path: "0" }, rootSettings, deps);
}

/**
 * The settings that a route passes on to its children, as in Alertmanager. Mutes, throttles and
 * `continue` apply only to the route itself.
 */
interface Inherited {
  /** The names of the sinks. */
  readonly sinkNames: readonly string[];
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
}

const rootSettings: Inherited = {
  sinkNames: [],
  groupBy: DEFAULTS.route.group_by,
  groupWaitMs: parseDuration(DEFAULTS.route.group_wait) ?? 0,
  groupIntervalMs: parseDuration(DEFAULTS.route.group_interval) ?? 0,
};

/** Returns the tree for a file without `route`, in which all events go to the only sink. */
export const routeTo = (sink: string): Route => ({
  path: "0",
  sinks: [sink],
  matchers: [],
  continues: DEFAULTS.route.continue,
  groupBy: rootSettings.groupBy,
  groupWaitMs: rootSettings.groupWaitMs,
  groupIntervalMs: rootSettings.groupIntervalMs,
  routes: [],
});

/** A route as written, with its place. */
interface WrittenRoute {
  readonly map: MapNode;
  readonly keyPlace: Place;
  /** The path from the root, such as "0.2.1". */
  readonly path: string;
}

async function convert(
  { map, keyPlace, path }: WrittenRoute,
  above: Inherited,
  deps: RouteBuildDeps,
): Promise<Route> {
  const own = withEntries(map, { routes: undefined });
  const written =
    checkValue(ownRouteSchema, own, {
      report: deps.report,
      place: keyPlace,
      name: "route",
      otherKeys: ["routes"],
    }) ?? {};
  const at = (key: string, index: number): Place => itemPlace(map, keyPlace, { key, index });
  checkSinks(written.sink ?? [], (index) => at("sink", index), deps.sinkNames, deps.report);
  for (const [index, label] of (written.group_by ?? []).entries())
    checkLabel(label, at("group_by", index), deps);
  const grouping = {
    groupBy: written.group_by ?? above.groupBy,
    groupWaitMs: written.group_wait ?? above.groupWaitMs,
    groupIntervalMs: written.group_interval ?? above.groupIntervalMs,
  };
  const throttle = written.throttle;
  const sinkNames = written.sink ?? above.sinkNames;
  const shaping = buildShaping(written, { map, keyPlace }, deps);
  warnOfSinkHours(shaping, sinkNames, keyPlace, deps);
  warnOfUnshownKeys(map, sinkNames, deps.eventSinks, deps.report);
  const escalate = await buildEscalate(
    written,
    { map, keyPlace, what: "this route", sinks: sinkNames },
    deps,
  );
  const where = await compileWhere(written.where, map, deps);
  const routes = childRoutes(map, deps.report);
  warnOfLastContinue(routes.at(-1), deps.report);
  const children = routes.map((child, index) =>
    convert(
      { map: child, keyPlace: child.place, path: `${path}.${index}` },
      { ...grouping, sinkNames },
      deps,
    ),
  );
  return {
    path,
    sinks: [...new Set(written.sink ?? [])],
    matchers: (written.matchers ?? []).flatMap((text, index) =>
      readMatcher(text, at("matchers", index), deps),
    ),
    continues: written.continue ?? DEFAULTS.route.continue,
    ...grouping,
    ...shaping,
    ...escalate,
    where,
    ...(throttle === undefined ? {} : { throttle: buildThrottle(throttle) }),
    ...buildTemplateName(written, { map, keyPlace }, deps),
    routes: await Promise.all(children),
  };
}

/**
 * Warns if the hours of a route and of its sink together leave no time to send, although either of
 * them alone does. Each key that a route sets replaces the same key of the sink.
 */
function warnOfSinkHours(
  own: Muting,
  sinkNames: readonly string[],
  place: Place,
  { sinkHours, report, nowMs }: RouteBuildDeps,
): void {
  if ((own.mutes ?? own.actives) === undefined || isAlwaysMuted(own, nowMs)) return;
  for (const name of sinkNames) {
    const sink = sinkHours.get(name) ?? {};
    if (!isAlwaysMuted(sink, nowMs) && isAlwaysMuted({ ...sink, ...own }, nowMs))
      report.warn(
        place,
        "no-sending-time",
        `with the hours of the sink \`${name}\`, ${NO_SENDING_TIME}`,
      );
  }
}

async function compileWhere(
  text: string | undefined,
  map: MapNode,
  { where, body, report }: RouteBuildDeps,
): Promise<Route["where"]> {
  if (text === undefined) return undefined;
  const compiled = (await where()).compile(text, body);
  if ("matches" in compiled) return (event) => compiled.matches(event.body, event.labels);
  report.error(
    offsetInto(childOf(map, "where")?.place ?? map.place, text, compiled.offset),
    compiled.rule,
    compiled.message,
  );
  return undefined;
}

function childRoutes(map: MapNode, report: Report): readonly MapNode[] {
  const entry = entryOf(map, "routes");
  if (entry === undefined) return [];
  const items = entry.node.kind === "list" ? entry.node.items : [];
  if (entry.node.kind !== "list")
    report.error(entry.keyPlace, "wrong-type", "`routes` must be a list");
  for (const item of items)
    if (item.kind !== "map") report.error(item.place, "wrong-type", "a route must be a map");
  return items.filter((item) => item.kind === "map");
}

/**
 * Warns of `continue: true` on the last child. People who write this expect that the events also go
 * to the parent's sink, but they do not.
 */
function warnOfLastContinue(last: MapNode | undefined, report: Report): void {
  const entry = entryOf(last, "continue");
  if (entry?.node.kind !== "scalar" || entry.node.value !== true) return;
  const message =
    "`continue: true` has no effect on the last route: its events do not also go to the `sink` of the parent route; name that sink here too, or add a last route with it";
  report.warn(entry.keyPlace, "no-effect", message);
}

function readMatcher(text: string, place: Place, deps: RouteBuildDeps): readonly Matcher[] {
  const matcher = parseMatcher(text, deps.compilePattern);
  if (typeof matcher === "string") {
    deps.report.error(place, "matcher", matcher);
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
