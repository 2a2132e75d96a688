/** The colour at the edge of an embed: what happened shows before it is read. */
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

/** An alert that a watch marks as more than a note has the colour of its severity; what went away is grey. */
export function discordColor(eventType: string, severity: string): number {
  const [subject = "", what = ""] = eventType.split(".");
  return ownValue(BY_SEVERITY, severity) ?? (/^(?:removed|deleted|left)$/.test(what) ? GONE : (ownValue(BY_SUBJECT, subject) ?? NEUTRAL));
}
