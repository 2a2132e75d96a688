/**
 * Checks the names of sinks in watches, routes and `ops`, and whether a sink that posts threads by
 * group gets groups from its routes.
 */
import type { Route } from "../../route/route.ts";
import type { SinkConfig } from "../config.ts";
import type { Report } from "../report.ts";
import { didYouMean } from "../suggest.ts";
import { type Entry, entryOf, type Place } from "../tree.ts";

/** Reports names that no sink has. `placeAt` returns the place of the name with this index. */
export function checkSinks(
  wanted: readonly string[],
  placeAt: (index: number) => Place,
  known: readonly string[],
  report: Report,
): void {
  for (const [index, name] of wanted.entries()) {
    if (known.includes(name)) continue;
    const hint =
      didYouMean(name, known) ||
      (known.length === 0
        ? "; none is defined under `sinks`"
        : `; known here: ${known.join(", ")}`);
    report.error(placeAt(index), "unknown-sink", `there is no sink "${name}"${hint}`);
  }
}

/**
 * Warns of a sink with `thread_by: group` if no route to it has `group_by`. Each alert is then a
 * group of its own, so no message would ever be posted in another's thread.
 */
export function warnOfLoneThreads(
  entries: readonly Entry[],
  sinks: readonly SinkConfig[],
  route: Route | undefined,
  report: Report,
): void {
  const grouped = route === undefined ? new Set<string>() : groupedSinks(route, []);
  for (const { name, settings } of sinks) {
    const isByGroup =
      (settings as { readonly thread_by?: unknown } | undefined)?.thread_by === "group";
    const entry = entries.find(({ key }) => key === name);
    if (!isByGroup || grouped.has(name) || entry === undefined) continue;
    const place =
      entry.node.kind === "map" ? entryOf(entry.node, "thread_by")?.keyPlace : undefined;
    const message = `\`thread_by: group\` has no effect: no route to \`${name}\` has \`group_by\`; add that, or write \`thread_by: conversation\` or \`watch\``;
    report.warn(place ?? entry.keyPlace, "no-effect", message);
  }
}

function groupedSinks(
  { sinks, groupBy, routes }: Route,
  inherited: readonly string[],
): ReadonlySet<string> {
  const named = sinks.length > 0 ? sinks : inherited;
  return new Set([
    ...(groupBy.length > 0 ? named : []),
    ...routes.flatMap((route) => [...groupedSinks(route, named)]),
  ]);
}
