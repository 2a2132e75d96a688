/**
 * Decides whether a read of a list explains the change of its counter, and when the list is read
 * again if it does not. A list costs more to read again than a search. Much of what a counter
 * counts is in no list (accounts that are not indexed, protected or suspended) or has no meaning
 * (an account that left, if leaving is not reported). The number of repeated reads therefore
 * depends on how useful they were before. pending-changes.ts decides what a probe means. Pure.
 */
import type { OpenChange, ProbeMemory } from "../probing/pending-changes.ts";

/** What a read of a list found. */
export interface ListRead {
  /** The number of members that were not known before. */
  readonly joined: number;
  /** The number of members that are now reported as having left. */
  readonly left: number;
  /**
   * The number of known members that the read did not find. They are reported as having left if the
   * next complete read does not find them either.
   */
  readonly awaited: number;
  /** Whether each read of this list covers all of it, not just its newest part or a window. */
  readonly isWhole: boolean;
  /** Whether the counter was requested right before the read and had not changed. */
  readonly isSilent: boolean;
}

const MIN = 60_000;
/**
 * The waits after each read until the next one, in ms; 0 means until the next tick. The first
 * schedule has all repeated reads. The others have fewer of them, for lists whose repeated reads
 * find nothing.
 */
const RETRY_SCHEDULES: readonly (readonly number[])[] = [
  [0, 0, 0, MIN, 5 * MIN, 15 * MIN],
  [0, 5 * MIN, 15 * MIN],
  [15 * MIN],
  [],
];
const LAST_SCHEDULE = RETRY_SCHEDULES.length - 1;
/**
 * The index of the schedule with a single repeated read, some time later. It is used if the counter
 * changed without growing, which may hide a new member, and for lists of which every read covers
 * everything.
 */
const ONE_MORE = 2;
/**
 * The number of full polls in a row that must find something that the counter did not show, before
 * the counter counts as unreliable. A single one may have found an account that joined while
 * another one left.
 */
const STRIKES_TO_UNRELIABLE = 2;

/**
 * Whether the counter changed after a read began. A whole read can take several polls, and the
 * change may be on a page that it had read before, so that only another read can explain it.
 */
export const changedSince = ({ open }: ProbeMemory, beganAtMs: number): boolean =>
  open !== undefined && open.reads === 0 && open.dueMs > beganAtMs;

/** Returns the memory of a list after a read. */
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
 * Returns a pending change if a member is missing although the counter did not change. It makes the
 * next complete read decide whether the member has left. Undefined if no member is missing.
 */
const awaiting = (
  { probedAtMs }: ProbeMemory,
  { awaited }: ListRead,
  nowMs: number,
): OpenChange | undefined =>
  awaited === 0 ? undefined : { sinceMs: probedAtMs, owed: null, reads: 1, dueMs: nowMs };

/**
 * Returns the pending change after a read. Undefined if the read explains the change, or if it was
 * the last read of the retry schedule.
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
 * Returns the index of the retry schedule for the next change. If even the last repeated read finds
 * nothing, the next change gets fewer repeated reads. If a repeated read finds a member, the next
 * change gets all of them again.
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
