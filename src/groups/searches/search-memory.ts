/**
 * What a group of searches has learned: how long a merged query may be, which members it contains,
 * and when each member was read, rescanned and verified.
 */
import { type Backoff, doubling, backoffAfter } from "../../model/backoff.ts";
import { FIRST_LIMITS, type LearnedLimits } from "../../query/merging/merge.ts";

/** The memory of one member. All times are in epoch ms of the local clock. */
export interface SearchMemory {
  /**
   * Everything that the service showed for the member until this time was read. Items that appear
   * late may still be missing.
   */
  readonly checkedAtMs: number;
  /**
   * When the member was last read, even without a result. After an empty answer, only this time
   * changes.
   */
  readonly triedAtMs: number;
  /**
   * When the last late-arrival rescan began. The next rescan goes back to `overlap` before this
   * time.
   */
  readonly sweptAtMs: number;
  /** When the member was last verified by a read of its own. */
  readonly provedAtMs: number;
  /** When the member must be verified next. */
  readonly proofDueMs: number;
  /** Set if the member was read together with others after it was last verified. */
  readonly isUnproven?: true;
  /**
   * Set while the member is quarantined, because the service seemed to interpret its query
   * differently from chirpwatch.
   */
  readonly alone?: Quarantine;
  /** Set if the member finds so many posts that merging saves no requests. */
  readonly isBusy?: true;
  /** The rate of the posts that the member found in the last hours, in posts per day. */
  readonly postsPerDay: number;
}

/**
 * The time during which a member is only read on its own. `times` counts how often in succession
 * the member was quarantined.
 */
export interface Quarantine {
  readonly untilMs: number;
  readonly times: number;
}

export interface SearchGroupMemory {
  readonly limits: LearnedLimits;
  /** The members by poll key. */
  readonly members: Readonly<Record<string, SearchMemory>>;
  /**
   * The ids of tweets that matched none of the members' queries although all members were read on
   * their own after it; the newest is last.
   */
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
 * Returns the next quarantine of a member. The first lasts a day, and each further one twice as
 * long. The first is short because a tweet that was hidden for days looks the same as one that
 * merged searches never show.
 */
export function quarantineAfter(before: Quarantine | undefined, nowMs: number): Quarantine {
  const { untilMs = 0, times = 0 } = before ?? {};
  const isAgain = nowMs - untilMs < MAX_ALONE_MS;
  const shown = isAgain ? times + 1 : 1;
  return { untilMs: nowMs + backoffAfter(ALONE, shown), times: shown };
}

/**
 * Restores the memory from the state. All members count as not verified, because merged searches
 * may have followed the last write.
 */
export function restoreSearches(stored: Partial<SearchGroupMemory>): SearchGroupMemory {
  const memory = { ...NOTHING_LEARNED, ...stored };
  const unverified = Object.entries(memory.members).map(([key, member]) => [
    key,
    { ...member, isUnproven: true as const },
  ]);
  return { ...memory, members: Object.fromEntries(unverified) };
}
