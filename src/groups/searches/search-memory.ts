/**
 * What a group of searches has learned: how long a query may be, which members share it, and when
 * each one was read, rescanned and verified.
 */
import { type Backoff, doubling, backoffAfter } from "../../model/backoff.ts";
import { FIRST_LIMITS, type LearnedLimits } from "../../query/merging/merge.ts";

/** The memory of one member. Times are in our clock. */
export interface SearchMemory {
  /**
   * Until this time, everything that the service showed for the member was read. Items that appear
   * late may be missing.
   */
  readonly checkedAtMs: number;
  /**
   * When the member was last read, with whatever result. After an empty answer, only this time
   * changes.
   */
  readonly triedAtMs: number;
  /**
   * When the last late-arrival rescan began. The next one goes back to `overlap` before this time.
   */
  readonly sweptAtMs: number;
  /** When the member was last verified by a read of its own. */
  readonly provedAtMs: number;
  /** When the member is to be verified next. */
  readonly proofDueMs: number;
  /** Set if the member was read together with others since it was verified. */
  readonly isUnproven?: true;
  /** Set if the service seemed to interpret the member's query differently than chirpwatch does. */
  readonly alone?: Quarantine;
  /** Set if the member finds so much that sharing saves nothing. */
  readonly isBusy?: true;
  /** The rate of posts that the member found in the last hours. */
  readonly postsPerDay: number;
}

/**
 * How long a member is read on its own. `times` counts how often that was necessary, each time not
 * long after the last.
 */
export interface Quarantine {
  readonly untilMs: number;
  readonly times: number;
}

export interface SearchGroupMemory {
  readonly limits: LearnedLimits;
  /** The members by poll key. */
  readonly members: Readonly<Record<string, SearchMemory>>;
  /** Ids of tweets that match none of our queries and that were verified, the newest last. */
  readonly strays: readonly string[];
}

const NOTHING_LEARNED: SearchGroupMemory = {
  limits: FIRST_LIMITS,
  members: {},
  strays: [],
};

const DAY_MS = 86_400_000;
const MAX_ALONE_MS = 32 * DAY_MS;
const ALONE: Backoff = { stepsMs: doubling(DAY_MS, MAX_ALONE_MS) };

export const isAlone = (member: SearchMemory | undefined, nowMs: number): boolean =>
  nowMs < (member?.alone?.untilMs ?? 0);

/**
 * Returns the quarantine: a day, and twice as long each time the problem shows again. It is short
 * at first, because a tweet that was hidden for days looks the same as one that merged searches
 * never show.
 */
export function quarantineAfter(before: Quarantine | undefined, nowMs: number): Quarantine {
  const { untilMs = 0, times = 0 } = before ?? {};
  const isAgain = nowMs - untilMs < MAX_ALONE_MS;
  const shown = isAgain ? times + 1 : 1;
  return { untilMs: nowMs + backoffAfter(ALONE, shown), times: shown };
}

/**
 * Restores the memory from the state. Members count as not verified, because reads together may
 * have followed the last write.
 */
export function restoreSearches(stored: Partial<SearchGroupMemory>): SearchGroupMemory {
  const memory = { ...NOTHING_LEARNED, ...stored };
  const unverified = Object.entries(memory.members).map(([key, member]) => [
    key,
    { ...member, isUnproven: true as const },
  ]);
  return { ...memory, members: Object.fromEntries(unverified) };
}
