/** Who joined a list of accounts, and who left it. Pure: `known` is what the state has on each member. */
import type { JsonObject } from "../model/json.ts";

/**
 * - `window`: the service lists recent members only, and one that disappears has not left.
 * - `newest`: every member, newest first: the top is read at every poll, the whole once a day.
 * - `whole`: every member in no order that counts: each poll reads on in a complete read.
 */
export type RosterMode = "window" | "newest" | "whole";

export interface RosterRule {
  /** Event type of a new member. */
  readonly joined: string;
  /** Event type of a member that a complete read no longer found; needs mode `whole`. Absent: leaving is not told. */
  readonly left?: string;
  readonly mode: RosterMode;
  /** What the event's body says besides the account: the list, the community, the tweet it is about. */
  readonly about?: JsonObject;
  /** Fields of an account that the list has; the body carries no others. Absent: whole profiles. */
  readonly fields?: readonly string[];
  /** The list's dates are of something else than joining it. */
  readonly ignoresDates?: boolean;
}

export interface RosterMember {
  readonly id: string;
  /** When the member joined, epoch ms, where the service says so. */
  readonly joinedAtMs?: number;
}

export interface RosterFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline";
}

/**
 * Verdicts of members without one. Before the baseline is complete everything is baseline, unless it joined after `registeredAtMs`
 * (the service's clock) by the service's own date.
 */
export function detectRoster(
  members: readonly RosterMember[],
  known: ReadonlySet<string>,
  options: { readonly isBaselined: boolean; readonly registeredAtMs: number },
): readonly RosterFinding[] {
  const findings = new Map<string, RosterFinding>();
  for (const member of members) {
    if (known.has(member.id) || findings.has(member.id)) continue;
    const joinedLater = member.joinedAtMs !== undefined && member.joinedAtMs > options.registeredAtMs;
    findings.set(member.id, { id: member.id, verdict: options.isBaselined || joinedLater ? "news" : "baseline" });
  }
  return [...findings.values()];
}

export interface AbsentMember {
  readonly id: string;
  /** Start of the last complete read that found it, epoch ms. */
  readonly seenAtMs: number;
}

export interface CompleteRead {
  /** Accounts this read found. */
  readonly foundCount: number;
  /** Start of the complete read before this one; null when this is the first. */
  readonly previousAtMs: number | null;
}

/**
 * Who left, of those a complete read did not find: whoever two complete reads in a row missed. One read alone says little: a list that
 * comes from two places flickers, and a suspended account comes back with no followers. An empty read never counts.
 */
export function detectLeft<T extends AbsentMember>(absent: readonly T[], { foundCount, previousAtMs }: CompleteRead): readonly T[] {
  return foundCount === 0 || previousAtMs === null ? [] : absent.filter(({ seenAtMs }) => seenAtMs < previousAtMs);
}
