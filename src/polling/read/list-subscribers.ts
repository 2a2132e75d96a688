/**
 * Decides what each subscriber of a poll needs of a member list: a baseline watermark, a read down
 * to members that it knows, or a read of the whole list. Also decides which members a subscriber
 * knows. read-member-list.ts does the reading.
 */
import { endsInRun, firstRun, RUN } from "../../detect/known-run.ts";
import type { RosterMode, RosterRule } from "../../detect/roster.ts";
import type { ItemMark } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import { isMemberListBaselined } from "./baselines.ts";
import type { MemberListMemory } from "./member-list-memory.ts";

/**
 * What a subscriber needs of a list.
 * - `draws`: the newest page, which becomes its baseline watermark.
 * - `follows`: the newest members, down to members that it knows.
 * - `whole`: a complete read. Less than that shows it nothing.
 */
export type SubscriberPart = "draws" | "follows" | "whole";

export interface ListSubscriber {
  readonly part: SubscriberPart;
  readonly mode: RosterMode;
  readonly isBaselined: boolean;
  /**
   * The part of the baseline that is known so far. Undefined if the list has been read to its end
   * since the baseline, or need not be.
   */
  readonly partial: PartialBaseline | undefined;
  /** Null until there is a baseline. */
  readonly baselineAtMs: number | null;
}

/**
 * A baseline of a list that has not been read to its end: all members below the watermark belong to
 * it, even those that were not read.
 */
export interface PartialBaseline {
  /** How many known members in a row show that the watermark is reached. */
  readonly run: number;
  /** A read of the whole list that begins at this time or later completes the baseline. */
  readonly sinceMs: number;
}

/** The known members for each subscriber, in the order of the subscribers. */
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

/** Returns the partial baseline that a target remembers. */
function partialOf({ memory }: Pick<TargetState, "memory">): PartialBaseline | undefined {
  const { run, since_ms: sinceMs } = (memory["partial"] ?? {}) as Readonly<Record<string, unknown>>;
  return typeof run === "number" && typeof sinceMs === "number" ? { run, sinceMs } : undefined;
}

/**
 * Returns how many known members in a row show that a walk has reached a watermark of this many
 * members. Half of them are enough, because some will leave.
 */
export const runOf = (members: number): number =>
  Math.max(1, Math.min(RUN, Math.ceil(members / 2)));

/**
 * Whether an older release, which set no watermarks, had begun the first read of the list. Then
 * only the members of its first page are known. Its reads did not count members, later releases do.
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

/**
 * Returns a function that says whether a member is known: it belongs to the baseline, or it was
 * found before `sinceMs`.
 */
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
 * Whether members that a walk left unread at `leftAtMs` can still be new to a subscriber. They
 * cannot if its watermark was set after that, because they are below it.
 */
export const isStillUnread = (
  { part, baselineAtMs }: Pick<ListSubscriber, "part" | "baselineAtMs">,
  leftAtMs: number,
): boolean => part === "follows" && baselineAtMs !== null && baselineAtMs < leftAtMs;

/**
 * If at least this many members stand below a run of baseline members, the run is taken as the
 * baseline. Fewer could be accounts that unfollowed and followed again.
 */
const MIN_BELOW = 100;

/**
 * Whether a walk down the list has read what the subscriber needs. `sinceMs` has the same meaning
 * as for `isKnown`.
 */
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
  // Members below the watermark may be unknown because they were never read. Reading enough of them
  // also shows that the watermark was passed.
  const baseline = baselineRun(subscriber, ids, known);
  return baseline !== undefined && ids.length - baseline >= (partial?.run ?? RUN) + MIN_BELOW;
}

/** Whether new members for a subscriber may stand below the point at which a walk was cut off. */
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
 * Whether a walk shows that the list has its newest members first, because an unknown member stands
 * above a run of known ones. `isBelowUnknown` means that such a member stands above the start of
 * the walk.
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
