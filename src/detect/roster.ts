/**
 * Decides who joined a list of accounts and who left it. Pure. `known` contains the members that
 * the state knows.
 */
import type { JsonObject } from "../model/json.ts";
import { firstRun, lastRun } from "./known-run.ts";

/**
 * How the service lists the members, and how they are therefore read.
 * - `window`: the list has only recent members, so a member that disappears has not left.
 * - `newest`: the list has every member, newest first. The first page is the baseline, every poll
 *   reads the top, and the rest of the list is read in the background.
 * - `ranked`: the list has every member, in an order of the service's own. The top is read at every
 *   poll. The whole list is read once before anything is reported, and then once a day.
 * - `whole`: the list has every member in no useful order. Every poll continues a complete read.
 */
export type RosterMode = "window" | "newest" | "ranked" | "whole";

export interface RosterRule {
  /** The event type of a new member. */
  readonly joined: string;
  /**
   * The event type of a member that complete reads no longer find. Needs mode `whole`. If absent,
   * members that leave are not reported.
   */
  readonly left?: string;
  readonly mode: RosterMode;
  /**
   * Additional fields of the event body: the list, the community or the tweet to which the members
   * belong.
   */
  readonly about?: JsonObject;
  /**
   * The fields of an account that the list contains; the event body has no other fields of it. If
   * absent, the list contains complete profiles.
   */
  readonly fields?: readonly string[];
  /** Set if the dates in the list are not the times at which accounts joined. */
  readonly ignoresDates?: boolean;
}

export interface RosterMember {
  readonly id: string;
  /** When the member joined, in epoch ms; absent if the service does not say so. */
  readonly joinedAtMs?: number;
}

interface Known {
  has(id: string): boolean;
}

export interface RosterFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline";
}

/**
 * Returns a verdict for each member that has none yet. Until the baseline is complete, every member
 * belongs to it, except members that joined after `registeredAtMs` (epoch ms of the service's
 * clock), by the service's dates.
 */
export function detectRoster(
  members: readonly RosterMember[],
  known: Known,
  options: { readonly isBaselined: boolean; readonly registeredAtMs: number },
): readonly RosterFinding[] {
  const findings = new Map<string, RosterFinding>();
  for (const member of members) {
    if (known.has(member.id) || findings.has(member.id)) continue;
    const joinedLater =
      member.joinedAtMs !== undefined && member.joinedAtMs > options.registeredAtMs;
    findings.set(member.id, {
      id: member.id,
      verdict: options.isBaselined || joinedLater ? "news" : "baseline",
    });
  }
  return [...findings.values()];
}

export interface WatermarkQuery {
  readonly isKnown: (id: string) => boolean;
  /**
   * Whether the member's stored verdict is `baseline`. A known member without it was found later.
   */
  readonly isBaseline: (id: string) => boolean;
  /** The number of known members in a row that make a run. Members below a run are not new. */
  readonly run: number;
  /** Whether the list is known to have its newest members first. */
  readonly isOrdered: boolean;
  /** Whether the walk reached the end of the list. */
  readonly isAtEnd: boolean;
}

/**
 * Returns verdicts for a walk, newest member first, down a list that was never read to its end.
 * Unknown members above the watermark are new; unknown members below it belong to the baseline. The
 * watermark is where the first run of baseline members begins. If a run of known members begins
 * further down, the watermark is there, because the baseline members above it have unfollowed and
 * followed again. Without any run of known members: if the walk reached the end of the list,
 * everyone belongs to the baseline, because the known members are no longer in the list; if the
 * list is known to be ordered, everyone is new; otherwise there are no verdicts.
 */
export function detectAboveWatermark(
  ids: readonly string[],
  query: WatermarkQuery,
): readonly RosterFinding[] {
  const { isKnown, isBaseline, run, isOrdered, isAtEnd } = query;
  const lastKnown = lastRun(ids, isKnown, run);
  if (lastKnown === undefined && !isOrdered && !isAtEnd) return [];
  const firstBaseline =
    lastKnown === undefined && isAtEnd ? 0 : (firstRun(ids, isBaseline, run) ?? ids.length);
  const watermark = Math.max(firstBaseline, lastKnown ?? 0);
  return ids.flatMap((id, index) =>
    isKnown(id)
      ? []
      : [{ id, verdict: index < watermark ? ("news" as const) : ("baseline" as const) }],
  );
}

export interface AbsentMember {
  readonly id: string;
  /** The start of the last complete read that found the member, in epoch ms. */
  readonly seenAtMs: number;
}

export interface CompleteRead {
  /** The number of accounts that this read found. */
  readonly foundCount: number;
  /** The start of the complete read before this one, in epoch ms; null if this is the first one. */
  readonly previousAtMs: number | null;
}

/**
 * Returns the members that left: those that two complete reads in a row did not find. One read is
 * not enough, because answers about a list may alternate between two versions, and an account that
 * returns from a suspension has no followers at first. An empty read never counts.
 */
export function detectLeft<T extends AbsentMember>(
  absent: readonly T[],
  { foundCount, previousAtMs }: CompleteRead,
): readonly T[] {
  return foundCount === 0 || previousAtMs === null
    ? []
    : absent.filter(({ seenAtMs }) => seenAtMs < previousAtMs);
}
