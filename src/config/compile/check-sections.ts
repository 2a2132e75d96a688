/**
 * Checks the rules that concern several sections: names that moved, the sinks of `ops`, an address
 * of the service that only this machine has, and sinks that nothing uses.
 */
import type { ReportConfig } from "../../model/report.ts";
import type { Watch } from "../../model/watch.ts";
import type { Route, Shaping } from "../../route/route.ts";
import type { SinkConfig } from "../config.ts";
import { loopbackDoubt } from "../guard.ts";
import type { Report } from "../report.ts";
import {
  childOf,
  type Entry,
  entryOf,
  findNode,
  type MapNode,
  type Node,
  type Place,
} from "../tree.ts";
import type { BuildDeps } from "./build-deps.ts";
import type { Sections } from "./build-sections.ts";
import { checkSinks } from "./check-sinks.ts";

function sinkPlace(node: Node, fallback: Place, index: number): Place {
  const sink = childOf(node, "sink");
  if (sink === undefined) return fallback;
  return sink.kind === "list" ? (sink.items[index]?.place ?? sink.place) : sink.place;
}

export function checkMoves(
  entries: readonly Entry[],
  what: "watch" | "sink",
  report: Report,
): void {
  const ids = entries.map(({ key }) => key);
  const taken = new Set<string>();
  for (const { key, node } of entries) {
    const from = childOf(node, "moved_from");
    if (from?.kind !== "scalar" || typeof from.value !== "string") continue;
    if (ids.includes(from.value)) {
      report.error(
        from.place,
        "moved-from",
        `\`moved_from\` names the ${what} \`${from.value}\`, which is still defined: ${from.value === key ? "remove the line" : `remove that ${what}, or this line`}`,
      );
    } else if (taken.has(from.value))
      report.error(
        from.place,
        "moved-from",
        `two ${what === "watch" ? "watches" : "sinks"} were moved from \`${from.value}\`: only one can keep its ${what === "watch" ? "memory" : "queue"}`,
      );
    taken.add(from.value);
  }
}

export function checkOps(
  root: MapNode,
  sections: Sections | undefined,
  sinks: readonly Entry[],
  report: Report,
): void {
  const entry = entryOf(root, "ops");
  if (
    entry === undefined ||
    entry.node.kind !== "map" ||
    entryOf(entry.node, "sink") === undefined
  ) {
    if (entry !== undefined && entry.node.kind !== "map") return;
    const place = entry?.keyPlace ?? { file: root.place.file, offset: 0 };
    report.warn(
      place,
      "no-ops",
      "no `ops` sink: alerts about the daemon itself go only to the log and the status page; write `ops: { sink: NAME }`",
    );
    return;
  }
  if (sections === undefined) return;
  const place = (index: number) =>
    sinkPlace(entry.node, findNode(entry.node, ["sink"], entry.keyPlace).place, index);
  checkSinks(
    sections.ops.sinks,
    place,
    sinks.map(({ key }) => key),
    report,
  );
}

export function warnOfLoopback(
  root: MapNode,
  { api }: Sections,
  sinks: readonly SinkConfig[],
  deps: BuildDeps,
): void {
  const doubt = loopbackDoubt(api.baseUrl, sinks, deps.sinkTypes);
  const { place, node } = findNode(root, ["api", "base_url"]);
  if (doubt !== undefined) deps.report.warn(node?.place ?? place, "loopback-service", doubt);
}

/** Everything that can refer to a sink. */
interface SinkUsers {
  readonly watchEntries: readonly Entry[];
  readonly watches: readonly Watch[];
  readonly route: Route | undefined;
  readonly reports: readonly ReportConfig[];
  readonly sections: Sections | undefined;
  readonly built: readonly SinkConfig[];
}

export function warnOfUnused(
  sinks: readonly Entry[],
  { watchEntries, watches, route, reports, sections, built }: SinkUsers,
  report: Report,
): void {
  // If a watch or the route tree has errors, it is not known which sinks they use.
  if (
    watches.length !== watchEntries.length ||
    sections === undefined ||
    (route === undefined && report.hasErrors())
  )
    return;
  const used = new Set([
    ...watches.flatMap((watch) => watch.sinks),
    ...sections.ops.sinks,
    ...reports.flatMap(({ sinks: own }) => own),
    ...(route === undefined ? [] : sinksOf(route)),
    ...built.flatMap(escalatedSinks),
  ]);
  for (const { key, keyPlace } of sinks) {
    if (!used.has(key))
      report.warn(
        keyPlace,
        "unused-sink",
        `the sink \`${key}\` is never used: no watch, route, report or \`ops\` names it`,
      );
  }
}

const escalatedSinks = ({ escalate }: Pick<Shaping, "escalate">): readonly string[] =>
  escalate === undefined || escalate === false ? [] : escalate.map(({ sink }) => sink);

const sinksOf = (route: Route): readonly string[] => [
  ...route.sinks,
  ...escalatedSinks(route),
  ...route.routes.flatMap(sinksOf),
];
