/**
 * Checks the names of sinks in watches, routes and `ops`. Also checks whether a sink that posts
 * threads by group gets groups from its routes, and whether the sinks of a digest can show it.
 */
import type { Route } from "../../route/route.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { SinkConfig } from "../config.ts";
import type { Report } from "../report.ts";
import { didYouMean } from "../suggest.ts";
import { childOf, type Entry, entryOf, type MapNode, type Place } from "../tree.ts";

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

/** Reports sinks with `actions_link` if nothing says at which address people reach the page. */
export function checkActionsLinks(
  entries: readonly Entry[],
  sinks: readonly SinkConfig[],
  publicUrl: string | undefined,
  report: Report,
): void {
  if (publicUrl !== undefined) return;
  for (const { name, actionsLink } of sinks) {
    const entry = entries.find(({ key }) => key === name);
    if (actionsLink === undefined || entry === undefined) continue;
    const place =
      entry.node.kind === "map" ? entryOf(entry.node, "actions_link")?.keyPlace : undefined;
    const message =
      "`actions_link` needs the address at which people reach the page: write `public_url` under `server`, like https://chirpwatch.example.com, or remove this";
    report.error(place ?? entry.keyPlace, "actions-link", message);
  }
}

type Form = NonNullable<SinkType["sendsEvents"]>;

/** The types of sinks that send events as data, by the name of the sink. */
export type EventSinks = ReadonlyMap<string, { readonly type: string; readonly form: Form }>;

export function eventSinksOf(
  sinks: readonly { readonly name: string; readonly type: string }[],
  types: readonly SinkType<any>[],
): EventSinks {
  const forms = new Map(types.map(({ type, sendsEvents }) => [type, sendsEvents]));
  return new Map(
    sinks.flatMap(({ name, type }) => {
      const form = forms.get(type);
      return form === undefined ? [] : [[name, { type, form }] as const];
    }),
  );
}

/** The keys of a digest that the sinks of each form cannot show. */
const UNSHOWN: Readonly<Record<Form, readonly string[]>> = {
  documents: ["group_by", "max_items"],
  lines: ["title", "group_by", "max_items", "when_empty"],
};

/**
 * Warns of the keys of a digest that have no effect, because all its sinks send its events as data.
 * `map`: the sink or route with the digest.
 */
export function warnOfUnshownKeys(
  map: MapNode,
  sinkNames: readonly string[],
  eventSinks: EventSinks,
  report: Report,
): void {
  const digest = childOf(map, "digest");
  const sinks = sinkNames.flatMap((name) => eventSinks.get(name) ?? []);
  const [first] = sinks;
  if (digest?.kind !== "map" || first === undefined || sinks.length < sinkNames.length) return;
  for (const key of UNSHOWN.lines) {
    const entry = entryOf(digest, key);
    const isShown = sinks.some(({ form }) => !UNSHOWN[form].includes(key));
    const isNothing = entry?.node.kind === "scalar" && entry.node.value === "nothing";
    if (entry === undefined || isShown || isNothing) continue;
    const message = `\`${key}\` has no effect: a sink of type ${first.type} gets every event of a digest, ${first.form === "lines" ? "as a line" : "without sections"}; remove it`;
    report.warn(entry.keyPlace, "no-effect", message);
  }
}
