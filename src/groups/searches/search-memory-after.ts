/** Computes how a read of a search changes the group's memory of this search. Pure. */
import { unitHash } from "../../model/hash.ts";
import { isTooBusy } from "./search-groups.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { SearchMemory } from "./search-memory.ts";
import type { SearchTask } from "./search-tasks.ts";

export interface SearchReadTimes {
  /** The start of the run, in epoch ms of the local clock. */
  readonly startedAtMs: number;
  readonly serviceMs: number;
  /** The time between two verification reads of a member, in ms. */
  readonly verifyEveryMs: number;
}

/** If a verification read returns nothing, it verifies nothing and is repeated after this time. */
const ASK_AGAIN_MS = 600_000;
const DAY_MS = 86_400_000;
/** The mean time for which a found post counts in the rate. */
const FADE_MS = 7_200_000;

/**
 * Returns the memory of a member after it was read together with others. `outcome` is undefined if
 * nothing in the answer belonged to the member.
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
 * Returns the memory of a member after it was read on its own; undefined if the first read of the
 * member was incomplete. An incomplete read only changes when the member was tried and when it is
 * verified next.
 */
export function afterAlone(
  member: SearchMemory | undefined,
  task: SearchTask,
  outcome: PollOutcome,
  times: SearchReadTimes,
): SearchMemory | undefined {
  const { startedAtMs, serviceMs, verifyEveryMs } = times;
  if (outcome.shown === undefined) {
    // Either the read was cut off, which leaves a gap in the history that the poll's own memory
    // records, or the answer was empty although there were items before.
    return (
      member && {
        ...member,
        triedAtMs: startedAtMs,
        proofDueMs: Math.max(member.proofDueMs, startedAtMs + ASK_AGAIN_MS),
      }
    );
  }
  // A new member gets a random part of the interval, so that members that start together are
  // verified at different times.
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

/** Computes the posting rate (posts per day) from the dates of the posts on a first page. */
const firstRate = (postedMs: readonly number[], nowMs: number): number =>
  postedMs.length < 2
    ? 0
    : ((postedMs.length - 1) * DAY_MS) / Math.max(nowMs - Math.min(...postedMs), 1_000);

/**
 * Returns the member with a new decision on `isBusy`, which says that it finds too many posts for
 * merging to save requests.
 */
export const weighed = ({ isBusy, ...member }: SearchMemory, intervalMs: number): SearchMemory =>
  isTooBusy(member.postsPerDay, intervalMs, isBusy === true) ? { ...member, isBusy: true } : member;

/**
 * The ids and times (epoch ms) of the tweets that merged searches returned for a member since its
 * last verification.
 */
export type MergedItems = ReadonlyMap<string, number>;

/**
 * The merged searches count as wrong only if at least this many of the tweets that they returned
 * for a member, and more than `WRONG_SHARE` of them, are missing from the member's own read. Some
 * may be missing because they were deleted.
 */
const MIN_WRONG = 2;
const WRONG_SHARE = 1 / 3;

/**
 * Returns why a member must be quarantined after a verification read; undefined if the read showed
 * the same as the merged searches. `missedBeforeMs` (service time): a post from before this time
 * should have been found by a merged search, even if it appeared late.
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
