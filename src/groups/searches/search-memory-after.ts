/** What a read of a search means for what its group remembers of it. Pure. */
import { unitHash } from "../../model/hash.ts";
import { isTooBusy } from "./search-groups.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { SearchMemory } from "./search-memory.ts";
import type { SearchTask } from "./search-tasks.ts";

export interface SearchReadTimes {
  /** Start of the run; our clock. */
  readonly startedAtMs: number;
  readonly serviceMs: number;
  /** How often a member is proved. */
  readonly verifyEveryMs: number;
}

/** An empty answer proves nothing: it is asked for again after so long. */
const ASK_AGAIN_MS = 600_000;
const DAY_MS = 86_400_000;
/** How long finds are remembered, on average. */
const FADE_MS = 7_200_000;

/** After a read together with others; `outcome` undefined: nothing of the answer was its own. */
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

/** After a read by itself that came to an end; a cut one moves nothing. */
export function afterAlone(
  member: SearchMemory | undefined,
  task: SearchTask,
  outcome: PollOutcome,
  times: SearchReadTimes,
): SearchMemory | undefined {
  const { startedAtMs, serviceMs, verifyEveryMs } = times;
  if (outcome.shown === undefined) {
    // Cut: its history has a gap, and its own memory says where. Or empty where something was
    // before.
    return (
      member && {
        ...member,
        triedAtMs: startedAtMs,
        proofDueMs: Math.max(member.proofDueMs, startedAtMs + ASK_AGAIN_MS),
      }
    );
  }
  // Members that begin together are verified apart.
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

/** By the dates of a first page; the oldest one marks where the time begins. */
const firstRate = (postedMs: readonly number[], nowMs: number): number =>
  postedMs.length < 2
    ? 0
    : ((postedMs.length - 1) * DAY_MS) / Math.max(nowMs - Math.min(...postedMs), 1_000);

/** Whether it still finds so much that sharing saves nothing. */
export const weighed = ({ isBusy, ...member }: SearchMemory, intervalMs: number): SearchMemory =>
  isTooBusy(member.postsPerDay, intervalMs, isBusy === true) ? { ...member, isBusy: true } : member;

/** What merged answers gave a member since it was verified: id and time. */
export type Taken = ReadonlyMap<string, number>;

/** Deletions explain some. */
const LEAST_WRONG = 2;
const WRONG_SHARE = 1 / 3;

/**
 * Why a member is read by itself from now on, by a verification read; undefined: that read showed
 * what reads together had shown. `missedBeforeMs`: what was posted before that (service time) a
 * read together should have found, however late it appeared.
 */
export function objectionTo(
  task: SearchTask,
  outcome: PollOutcome,
  taken: Taken,
  missedBeforeMs: number,
): "missed" | "foreign" | undefined {
  if (!task.isVerification || outcome.shown === undefined || outcome.baselined.length > 0)
    return undefined;
  if (outcome.postedMs.some((atMs) => atMs < missedBeforeMs)) return "missed";
  const { shown } = outcome;
  const sinceMs = task.reach?.sinceMs ?? Number.POSITIVE_INFINITY;
  const own = [...taken].filter(([, atMs]) => atMs >= sinceMs);
  const wrong = own.filter(([id]) => !shown.has(id));
  return shown.size > 0 && wrong.length >= LEAST_WRONG && wrong.length > own.length * WRONG_SHARE
    ? "foreign"
    : undefined;
}
