/**
 * Who joined a list of accounts, and who left it. Pure: `known` is what the state has on each
 * member.
 */
import type { JsonObject } from "../model/json.ts";
import { firstRun, lastRun } from "./known-run.ts";

/**
 * - `window`: the service lists recent members only, and one that disappears has not left.
 * - `newest`: every member, newest first: the first page is the baseline, the top is read at every
 *   poll, the whole behind it.
 * - `ranked`: every member in an order of the service's own: the top is read at every poll, the
 *   whole before anything is reported and once a day.
 * - `whole`: every member in no order that counts: each poll reads on in a complete read.
 */
export type RosterMode = "window" | "newest" | "ranked" | "whole";

export interface RosterRule {
  /** Event type of a new member. */
  readonly joined: string;
  /**
   * Event type of a member that a complete read no longer found; needs mode `whole`. Absent:
   * leaving is not reported.
   */
  readonly left?: string;
  readonly mode: RosterMode;
  /**
   * What the event's body says besides the account: the list, the community, the tweet it is about.
   */
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

interface Known {
  has(id: string): boolean;
}

export interface RosterFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline";
}

/**
 * Verdicts of members without one. Before the baseline is complete everything is baseline, unless
 * it joined after `registeredAtMs` (the service's clock) by the service's own date.
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
  /** Known from the baseline. */
  readonly isBaseline: (id: string) => boolean;
  /** So many known members in a row end what is new. */
  readonly run: number;
  /** The list was seen to have its newest members first. */
  readonly isOrdered: boolean;
  /** The walk came to the end of the list. */
  readonly isAtEnd: boolean;
}

/**
 * Verdicts of a walk down a list that was not read to its end yet, newest member first. Whoever
 * stands below a run of members from the baseline was there before, however late they are read,
 * unless another known run follows: then the first one unfollowed and followed again. A walk that
 * met no known run says nothing of anyone while the list was not seen to be in order; one that met
 * none down to the end of the list saw another list than the baseline is of.
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
 * Who left, of those a complete read did not find: whoever two complete reads in a row missed. One
 * read alone says little: a list that comes from two places flickers, and a suspended account comes
 * back with no followers. An empty read never counts.
 */
export function detectLeft<T extends AbsentMember>(
  absent: readonly T[],
  { foundCount, previousAtMs }: CompleteRead,
): readonly T[] {
  return foundCount === 0 || previousAtMs === null
    ? []
    : absent.filter(({ seenAtMs }) => seenAtMs < previousAtMs);
}
