/**
 * What a group of searches has learned: how long a query may be, which members share it, when each
 * was read, rescanned and verified.
 */
import { type Backoff, doubling, backoffAfter } from "../../model/backoff.ts";
import { FIRST_LIMITS, type LearnedLimits } from "../../query/merging/merge.ts";

/** Of one member; times on our clock. */
export interface SearchMemory {
  /** Whatever was shown until then was read, but for what appears late. */
  readonly checkedAtMs: number;
  /** Part of a read since; an empty answer is one that moves nothing else. */
  readonly triedAtMs: number;
  /** Down to `overlap` before that, late items were searched for. */
  readonly sweptAtMs: number;
  /** Until then it was read by itself. */
  readonly provedAtMs: number;
  readonly proofDueMs: number;
  /** It was read together with others since it was proved. */
  readonly isUnproven?: true;
  /** The service seemed to understand its query otherwise than we do. */
  readonly alone?: Quarantine;
  /** It finds so much that sharing saves nothing. */
  readonly isBusy?: true;
  /** What it found in the last hours. */
  readonly postsPerDay: number;
}

/**
 * It is read by itself until then, and was found to need it so many times, each not long after the
 * one before.
 */
export interface Quarantine {
  readonly untilMs: number;
  readonly times: number;
}

export interface SearchGroupMemory {
  readonly limits: LearnedLimits;
  /** By poll key. */
  readonly members: Readonly<Record<string, SearchMemory>>;
  /** Ids of tweets that no query of ours explains, and that were verified; newest last. */
  readonly strays: readonly string[];
}

const NOTHING_LEARNED: SearchGroupMemory = {
  limits: FIRST_LIMITS,
  members: {},
  strays: [],
};

const DAY_MS = 86_400_000;
const LONGEST_ALONE_MS = 32 * DAY_MS;
const ALONE: Backoff = { stepsMs: doubling(DAY_MS, LONGEST_ALONE_MS) };

export const isAlone = (member: SearchMemory | undefined, nowMs: number): boolean =>
  nowMs < (member?.alone?.untilMs ?? 0);

/**
 * For a day, and twice as long each time it shows again: a tweet that was out of sight for days
 * looks the same as one that reads together do not show.
 */
export function quarantineAfter(before: Quarantine | undefined, nowMs: number): Quarantine {
  const { untilMs = 0, times = 0 } = before ?? {};
  const isAgain = nowMs - untilMs < LONGEST_ALONE_MS;
  const shown = isAgain ? times + 1 : 1;
  return { untilMs: nowMs + backoffAfter(ALONE, shown), times: shown };
}

/** Reads together may have followed the last writing. */
export function restoreSearches(stored: Partial<SearchGroupMemory>): SearchGroupMemory {
  const memory = { ...NOTHING_LEARNED, ...stored };
  const unverified = Object.entries(memory.members).map(([key, member]) => [
    key,
    { ...member, isUnproven: true as const },
  ]);
  return { ...memory, members: Object.fromEntries(unverified) };
}
