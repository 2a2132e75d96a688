/** Builds the configuration from its sections. */
import { join } from "node:path";
import type { Watch } from "../../model/watch.ts";
import type { Route } from "../../route/route.ts";
import { STEP_SIZE, yieldToEventLoop } from "../../model/steps.ts";
import { bytesOf } from "../../sinks/kind/size-setting.ts";
import { createTimetable, type Timetable } from "../../schedule/timetable.ts";
import { buildChat } from "./build-chat.ts";
import { buildReports } from "./build-reports.ts";
import { buildIntervals, type Intervals } from "./build-intervals.ts";
import { buildRoute, routeTo } from "./build-route.ts";
import { checkActionsLinks, eventSinksOf, warnOfLoneThreads } from "./check-sinks.ts";
import { enrichLabels } from "./build-enrich.ts";
import { refuseOwnFiles } from "./own-files.ts";
import { buildSections, type Sections } from "./build-sections.ts";
import { buildSink } from "./build-sink.ts";
import { buildTemplates, type BuiltTemplates } from "./build-templates.ts";
import { buildWatch, type WatchDeps } from "./build-watch.ts";
import type { BuildDeps } from "./build-deps.ts";
import type { Config, SinkConfig } from "../config.ts";
import { checkDefaults } from "./check-defaults.ts";
import { checkMoves, checkOps, warnOfLoopback, warnOfUnused } from "./check-sections.ts";
import { expandDefaultLists } from "./list-files.ts";
import { configPlace } from "../report.ts";
import { childOf, entriesOf, type Entry, entryOf, findNode, type MapNode } from "../tree.ts";
import { resolveStatePath, socketPlaceOf } from "../text/state-path.ts";
import type { LoadWhere, WhereCompiler } from "../where/where.ts";
import { anyBody, type WhereBody } from "../where/where-types.ts";
import { checkTopLevel, namedEntries } from "../check/top-level.ts";

type Built = Omit<Config, "warnings" | "files" | "reads" | "hash">;

/**
 * Builds the configuration. Resolves to undefined if `api`, `state`, `server`, `ops` or `links` has
 * errors. All errors are in the report.
 */
export async function buildConfig(written: MapNode, deps: BuildDeps): Promise<Built | undefined> {
  const { report } = deps;
  const root = await expandDefaultLists(written, deps);
  checkTopLevel(root, report);
  const where = lazyWhere();
  const sections = await buildSections(root, deps);
  checkDefaults(childOf(root, "defaults"), deps);
  const watchEntries = namedEntries(root, "watches", report);
  const sinkEntries = namedEntries(root, "sinks", report);
  const intervals = buildIntervals(childOf(root, "time_intervals"), report, deps.nowMs);
  const labels = labelsOf(watchEntries, root);
  const templates = await buildTemplates(childOf(root, "templates"), {
    report,
    watchTypes: deps.watchTypes,
    labels,
  });
  const sinkNames = sinkEntries.map(({ key }) => key);
  const retentionMs = sections?.state.retention ?? Number.POSITIVE_INFINITY;
  const shared = {
    ...{ sinkNames, retentionMs, where, intervals },
    nowMs: deps.nowMs,
    timetable: createTimetable(),
    body: anyBody(deps.watchTypes),
    labels,
    templates,
  };
  const sinks = await buildSinks(sinkEntries, root, shared, deps);
  const chat = await buildChat(root, { sinks, entries: sinkEntries }, deps);
  const hasFallback = entryOf(root, "route") !== undefined || sinkNames.length <= 1;
  const watches = await buildWatches(
    watchEntries,
    root,
    watchDeps(deps, { where, sinkNames, hasFallback, retentionMs, timetable: shared.timetable }),
  );
  const route = await buildTree(
    root,
    { watches: watchEntries, sinks: sinkEntries, builtSinks: sinks, ...shared },
    deps,
  );
  const reports = await buildReports(childOf(root, "reports"), {
    ...{ report, labels, watches, sinkNames, timetable: shared.timetable },
    watchIds: watchEntries.map(({ key }) => key),
  });
  checkMoves(watchEntries, "watch", report);
  checkMoves(sinkEntries, "sink", report);
  checkOps(root, sections, sinkEntries, report);
  if (route !== undefined || !report.hasErrors())
    warnOfLoneThreads(sinkEntries, sinks, route, report);
  warnOfUnused(
    sinkEntries,
    { watchEntries, watches, route, reports, sections, built: sinks },
    report,
  );
  if (sections === undefined) return undefined;
  checkActionsLinks(sinkEntries, sinks, sections.server.publicUrl, report);
  warnOfLoopback(root, sections, sinks, deps);
  const state = await placeState(sections.state, root, deps);
  const read = new Set([...deps.notedFiles, join(deps.folder, ".env")]);
  await refuseOwnFiles(
    { entries: sinkEntries, sinks, sinkTypes: deps.sinkTypes },
    { read, statePath: state.path },
    deps,
  );
  return {
    api: sections.api,
    state,
    server: sections.server,
    ops: sections.ops,
    chat: chat ?? { allow: {} },
    linksHost: sections.linksHost,
    watches,
    watchPlaces: Object.fromEntries(
      watchEntries.map(({ key, keyPlace }) => [key, configPlace(keyPlace)]),
    ),
    route,
    sinks,
    templates: [...templates.values()].filter((template) => template !== undefined),
    reports,
  };
}

async function placeState(
  { path, postgres, retention, must_exist, archive }: Sections["state"],
  root: MapNode,
  deps: BuildDeps,
): Promise<Config["state"]> {
  const rest = {
    retentionMs: retention,
    mustExist: must_exist,
    ...(archive === "off"
      ? {}
      : { archive: { keepMs: archive.keep, maxBytes: bytesOf(archive.max_size) } }),
  };
  if (postgres === undefined) return { path: await checkedStatePath(path, root, deps), ...rest };
  return { path: await socketPlaceOf(postgres, deps), postgres, ...rest };
}

/**
 * Returns the absolute path of the state file. A folder is refused here, because SQLite would
 * report it only when the daemon starts, and less clearly.
 */
async function checkedStatePath(written: string, root: MapNode, deps: BuildDeps): Promise<string> {
  const path = await resolveStatePath(written, deps);
  if (written.endsWith("/") || (await deps.files.isDirectory(path))) {
    const { node, place } = findNode(root, ["state", "path"]);
    const example = `${written.replace(/\/+$/, "")}/chirpwatch.db`;
    deps.report.error(
      node?.place ?? place,
      "state-path",
      `\`path\`: ${written} is a folder: name a file in it, like ${example}`,
    );
  }
  return path;
}

/**
 * Returns a function that loads the expression engine when the first expression needs it. Most
 * files have none.
 */
function lazyWhere(): LoadWhere {
  let compiler: Promise<WhereCompiler> | undefined;
  return () =>
    (compiler ??= import("../where/where.ts").then(({ createWhereCompiler }) =>
      createWhereCompiler(),
    ));
}

/** What both sinks and routes are built with. */
interface Shared {
  readonly sinkNames: readonly string[];
  readonly retentionMs: number;
  readonly where: LoadWhere;
  readonly intervals: Intervals;
  readonly timetable: Timetable;
  readonly nowMs: number;
  readonly body: WhereBody;
  readonly labels: readonly string[];
  readonly templates: BuiltTemplates;
}

async function buildSinks(
  entries: readonly Entry[],
  root: MapNode,
  shared: Shared,
  deps: BuildDeps,
): Promise<readonly SinkConfig[]> {
  const defaults = childOf(childOf(root, "defaults"), "sink");
  const { sinkTypes, watchTypes, folder, files, env, allowedPrograms, report, noteFile, lenient } =
    deps;
  const sinkDeps = {
    sinkTypes,
    watchTypes,
    folder,
    files,
    env,
    allowedPrograms,
    report,
    noteFile,
    lenient,
    ...shared,
  };
  const built = await Promise.all(entries.map((entry) => buildSink(entry, defaults, sinkDeps)));
  return built.filter((sink) => sink !== undefined);
}

async function buildWatches(
  entries: readonly Entry[],
  root: MapNode,
  deps: WatchDeps,
): Promise<readonly Watch[]> {
  const defaults = childOf(childOf(root, "defaults"), "watch");
  const built: (Watch | undefined)[] = [];
  // Watches are built one after the other, so that the intermediate values of one can be freed
  // before the next.
  for (const entry of entries) {
    built.push(await buildWatch(entry, defaults, deps));
    if (built.length % STEP_SIZE === 0) await yieldToEventLoop();
  }
  return built.filter((watch) => watch !== undefined);
}

/** What a watch must know about the rest of the file. */
type OfOtherSections = Pick<
  WatchDeps,
  "where" | "sinkNames" | "hasFallback" | "retentionMs" | "timetable"
>;

const watchDeps = (
  { watchTypes, folder, files, allowedPrograms, report, noteFile, lenient }: BuildDeps,
  { where, sinkNames, hasFallback, retentionMs, timetable }: OfOtherSections,
): WatchDeps => ({
  watchTypes,
  folder,
  files,
  allowedPrograms,
  report,
  noteFile,
  lenient,
  where,
  sinkNames,
  hasFallback,
  retentionMs,
  timetable,
  share: createSharing(),
});

/**
 * Creates a function that replaces equal values by one object. Ten thousand watches have only a few
 * different schedules and filters.
 */
function createSharing(): WatchDeps["share"] {
  const known = new Map<string, object>();
  return <Value extends object>(value: Value): Value => {
    const key = JSON.stringify(value);
    const first = known.get(key);
    if (first === undefined) known.set(key, value);
    return (first ?? value) as Value;
  };
}

/**
 * Returns the names of the labels that watches set under `labels`, and of those that `enrich` may
 * add.
 */
function labelsOf(watches: readonly Entry[], root: MapNode): readonly string[] {
  const defaults = childOf(childOf(root, "defaults"), "watch");
  const nodes = [...watches.map(({ node }) => node), defaults];
  return [
    ...nodes.flatMap((node) => entriesOf(childOf(node, "labels"))).map(({ key }) => key),
    ...enrichLabels(nodes),
  ];
}

interface TreeEntries extends Shared {
  readonly watches: readonly Entry[];
  readonly sinks: readonly Entry[];
  readonly builtSinks: readonly SinkConfig[];
}

/**
 * Returns the route tree as written, or one route to the only sink. The engine for regular
 * expressions is loaded only for a written tree.
 */
async function buildTree(
  root: MapNode,
  { watches, sinks, builtSinks, ...shared }: TreeEntries,
  deps: BuildDeps,
): Promise<Route | undefined> {
  const written = entryOf(root, "route");
  const sinkNames = sinks.map(({ key }) => key);
  const [only] = sinkNames;
  if (written === undefined)
    return sinkNames.length === 1 && only !== undefined ? routeTo(only) : undefined;
  const { compilePattern } = await import("../../route/pattern.ts");
  return buildRoute(written, {
    report: deps.report,
    watchIds: watches.map(({ key }) => key),
    watchTypes: deps.watchTypes.map(({ type }) => type),
    compilePattern,
    sinkHours: new Map(builtSinks.map((sink) => [sink.name, sink])),
    eventSinks: eventSinksOf(builtSinks, deps.sinkTypes),
    ...shared,
  });
}
