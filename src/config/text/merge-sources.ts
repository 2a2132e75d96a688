/**
 * Merges several files into one tree: entries of sections such as `watches` and `sinks` are joined,
 * and any other section may be in one file only.
 */
import { lineColumn, type Report } from "../report.ts";
import { type Entry, type MapNode, type Place } from "../tree.ts";
import { ownValue } from "../../model/own-value.ts";

/** Sections whose entries may be in several files. */
const JOINED: readonly string[] = ["watches", "sinks", "time_intervals", "templates", "reports"];

/** Merges the roots of the files. Undefined if there is no file. */
export function mergeSources(roots: readonly MapNode[], report: Report): MapNode | undefined {
  const [first, ...rest] = roots;
  if (first === undefined) return undefined;
  const entries = new Map(first.entries);
  for (const root of rest)
    for (const entry of root.entries.values()) addEntry(entries, entry, report);
  return { ...first, entries };
}

function addEntry(entries: Map<string, Entry>, entry: Entry, report: Report): void {
  const before = entries.get(entry.key);
  if (before === undefined) entries.set(entry.key, entry);
  else if (entry.key === "version" || entry.key.startsWith("x-")) return;
  else if (JOINED.includes(entry.key) && before.node.kind === "map" && entry.node.kind === "map") {
    entries.set(entry.key, { ...before, node: join(before.node, entry.node, entry.key, report) });
  } else
    report.error(
      entry.keyPlace,
      "section-twice",
      `\`${entry.key}\` is set in ${shown(before.keyPlace)} already: keep one of them`,
    );
}

const SINGULAR: Readonly<Record<string, string>> = {
  watches: "the watch",
  sinks: "the sink",
  time_intervals: "the time interval",
  templates: "the template",
  reports: "the report",
};

function join(before: MapNode, after: MapNode, section: string, report: Report): MapNode {
  const entries = new Map(before.entries);
  for (const [key, entry] of after.entries) {
    const known = entries.get(key);
    if (known === undefined) entries.set(key, entry);
    else if (!key.startsWith("x-")) {
      report.error(
        entry.keyPlace,
        "name-twice",
        `${ownValue(SINGULAR, section)} \`${key}\` is defined in ${shown(known.keyPlace)} already: rename one of them`,
      );
    }
  }
  return { ...before, entries };
}

const shown = (place: Place): string => `${place.file.shown}:${lineColumn(place).line}`;
