/** Evaluates what a read of a search means for its group's memory of it. Pure. */
import { unitHash } from "../../model/hash.ts";
import { isTooBusy } from "./search-groups.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { SearchMemory } from "./search-memory.ts";
import type { SearchTask } from "./search-tasks.ts";

export interface SearchReadTimes {
  /** Start of the run, in our clock. */
  readonly startedAtMs: number;
  readonly serviceMs: number;
  /** How often a member is verified. */
  readonly verifyEveryMs: number;
}

/** An empty answer verifies nothing, so the verification read is repeated after this time. */
const ASK_AGAIN_MS = 600_000;
const DAY_MS = 86_400_000;
/** How long a found post counts in the rate, on average. */
const FADE_MS = 7_200_000;

/**
 * Returns the memory after a read together with others. `outcome` is undefined if nothing in the
 * answer belonged to the member.
 */
export function afterShared(
  member: SearchMemory,
  task: SearchTask,
  outcome: PollOutcome | undefined,
  times: SearchReadTimes,
): SearchMemory {
  const { startedAtMs } = times;
  return {
    ...member,
    checkedAtMs: startedAtMs,
    triedAtMs: startedAtMs,
    ...(task.isRescan ? { sweptAtMs: startedAtMs } : {}),
    isUnproven: true,
    postsPerDay: learn(member, outcome?.postedMs.length ?? 0, startedAtMs),
  };
}

/**
 * Returns the memory after a read of the member on its own. A read that was cut off changes nothing
 * but when the member was tried and is verified next.
 */
export function afterAlone(
  member: SearchMemory | undefined,
  task: SearchTask,
  outcome: PollOutcome,
  times: SearchReadTimes,
): SearchMemory | undefined {
  const { startedAtMs, serviceMs, verifyEveryMs } = times;
  if (outcome.shown === undefined) {
    // The read was cut off, so the history has a gap, which the poll's own memory records; or the
    // answer was empty although there were items before.
    return (
      member && {
        ...member,
        triedAtMs: startedAtMs,
        proofDueMs: Math.max(member.proofDueMs, startedAtMs + ASK_AGAIN_MS),
      }
    );
  }
  // Members that start together are verified at different times.
  const proofDueMs =
    startedAtMs + verifyEveryMs * (member === undefined ? unitHash(task.poll.key) : 1);
  if (member === undefined)
    return {
      checkedAtMs: startedAtMs,
      triedAtMs: startedAtMs,
      sweptAtMs: startedAtMs,
      provedAtMs: startedAtMs,
      proofDueMs,
      postsPerDay: firstRate(outcome.postedMs, serviceMs),
    };
  const { isUnproven, ...rest } = member;
  const isStillUnverified = isUnproven === true && !task.isVerification;
  return {
    ...rest,
    checkedAtMs: startedAtMs,
    triedAtMs: startedAtMs,
    sweptAtMs: task.isRescan ? startedAtMs : member.sweptAtMs,
    postsPerDay:
      outcome.baselined.length > 0
        ? member.postsPerDay
        : learn(member, outcome.postedMs.length, startedAtMs),
    ...(isStillUnverified ? { isUnproven: true } : { provedAtMs: startedAtMs, proofDueMs }),
  };
}

function learn({ postsPerDay, checkedAtMs }: SearchMemory, posts: number, nowMs: number): number {
  const passedMs = Math.max(nowMs - checkedAtMs, 1);
  const kept = Math.exp(-passedMs / FADE_MS);
  return postsPerDay * kept + ((posts * DAY_MS) / passedMs) * (1 - kept);
}

/**
 * Computes the rate from the dates of a first page. The oldest date marks the start of the period.
 */
const firstRate = (postedMs: readonly number[], nowMs: number): number =>
  postedMs.length < 2
    ? 0
    : ((postedMs.length - 1) * DAY_MS) / Math.max(nowMs - Math.min(...postedMs), 1_000);

/**
 * Returns the member with a new decision on `isBusy`: whether it finds so much that sharing saves
 * nothing.
 */
export const weighed = ({ isBusy, ...member }: SearchMemory, intervalMs: number): SearchMemory =>
  isTooBusy(member.postsPerDay, intervalMs, isBusy === true) ? { ...member, isBusy: true } : member;

/** The ids and times of what merged answers returned for a member since it was verified. */
export type MergedItems = ReadonlyMap<string, number>;

/**
 * The reads together count as wrong only if at least this many of their results, and more than
 * `WRONG_SHARE` of them, are missing from the member's own read. Deletions explain some.
 */
const MIN_WRONG = 2;
const WRONG_SHARE = 1 / 3;

/**
 * Returns why a member is quarantined after a verification read; undefined if that read showed the
 * same as the reads together. `missedBeforeMs` (service time): a read together should have found
 * anything posted before this, however late it appeared.
 */
export function objectionTo(
  task: SearchTask,
  outcome: PollOutcome,
  merged: MergedItems,
  missedBeforeMs: number,
): "missed" | "foreign" | undefined {
  if (!task.isVerification || outcome.shown === undefined || outcome.baselined.length > 0)
    return undefined;
  if (outcome.postedMs.some((atMs) => atMs < missedBeforeMs)) return "missed";
  const { shown } = outcome;
  const sinceMs = task.reach?.sinceMs ?? Number.POSITIVE_INFINITY;
  const own = [...merged].filter(([, atMs]) => atMs >= sinceMs);
  const wrong = own.filter(([id]) => !shown.has(id));
  return shown.size > 0 && wrong.length >= MIN_WRONG && wrong.length > own.length * WRONG_SHARE
    ? "foreign"
    : undefined;
}
