/**
 * The interface and the common parts of the algorithms in `group-mean.ts` and `group-p95.ts`. These
 * algorithms decide when a group of accounts with a `freshness` setting is probed next, and which
 * accounts the probe requests.
 */
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited } from "../../probing/probe-choice.ts";
import type { Turn, Waiting } from "./turns.ts";

/** Sums over posts. Older posts count less. */
export interface Delays {
  readonly posts: number;
  readonly delayMs: number;
  /**
   * The sum, over the posts, of the square root of the worth that was required when the post was
   * found.
   */
  readonly rootWorth: number;
}

/** What a group learns if its `freshness` is a mean delay. */
export interface PaceMemory {
  /**
   * The worth that a probe must reach to be sent: the waiting time of posts that the probe is
   * expected to end, in posts x ms, divided by the requests that it is expected to take.
   */
  readonly worth: number;
  /** The delays that the rates predicted for the posts of the probed accounts. */
  readonly foretold: Delays;
  /** The measured delays of the posts that were found. */
  readonly found: Delays;
  readonly atMs: number;
}

/** What a group learns about its rounds if its `freshness` is a p95 limit. */
export interface Rounds {
  /** The learned factor that is applied to `busyRate`. */
  readonly correction: number;
  /** When the last round began, in epoch ms. */
  readonly roundAtMs: number;
}

/** What a group has learned about its pace, as it is stored. */
export interface LearnedPace {
  readonly pace?: PaceMemory;
  readonly rounds?: Rounds;
  /**
   * The posting rate, in posts per day, at which an account counts as busy. It was computed from
   * the rates of the accounts at the last round and does not include the correction.
   */
  readonly busyRate?: number;
}

export interface TurnQuery {
  readonly waiting: readonly Waiting[];
  readonly memory: LearnedPace;
  /** The factor by which polls are slowed down while the quota is short; 1 if they are not. */
  readonly factor: number;
  readonly nowMs: number;
}

/**
 * The facts with which an algorithm learns from a run. `waiting` and `nowMs` are those after the
 * run.
 */
export interface PaceQuery extends TurnQuery {
  /**
   * The posts that the rates predicted for the accounts that this run probed, and for those that it
   * read at no cost.
   */
  readonly awaited: readonly Awaited[];
  /** Whether the run probed any account. */
  readonly hasProbed: boolean;
  /** The delays of the posts found in this run, in ms. */
  readonly delaysMs: readonly number[];
  readonly startedAtMs: number;
  /**
   * Whether the delays of posts show how good the pace is. They do not after runs that were late or
   * slowed down.
   */
  readonly isPaced: boolean;
}

/**
 * An algorithm for one kind of `freshness`. It decides when a group is probed, and which accounts.
 */
export interface ProbeAlgorithm {
  /** Returns the accounts to probe now. */
  choose(query: TurnQuery): Turn<GroupMember>;
  /**
   * Returns in how many ms the next probe is worth its request. `waitAfter` raises the result to a
   * minimum.
   */
  waitMs(query: TurnQuery): number;
  /** Returns what the group has learned after a run. */
  after(query: PaceQuery): LearnedPace;
  /**
   * Returns how many runs per day a group with this many accounts makes; undefined if that depends
   * on what the accounts post.
   */
  runsPerDay(accounts: number): number | undefined;
}

const MIN_MS = 1_000;

/** Returns how many ms to wait until the next probe. */
export const waitAfter = (algorithm: ProbeAlgorithm, query: TurnQuery): number =>
  Math.max(MIN_MS, algorithm.waitMs(query));

/**
 * Whether a probe is not worth its request yet, because the requests of others have just shown some
 * of the members.
 */
export const isTooSoon = (algorithm: ProbeAlgorithm, query: TurnQuery): boolean =>
  waitAfter(algorithm, query) > MIN_MS;
