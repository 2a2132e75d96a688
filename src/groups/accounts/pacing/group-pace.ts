/**
 * The interface and common parts of the algorithms in `group-mean.ts` and `group-p95.ts`. They
 * decide when a group of accounts with a `freshness` is probed next, and which accounts that probe
 * requests.
 */
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited } from "../../probing/probe-choice.ts";
import type { Turn, Waiting } from "./turns.ts";

/** Sums over posts, in which older posts count less. */
export interface Delays {
  readonly posts: number;
  readonly delayMs: number;
  /** The sum of the square roots of the worth that was required when each post was found. */
  readonly rootWorth: number;
}

/** What a group learns if its `freshness` is a mean delay. */
export interface PaceMemory {
  /**
   * The minimum worth of a probe: the waiting time of posts that it is expected to end, in posts x
   * ms, divided by the requests that it is expected to take.
   */
  readonly worth: number;
  /** The delays of posts that the rates predicted for the probes. */
  readonly foretold: Delays;
  /** The delays of posts that were found. */
  readonly found: Delays;
  readonly atMs: number;
}

/** What a group learns about its rounds if its freshness is a p95 limit. */
export interface Rounds {
  /** The learned factor for the rate above which accounts count as busy. */
  readonly correction: number;
  /** When the last round began. */
  readonly roundAtMs: number;
}

/** What a group learns about its pace. This is stored. */
export interface LearnedPace {
  readonly pace?: PaceMemory;
  readonly rounds?: Rounds;
  /**
   * The rate, in posts per day, from which accounts count as busy, as computed from the rates of
   * the accounts at the last round, without the correction.
   */
  readonly busyRate?: number;
}

export interface TurnQuery {
  readonly waiting: readonly Waiting[];
  readonly memory: LearnedPace;
  /** The factor by which polls are slowed down while the quota is short. */
  readonly factor: number;
  readonly nowMs: number;
}

/** A query after a run. `waiting` and `nowMs` are those after the run. */
export interface PaceQuery extends TurnQuery {
  /**
   * What the rates predicted for the accounts that this run probed, and for the piggybacked ones.
   */
  readonly awaited: readonly Awaited[];
  /** Whether any account was probed. */
  readonly hasProbed: boolean;
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  readonly startedAtMs: number;
  /**
   * Whether the delays of posts show how good the pace is, because polls were neither late nor
   * slowed down.
   */
  readonly isPaced: boolean;
}

/** Decides for one kind of freshness when a group is probed and how many runs that takes. */
export interface ProbeAlgorithm {
  /** Returns the waiting accounts to probe. */
  choose(query: TurnQuery): Turn<GroupMember>;
  /** Returns in how many milliseconds a probe is worth its request. `waitAfter` adds a minimum. */
  waitMs(query: TurnQuery): number;
  /** Returns what is learned from a run. */
  after(query: PaceQuery): LearnedPace;
  /**
   * Returns the runs per day of a group with this many accounts; undefined if that depends on what
   * they post.
   */
  runsPerDay(accounts: number): number | undefined;
}

const MIN_MS = 1_000;

/** Returns the milliseconds until the next probe. */
export const waitAfter = (algorithm: ProbeAlgorithm, query: TurnQuery): number =>
  Math.max(MIN_MS, algorithm.waitMs(query));

/**
 * Whether a probe is not worth its request yet, because other groups just requested some of the
 * members.
 */
export const isTooSoon = (algorithm: ProbeAlgorithm, query: TurnQuery): boolean =>
  waitAfter(algorithm, query) > MIN_MS;
