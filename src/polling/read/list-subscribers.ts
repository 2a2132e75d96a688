/**
 * What the subscribers of a poll want of a member list: who draws a watermark, who reads on down to
 * members it knows, who wants the list read whole. Owns these wants and what each subscriber knows
 * of members; the reading is read-member-list.ts's.
 */
import { endsInRun, firstRun, RUN } from "../../detect/known-run.ts";
import type { RosterMode, RosterRule } from "../../detect/roster.ts";
import type { ItemMark } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import { isMemberListBaselined } from "./baselines.ts";
import type { MemberListMemory } from "./member-list-memory.ts";

/**
 * - `draws`: the newest page becomes its baseline watermark.
 * - `follows`: reads from the newest member down to members it knows.
 * - `whole`: only a complete read shows it anything.
 */
export type SubscriberPart = "draws" | "follows" | "whole";

export interface ListSubscriber {
  readonly part: SubscriberPart;
  readonly mode: RosterMode;
  readonly isBaselined: boolean;
  /** Undefined where the list was read to its end since the baseline, or need not be. */
  readonly partial: PartialBaseline | undefined;
  /** Null while it has none. */
  readonly baselineAtMs: number | null;
}

/** A baseline watermark below which the list was not read to its end yet. */
export interface PartialBaseline {
  /** So many known members in a row show that the watermark is reached. */
  readonly run: number;
  /** A read of the whole list that began then or later completes it. */
  readonly sinceMs: number;
}

/** What each subscriber has on members, in the order of the subscribers. */
export type KnownMembers = readonly ReadonlyMap<string, ItemMark>[];

export function listSubscriberOf(
  rule: RosterRule,
  target: TargetState,
  memory: MemberListMemory,
  list: string,
): ListSubscriber {
  const { mode } = rule;
  const isBaselined = isMemberListBaselined(target, list);
  const { baselineAtMs } = target;
  if (mode === "newest" && !isBaselined && isHalfRead(target, memory)) {
    const sinceMs = memory.scan?.startedAtMs ?? 0;
    return {
      part: "follows",
      mode,
      isBaselined,
      baselineAtMs: sinceMs,
      partial: { run: RUN, sinceMs },
    };
  }
  const partial = isBaselined ? partialOf(target) : undefined;
  const isFollowing = isBaselined && (mode === "newest" || mode === "ranked");
  return {
    part: isFollowing ? "follows" : mode === "newest" ? "draws" : "whole",
    mode,
    isBaselined,
    baselineAtMs,
    partial,
  };
}

/** As a target remembers it. */
function partialOf({ memory }: Pick<TargetState, "memory">): PartialBaseline | undefined {
  const { run, since_ms: sinceMs } = (memory["partial"] ?? {}) as Readonly<Record<string, unknown>>;
  return typeof run === "number" && typeof sinceMs === "number" ? { run, sinceMs } : undefined;
}

/** Of a watermark that so many members were seen of: some of them will leave. */
export const runOf = (members: number): number =>
  Math.max(1, Math.min(RUN, Math.ceil(members / 2)));

/**
 * States of releases that knew no watermarks: the list was being read for the first time, and what
 * its first page held is known. Reads that count their members are of a later release.
 */
const isHalfRead = (
  { baselineAtMs, registeredAtMs, memory: own }: TargetState,
  { scan }: MemberListMemory,
): boolean =>
  baselineAtMs === null &&
  own["baseline_of"] === undefined &&
  scan !== undefined &&
  scan.members === undefined &&
  scan.found !== false &&
  scan.startedAtMs >= registeredAtMs;

type Known = ReadonlyMap<string, ItemMark> | undefined;

/** `sinceMs`: of newcomers, only those found before count. */
export const isKnown =
  (known: Known, sinceMs = Number.POSITIVE_INFINITY) =>
  (id: string): boolean => {
    const mark = known?.get(id);
    return mark !== undefined && (mark.verdict === "baseline" || mark.seenAtMs < sinceMs);
  };

export const isBaseline =
  (known: Known) =>
  (id: string): boolean =>
    known?.get(id)?.verdict === "baseline";

/**
 * Whether what was left unread then is news to a subscriber: a watermark drawn later lies above it.
 */
export const isStillUnread = (
  { part, baselineAtMs }: Pick<ListSubscriber, "part" | "baselineAtMs">,
  leftAtMs: number,
): boolean => part === "follows" && baselineAtMs !== null && baselineAtMs < leftAtMs;

/**
 * So many members below a run of the baseline show that it is one, and not a crowd that unfollowed
 * and follows again.
 */
const BELOW = 100;

/** Whether a walk down the list has shown a subscriber enough. `sinceMs`: see `isKnown`. */
export function hasSeenEnough(
  subscriber: ListSubscriber,
  ids: readonly string[],
  known: Known,
  sinceMs?: number,
): boolean {
  const { part, partial } = subscriber;
  if (part === "whole") return true;
  if (part === "draws") return ids.length >= RUN;
  if (endsInRun(ids, isKnown(known, sinceMs), partial?.run)) return true;
  // Below its watermark stand members that were there all along and that nobody has read yet.
  const baseline = baselineRun(subscriber, ids, known);
  return baseline !== undefined && ids.length - baseline >= (partial?.run ?? RUN) + BELOW;
}

/** Whether news of a subscriber may lie below where a walk was cut. */
export const missesNews = (
  subscriber: ListSubscriber,
  ids: readonly string[],
  known: Known,
  sinceMs?: number,
): boolean =>
  subscriber.part === "follows" &&
  !hasSeenEnough(subscriber, ids, known, sinceMs) &&
  baselineRun(subscriber, ids, known) === undefined;

const baselineRun = (
  { partial }: ListSubscriber,
  ids: readonly string[],
  known: Known,
): number | undefined =>
  partial === undefined ? undefined : firstRun(ids, isBaseline(known), partial.run);

/**
 * Somebody unknown above a run of known ones, or above where the walk began: this list has its
 * newest members first.
 */
export function showsOrder(
  { partial }: ListSubscriber,
  ids: readonly string[],
  known: Known,
  isBelowUnknown: boolean,
): boolean {
  const run = partial === undefined ? undefined : firstRun(ids, isKnown(known), partial.run);
  return (
    run !== undefined && (isBelowUnknown || ids.slice(0, run).some((id) => !isKnown(known)(id)))
  );
}
