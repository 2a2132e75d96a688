/**
 * Decides whether a change of a list's counter is accounted for by what reads of the list found,
 * and when the list is read again if not. A list costs more to read repeatedly than a search, and
 * much of what a counter counts is in no list (accounts that are not indexed, protected or
 * suspended) or has no meaning (unfollows where leaving is not reported). So the number of repeated
 * reads depends on how useful they were. Pure. pending-changes.ts decides what a probe means.
 */
import type { OpenChange, ProbeMemory } from "../probing/pending-changes.ts";

/** What a complete read of a list found. */
export interface ListRead {
  /** The number of members that were not known before. */
  readonly joined: number;
  /** The number of members that are reported to have left. */
  readonly left: number;
  /**
   * The number of known members that the read did not find. They have left if the next complete
   * read does not find them either.
   */
  readonly awaited: number;
  /** Whether each read covers the whole list, not just its newest part or a window. */
  readonly isWhole: boolean;
  /** Whether the counter was requested right before the read and had not changed. */
  readonly isSilent: boolean;
}

const MIN = 60_000;
/**
 * The waits after each read until the next one; 0 means the next tick. The first schedule has all
 * reads. The others have fewer, for lists whose repeated reads find nothing.
 */
const RETRY_SCHEDULES: readonly (readonly number[])[] = [
  [0, 0, 0, MIN, 5 * MIN, 15 * MIN],
  [0, 5 * MIN, 15 * MIN],
  [15 * MIN],
  [],
];
const LAST_SCHEDULE = RETRY_SCHEDULES.length - 1;
/**
 * The index of the schedule with one more read, a while later. It is used for changes without
 * growth, behind which a new member may be hidden, and for lists that are read completely, which
 * show everything at once.
 */
const ONE_MORE = 2;
/**
 * How many full polls in a row must find what the counter did not show until the counter counts as
 * unreliable. A single one may have found an account that joined while another one left.
 */
const STRIKES_TO_UNRELIABLE = 2;

/** Returns the memory after a read of the list. */
export function afterListRead(memory: ProbeMemory, read: ListRead, nowMs: number): ProbeMemory {
  const { open, strikes = 0, patience: backoff = 0, isBlind, ...rest } = memory;
  const isUnshown = open === undefined && read.isSilent && read.joined + read.awaited > 0;
  const nextStrikes = isUnshown ? strikes + 1 : open === undefined ? 0 : strikes;
  const next =
    open === undefined ? awaiting(memory, read, nowMs) : openAfter(open, read, backoff, nowMs);
  const nextBackoff = isUnshown ? 0 : backoffAfter(open, next, read, backoff);
  return {
    ...rest,
    fullAtMs: nowMs,
    ...(next === undefined ? {} : { open: next }),
    ...(nextBackoff === 0 ? {} : { patience: nextBackoff }),
    ...(nextStrikes === 0 ? {} : { strikes: nextStrikes }),
    ...(isBlind === true || nextStrikes >= STRIKES_TO_UNRELIABLE ? { isBlind: true as const } : {}),
  };
}

/**
 * Returns a pending change if a member is missing although the counter did not change, so that the
 * next complete read decides whether the member left; undefined if none is missing.
 */
const awaiting = (
  { probedAtMs }: ProbeMemory,
  { awaited }: ListRead,
  nowMs: number,
): OpenChange | undefined =>
  awaited === 0 ? undefined : { sinceMs: probedAtMs, owed: null, reads: 1, dueMs: nowMs };

/**
 * Returns the pending change after a read; undefined if the change is accounted for, or the last
 * read was made.
 */
function openAfter(
  open: OpenChange,
  read: ListRead,
  backoff: number,
  nowMs: number,
): OpenChange | undefined {
  const reads = open.reads + 1;
  const owed = open.owed === null ? null : open.owed - read.joined;
  if (isAccounted(owed, read)) return undefined;
  const waitMs = RETRY_SCHEDULES[scheduleIndexOf(owed, read, backoff)]?.[reads - 1];
  return waitMs === undefined ? undefined : { ...open, owed, reads, dueMs: nowMs + waitMs };
}

function isAccounted(owed: number | null, { awaited, joined, left, isWhole }: ListRead): boolean {
  if (awaited > 0) return false;
  return owed === null ? isWhole && joined + left > 0 : owed <= 0;
}

function scheduleIndexOf(
  owed: number | null,
  { awaited, isWhole }: ListRead,
  backoff: number,
): number {
  if (awaited > 0) return 0;
  return Math.max(backoff, owed === null || isWhole ? ONE_MORE : 0);
}

/**
 * Returns the index of the retry schedule for the next change. If even the last read finds nothing,
 * the next change gets fewer reads. A member that only a repeated read finds brings all of them
 * back.
 */
function backoffAfter(
  open: OpenChange | undefined,
  next: OpenChange | undefined,
  read: ListRead,
  backoff: number,
): number {
  const isLate = open !== undefined && open.reads > 0 && read.joined > 0;
  if (isLate) return 0;
  if (open === undefined || next !== undefined || read.awaited > 0) return backoff;
  const owed = open.owed === null ? null : open.owed - read.joined;
  if (isAccounted(owed, read)) return backoff;
  const index = scheduleIndexOf(owed, read, backoff);
  return owed !== null || read.isWhole || backoff >= ONE_MORE
    ? Math.min(LAST_SCHEDULE, index + 1)
    : backoff;
}
