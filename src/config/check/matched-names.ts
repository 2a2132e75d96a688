/**
 * Finds wrong names in matchers: labels that no event has, and watches and watch types that do not
 * exist. It is used for the matchers of routes and of silences.
 */
import { BUILT_IN_LABELS } from "../../model/event.ts";
import type { Matcher } from "../../route/route.ts";
import { didYouMean } from "../suggest.ts";

export interface MatchableNames {
  /** The ids of all watches. */
  readonly watchIds: readonly string[];
  readonly watchTypes: readonly string[];
  /** The names of the labels that watches set under `labels`. */
  readonly labels: readonly string[];
}

/**
 * Returns what is wrong with the label of a matcher; undefined if some event can have the label.
 */
export function describeUnknownLabel(
  label: string,
  { labels }: Pick<MatchableNames, "labels">,
): string | undefined {
  const known = [...BUILT_IN_LABELS, ...labels];
  if (known.includes(label)) return undefined;
  return `no event has a label "${label}"${didYouMean(label, known) || `; known here: ${[...new Set(known)].join(", ")}`}`;
}

/**
 * Returns what is wrong with the value of a matcher on `watch` or `type`; undefined if some event
 * can have the value.
 */
export function describeUnknownValue(
  { label, op, value }: Pick<Matcher, "label" | "op" | "value">,
  names: MatchableNames,
) {
  if (op !== "=" || (label !== "watch" && label !== "type")) return undefined;
  const known = label === "watch" ? names.watchIds : names.watchTypes;
  if (known.includes(value)) return undefined;
  return `no ${label === "watch" ? "watch" : "watch type"} is called "${value}"${didYouMean(value, known) || ": this never matches"}`;
}
