/**
 * What can be wrong with the names in a matcher: labels that no event has, watches and watch types
 * that do not exist. For routes and silences.
 */
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { Matcher } from "../../route/route.ts";
import { didYouMean } from "../suggest.ts";

export interface MatchableNames {
  /** Ids of all watches, and the values `type` can have. */
  readonly watchIds: readonly string[];
  readonly watchTypes: readonly string[];
  /** The watches' own labels. */
  readonly labels: readonly string[];
}

/** A sentence, or undefined when there is such a label. */
export function describeUnknownLabel(
  label: string,
  { labels }: Pick<MatchableNames, "labels">,
): string | undefined {
  const known = [...BUILT_IN_LABELS, ...labels];
  if (known.includes(label)) return undefined;
  return `no event has a label "${label}"${didYouMean(label, known) || `; there are ${[...new Set(known)].join(", ")}`}`;
}

/** A sentence, or undefined when the value may occur. */
export function describeUnknownValue(
  { label, op, value }: Pick<Matcher, "label" | "op" | "value">,
  names: MatchableNames,
) {
  if (op !== "=" || (label !== "watch" && label !== "type")) return undefined;
  const known = label === "watch" ? names.watchIds : names.watchTypes;
  if (known.includes(value)) return undefined;
  return `no ${label === "watch" ? "watch" : "watch type"} is called "${value}"${didYouMean(value, known) || ": this never matches"}`;
}
