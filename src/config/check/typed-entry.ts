/**
 * Checks what entries under `watches` and `sinks` have in common: a `type`, keys that only this
 * type has, and keys that all types have.
 */
import type { z } from "zod";
import type { Report } from "../report.ts";
import { didYouMean } from "../suggest.ts";
import { childOf, type Entry, type MapNode } from "../tree.ts";
import { homesBelow, unknownKey } from "./zod-words.ts";

/**
 * Returns the type that the entry names. If it is missing or unknown, reports that and returns
 * undefined.
 */
export function findType<T extends { readonly type: string }>(
  map: MapNode,
  { key, keyPlace }: Entry,
  {
    kind,
    types,
    report,
  }: { readonly kind: "watch" | "sink"; readonly types: readonly T[]; readonly report: Report },
): T | undefined {
  const node = childOf(map, "type");
  const known = types.map(({ type }) => type);
  if (node === undefined) {
    report.error(
      keyPlace,
      "missing-key",
      `\`type\` is missing in \`${key}\`: write one of ${known.join(", ")}`,
    );
    return undefined;
  }
  const given = node.kind === "scalar" ? String(node.value) : "";
  const found = types.find(({ type }) => type === given);
  if (found === undefined && !(node.kind === "scalar" && node.unresolved)) {
    const instead = didYouMean(given, known) || `; known here: ${known.join(", ")}`;
    report.error(node.place, `${kind}-type`, `"${given}" is not a ${kind} type${instead}`);
  }
  return found;
}

export interface KnownKeys {
  readonly own: readonly string[];
  readonly common: readonly string[];
  /** Further keys that are valid here. They are candidates for "did you mean". */
  readonly besides?: readonly string[];
  /**
   * The schema of the type's own keys. It shows in which of its maps an unknown key would be valid.
   */
  readonly schema?: z.ZodType;
}

/** Splits the entry's keys into those of its type and those of all types. Reports unknown keys. */
export function splitKeys(
  map: MapNode,
  keys: KnownKeys,
  report: Report,
): { readonly common: MapNode; readonly own: MapNode } {
  const common = new Map<string, Entry>();
  const own = new Map<string, Entry>();
  for (const [key, child] of map.entries) {
    if (key === "type" || key.startsWith("x-")) continue;
    if (keys.own.includes(key)) own.set(key, child);
    else if (keys.common.includes(key)) common.set(key, child);
    else {
      const known = [...keys.own, ...(keys.besides ?? []), ...keys.common];
      const below = keys.schema === undefined ? [] : homesBelow(key, [], keys.schema);
      const found = unknownKey(key, child.keyPlace, known, { below });
      report.error(found.place, found.rule, found.message);
    }
  }
  return { common: { ...map, entries: common }, own: { ...map, entries: own } };
}
