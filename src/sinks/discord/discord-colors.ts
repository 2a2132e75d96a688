/**
 * Chooses the colour at the edge of an embed, which shows at a glance what kind of event an alert
 * is about.
 */
import type { ChirpEvent } from "../../model/event.ts";
import type { Matches } from "../kind/sink-type.ts";
import { ownValue } from "../../model/own-value.ts";

const NEUTRAL = 0x3b82f6;
const GONE = 0x64748b;

const BY_SEVERITY: Readonly<Record<string, number>> = { warning: 0xf59e0b, critical: 0xef4444 };

/** Colours by the first part of the event's type. */
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

/** A configured colour, and the alerts to which it applies. */
export interface ColorRule {
  readonly color: string;
  readonly when?: string | undefined;
  readonly matches?: Matches;
}

/** Matches `#d00` or `#dd0000`. */
export const COLOR_PATTERN = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Returns the colour of the first rule that matches the event; undefined if none does. */
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
 * Returns the colour of an alert. The severities `warning` and `critical` have their own colours.
 * Otherwise the colour depends on the event type; events about something that was removed, deleted
 * or left are grey.
 */
export function discordColor(eventType: string, severity: string): number {
  const [subject = "", what = ""] = eventType.split(".");
  return (
    ownValue(BY_SEVERITY, severity) ??
    (/^(?:removed|deleted|left)$/.test(what) ? GONE : (ownValue(BY_SUBJECT, subject) ?? NEUTRAL))
  );
}
