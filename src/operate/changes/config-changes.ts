/**
 * Compares two configurations entry by entry. A reload logs the differences. For each added or
 * changed watch, it logs the same line as a start.
 */
import { basename } from "node:path";
import type { Config } from "../../config/config.ts";

export interface EntryChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface ConfigChanges {
  readonly watches: EntryChanges;
  readonly sinks: EntryChanges;
  /** The sections of the file, apart from watches and sinks, whose settings differ. */
  readonly sections: readonly string[];
  /** The names of the files that were edited, added or removed. */
  readonly files: readonly string[];
}

const SECTIONS = {
  api: "api",
  state: "state",
  server: "server",
  ops: "ops",
  linksHost: "links",
  route: "route",
} as const;

export function compareConfigs(before: Config, after: Config): ConfigChanges {
  const sections = Object.entries(SECTIONS) as [keyof typeof SECTIONS, string][];
  return {
    watches: compareEntries(before.watches, after.watches, ({ id }) => id),
    sinks: compareEntries(before.sinks, after.sinks, ({ name }) => name),
    sections: sections.flatMap(([key, name]) => (isSame(before[key], after[key]) ? [] : [name])),
    files: changedFiles(before, after),
  };
}

function compareEntries<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (entry: T) => string,
): EntryChanges {
  const old = new Map(before.map((entry) => [nameOf(entry), entry]));
  const kept = new Set(after.map(nameOf));
  return {
    added: after.map(nameOf).filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !kept.has(name)),
    changed: after
      .filter((entry) => old.has(nameOf(entry)) && !isSame(old.get(nameOf(entry)), entry))
      .map(nameOf),
  };
}

/**
 * Compares two entries without their line numbers in the file, which change when a line is added
 * above.
 */
const isSame = (one: unknown, other: unknown): boolean => asText(one) === asText(other);
const asText = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === "declaredAt" ? undefined : inner)) ?? "";

function changedFiles(before: Config, after: Config): readonly string[] {
  const printsOf = ({ reads }: Config) =>
    new Map(
      reads.flatMap(({ operation, path, print }) =>
        operation === "readText" ? [[path, print]] : [],
      ),
    );
  const [old, next] = [printsOf(before), printsOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .filter((path) => old.get(path) !== next.get(path))
    .map((path) => basename(path));
}

/** The maximum number of names of each kind in a log line and in the status. */
const MAX_NAMED = 20;

/** Returns the fields of the line that a reload logs. Lists without changes are left out. */
export function changeFields(
  { watches, sinks, sections, files }: ConfigChanges,
  memory: readonly string[],
  sends: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const lists = {
    files,
    watches_added: watches.added,
    watches_removed: watches.removed,
    watches_changed: watches.changed,
    sinks_added: sinks.added,
    sinks_removed: sinks.removed,
    sinks_changed: sinks.changed,
    sections_changed: sections,
    memory,
    sends,
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, list]) =>
      list.length === 0 ? [] : [[name, shorten(list)] as const],
    ),
  );
}

export const shorten = (list: readonly string[]): readonly string[] =>
  list.length <= MAX_NAMED
    ? list
    : [...list.slice(0, MAX_NAMED), `and ${list.length - MAX_NAMED} more`];
