/**
 * Computes what the target of a member list remembers after a poll: its baseline, how far a first
 * read is, and what an absence of the watch still misses.
 */
import type { RosterRule } from "../../detect/roster.ts";
import { firstRun } from "../../detect/known-run.ts";
import type { ItemMark, TargetChange } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import {
  isKnown,
  type ListSubscriber,
  type PartialBaseline,
  runOf,
} from "../read/list-subscribers.ts";
import { isMemberListBaselined } from "../read/baselines.ts";
import type { MemberListObservation } from "../read/read-member-list.ts";
import { absenceOf, isMemberListCaughtUp, withoutAbsence } from "./absence.ts";
import { changeOf, WELL } from "./target-change.ts";

/** What the state stores about members, by their ids. */
type KnownMembers = ReadonlyMap<string, ItemMark>;

export interface MemoryContext {
  readonly rule: RosterRule;
  readonly known: KnownMembers;
  /** The endpoint that was read. It identifies the list of the account. */
  readonly list: string;
  /** What the subscriber needs of the list. */
  readonly subscription: ListSubscriber;
  /** The number of members according to the profile, if that was requested. */
  readonly size?: number | undefined;
  readonly detectedAtMs: number;
}

/**
 * Returns the change of the target, if there is one. Its memory stores how many pages a full read
 * takes (for the plan), how long the list is, and how many members the first read has seen.
 */
export function memberListChange(
  target: TargetState,
  seen: MemberListObservation,
  context: MemoryContext,
): readonly TargetChange[] {
  const { completedPages } = seen;
  const { list, size } = context;
  const baseline = baselineAfter(target, seen, context);
  const { partial: _, read_members: __, ...rest } = afterReturn(target.memory, seen, context.rule);
  const isFirstRead = baseline === undefined || baseline.partial !== undefined;
  const memory = {
    ...rest,
    ...(isFirstRead && seen.memory.scan?.members !== undefined
      ? { read_members: seen.memory.scan.members }
      : {}),
    ...(completedPages !== undefined && (completedPages > 1 || "pages" in target.memory)
      ? { pages: completedPages }
      : {}),
    ...(size === undefined ? {} : { size }),
    ...(baseline === undefined ? {} : { baseline_of: baseline.isOver ? "" : list }),
    ...(baseline?.partial === undefined
      ? {}
      : { partial: { run: baseline.partial.run, since_ms: baseline.partial.sinceMs } }),
  };
  const isDone = baseline !== undefined && !isMemberListBaselined(target, list);
  const isChanged = JSON.stringify(memory) !== JSON.stringify(target.memory);
  if (!isDone && !isChanged && target.status === "ok") return [];
  return [
    {
      ...changeOf(target),
      ...WELL,
      ...(isChanged ? { memory } : {}),
      ...(isDone ? { baselineAtMs: baseline.atMs } : {}),
    },
  ];
}

interface BaselineAfter extends Pick<ListSubscriber, "partial"> {
  readonly atMs: number;
  /**
   * Whether the list has become a different one, so that its first page becomes the next baseline.
   */
  readonly isOver?: boolean;
}

/**
 * Returns the baseline after this step. Undefined if there is none yet. A subscriber that only
 * needs new members has one with the first page that holds any member. Other subscribers have one
 * after a full read that began after the target was registered.
 */
function baselineAfter(
  target: TargetState,
  seen: MemberListObservation,
  { subscription, detectedAtMs, known }: MemoryContext,
): BaselineAfter | undefined {
  const { step, members, readAtMs, completedScanAtMs } = seen;
  const hasReadAllSince = (sinceMs: number): boolean =>
    completedScanAtMs !== undefined && completedScanAtMs >= sinceMs;
  const isWhole = hasReadAllSince(target.registeredAtMs);
  if (subscription.part === "draws" && step === "head" && members.length > 0 && !isWhole)
    return { atMs: detectedAtMs, partial: { run: runOf(members.length), sinceMs: readAtMs } };
  if (subscription.part !== "follows")
    return subscription.isBaselined || isWhole
      ? { atMs: detectedAtMs, partial: undefined }
      : undefined;
  const { partial, baselineAtMs } = subscription;
  const atMs = baselineAtMs ?? detectedAtMs;
  if (partial === undefined || hasReadAllSince(partial.sinceMs))
    return { atMs, partial: undefined };
  return { atMs, partial, isOver: isAnotherList(partial, known, seen) };
}

/**
 * Whether the list is a different one than before: a walk reached its end without finding a run of
 * members that were there before.
 */
function isAnotherList(
  { run }: PartialBaseline,
  known: KnownMembers,
  { step, end, members, memory }: MemberListObservation,
): boolean {
  if (step !== "gap" || end !== "list_end" || memory.isOrdered === true) return false;
  const ids = members.map(({ id }) => id);
  return firstRun(ids, isKnown(known), run) === undefined;
}

/** Returns the memory of a target after a step that reads what an absence of its watch missed. */
function afterReturn(
  memory: TargetState["memory"],
  seen: MemberListObservation,
  { mode }: RosterRule,
): TargetState["memory"] {
  const absence = absenceOf({ memory });
  if (absence === undefined || absence.done === true || seen.error !== undefined) return memory;
  if (isMemberListCaughtUp(absence, mode, seen, "partial" in memory)) return withoutAbsence(memory);
  return { ...memory, away: { ...absence, head_read: true } };
}
