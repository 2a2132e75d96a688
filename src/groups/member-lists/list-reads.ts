/**
 * When a counter's change is accounted for by reads of the list of accounts it counts. A list is
 * more expensive to read again and again than a search, and much of what a counter shows is in no
 * list (accounts that are not indexed, protected, suspended) or means nothing (people who unfollow
 * where leaving is not reported). So later reads are as many as have been of use. Pure; the probe's
 * side is pending-changes.ts.
 */
import type { OpenChange, ProbeMemory } from "../probing/pending-changes.ts";

/** What a read of a list brought, once it came to its end. */
export interface ListRead {
  /** Members that nobody knew of. */
  readonly joined: number;
  /** Members reported as gone. */
  readonly left: number;
  /**
   * Members it did not find, who are gone when the next complete read does not find them either.
   */
  readonly awaited: number;
  /** Each read is of the whole list; else of its newest part, or of a window. */
  readonly isWhole: boolean;
  /** The counter was asked just before and stood still. */
  readonly isSilent: boolean;
}

const MIN = 60_000;
/**
 * Waits after each read until the next; 0: on the next tick. The first is the one of DESIGN, the
 * others what is left of it where later reads find nothing.
 */
const RETRY_SCHEDULES: readonly (readonly number[])[] = [
  [0, 0, 0, MIN, 5 * MIN, 15 * MIN],
  [0, 5 * MIN, 15 * MIN],
  [15 * MIN],
  [],
];
const SHORTEST = RETRY_SCHEDULES.length - 1;
/**
 * A change that promises no member may hide one; a whole list shows what it has at once. Both get
 * one read more, a while later.
 */
const ONE_MORE = 2;
/**
 * Full polls in a row that find what a counter never showed: once may be one who came for one who
 * went.
 */
const STRIKES_TO_UNRELIABLE = 2;

/** The memory after a read of the list. */
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

/** Somebody is missing without a word of the counter: the next complete read decides. */
const awaiting = (
  { probedAtMs }: ProbeMemory,
  { awaited }: ListRead,
  nowMs: number,
): OpenChange | undefined =>
  awaited === 0 ? undefined : { sinceMs: probedAtMs, owed: null, reads: 1, dueMs: nowMs };

/** Undefined when the change is accounted for, or the last read was made. */
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
 * Reads that found nothing to the last make the next ones fewer; one that found somebody late
 * brings them all back.
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
    ? Math.min(SHORTEST, index + 1)
    : backoff;
}
