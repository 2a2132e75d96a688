/** The colour at the edge of an embed: what happened shows before it is read. */
import type { ChirpEvent } from "../../model/event.ts";
import type { Matches } from "../kind/sink-type.ts";
import { ownValue } from "../../model/own-value.ts";

const NEUTRAL = 0x3b82f6;
const GONE = 0x64748b;

const BY_SEVERITY: Readonly<Record<string, number>> = { warning: 0xf59e0b, critical: 0xef4444 };

/** By what the type of the event begins with. */
const BY_SUBJECT: Readonly<Record<string, number>> = {
  tweet: NEUTRAL,
  follower: 0x22c55e,
  following: 0x14b8a6,
  member: 0x06b6d4,
  score: 0x8b5cf6,
  profile: 0xec4899,
  space: 0xa855f7,
  trend: 0xeab308,
};

/** A colour of the configuration, for the alerts that it is for. */
export interface ColorRule {
  readonly color: string;
  readonly when?: string | undefined;
  readonly matches?: Matches;
}

/** `#d00` or `#dd0000`. */
export const COLOR_PATTERN = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** That of the first rule that the event fulfils; undefined where there is none. */
export function ruleColor(
  rules: readonly ColorRule[],
  { body, labels }: Pick<ChirpEvent, "body" | "labels">,
): number | undefined {
  const rule = rules.find(
    ({ when, matches }) => when === undefined || matches?.(body, labels) === true,
  );
  const digits = rule?.color.slice(1) ?? "";
  if (digits === "") return undefined;
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, "$&$&") : digits, 16);
}

/**
 * An alert that a watch marks as more than a note has the colour of its severity; what went away is
 * grey.
 */
export function discordColor(eventType: string, severity: string): number {
  const [subject = "", what = ""] = eventType.split(".");
  return (
    ownValue(BY_SEVERITY, severity) ??
    (/^(?:removed|deleted|left)$/.test(what) ? GONE : (ownValue(BY_SUBJECT, subject) ?? NEUTRAL))
  );
}
