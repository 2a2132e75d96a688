/** Checks the keys at the top of a configuration, and the names under `watches` and `sinks`. */
import type { Report } from "../report.ts";
import { entriesOf, type Entry, entryOf, type MapNode, type Node } from "../tree.ts";
import { besideText } from "../text/yaml-indent.ts";
import { unknownKey } from "./zod-words.ts";

const SECTIONS: readonly string[] = [
  "version",
  "api",
  "state",
  "server",
  "ops",
  "chat",
  "links",
  "templates",
  "time_intervals",
  "defaults",
  "watches",
  "route",
  "reports",
  "sinks",
];

/** Reports keys at the top that name no section. */
export function checkTopLevel(root: MapNode, report: Report): void {
  for (const entry of root.entries.values()) {
    if (isSection(entry)) continue;
    const above = emptyAbove(entry, root);
    const found =
      above === undefined
        ? unknownKey(entry.key, entry.keyPlace, SECTIONS)
        : {
            place: entry.keyPlace,
            rule: "yaml-indent" as const,
            message: besideText(entry.key, above),
          };
    report.error(found.place, found.rule, found.message);
  }
}

const isSection = ({ key }: Entry): boolean => key.startsWith("x-") || SECTIONS.includes(key);

/** Returns the section right above if it is empty, because the key probably belongs in it. */
function emptyAbove(entry: Entry, root: MapNode): string | undefined {
  const entries = [...root.entries.values()];
  const above = entries[entries.indexOf(entry) - 1];
  return above !== undefined && isSection(above) && isNothing(above.node) ? above.key : undefined;
}

const isNothing = (node: Node): boolean => node.kind === "scalar" && node.value === null;

/** Returns the entries of `watches` or `sinks`, and reports if the section is missing or empty. */
export function namedEntries(
  root: MapNode,
  section: "watches" | "sinks",
  report: Report,
): readonly Entry[] {
  const entry = entryOf(root, section);
  const example =
    section === "watches"
      ? "brand-mentions: { type: search, query: acme }"
      : "terminal: { type: console }";
  if (entry === undefined) {
    report.error(
      { file: root.place.file, offset: 0 },
      "missing-key",
      `\`${section}\` is missing: name at least one, like \`${example}\``,
    );
    return [];
  }
  const entries = entriesOf(entry.node).filter(({ key }) => !key.startsWith("x-"));
  if (entry.node.kind === "map" && entries.length > 0) return withoutMisplacedType(entries, report);
  if (
    [...root.entries.values()].some((one) => !isSection(one) && emptyAbove(one, root) === section)
  )
    return [];
  const isEmpty = entry.node.kind === "map" || isNothing(entry.node);
  report.error(
    entry.keyPlace,
    `${section}-map`,
    `\`${section}\` ${isEmpty ? "is empty" : "must be a map of names"}: write one like \`${example}\``,
  );
  return [];
}

/**
 * Finds an empty entry such as `a:` that is followed by `type: search` on the same level, because
 * the lines that belong to `a` were not indented. Reports this once, and leaves out `a` and
 * everything after it.
 */
function withoutMisplacedType(entries: readonly Entry[], report: Report): readonly Entry[] {
  const at = entries.findIndex(
    ({ key, node }, index) => index > 0 && key === "type" && node.kind === "scalar",
  );
  const above = entries.slice(0, Math.max(0, at)).findLast(({ node }) => isNothing(node));
  const misplaced = entries[at];
  if (above === undefined || misplaced === undefined) return entries;
  report.error(misplaced.keyPlace, "yaml-indent", besideText("type", above.key));
  return entries.slice(0, entries.indexOf(above));
}
