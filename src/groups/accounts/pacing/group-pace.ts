/**
 * The interface of the algorithms in `group-mean.ts` and `group-p95.ts`, which decide when a group
 * of accounts under freshness is probed next and which accounts that probe requests, and what they
 * share.
 */
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited } from "../../probing/probe-choice.ts";
import type { Turn, Waiting } from "./turns.ts";

/** Sums over posts, older ones counting less. */
export interface Delays {
  readonly posts: number;
  readonly delayMs: number;
  /** sqrt(worth) at the time. */
  readonly rootWorth: number;
}

/** What a group learns of a mean. */
export interface PaceMemory {
  /** Posts x ms, for each request it is expected to take. */
  readonly worth: number;
  /** Of posts that the rates predicted behind the probes. */
  readonly foretold: Delays;
  /** Of posts that were found. */
  readonly found: Delays;
  readonly atMs: number;
}

/** What a group learns of the rounds of a p95. */
export interface Rounds {
  /** Times the rate that the accounts' own rates suggest. */
  readonly correction: number;
  /** When the last round began. */
  readonly roundAtMs: number;
}

/** What a group learns of its pace; stored. */
export interface LearnedPace {
  readonly pace?: PaceMemory;
  readonly rounds?: Rounds;
  /** Posts a day from which on accounts count as busy, by their rates when it was computed. */
  readonly busyRate?: number;
}

export interface TurnQuery {
  readonly waiting: readonly Waiting[];
  readonly memory: LearnedPace;
  /** How much slower it goes while the quota is short. */
  readonly factor: number;
  readonly nowMs: number;
}

/** `waiting`, `nowMs`: after the run. */
export interface PaceQuery extends TurnQuery {
  /** Of the accounts that were probed in this run, and of the piggybacked ones. */
  readonly awaited: readonly Awaited[];
  /** Whether any account was probed. */
  readonly hasProbed: boolean;
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  readonly startedAtMs: number;
  /** Whether delays say something about the pace: polls were neither late nor slowed down. */
  readonly isPaced: boolean;
}

/** How one kind of freshness decides when a group is probed, and what that takes. */
export interface ProbeAlgorithm {
  /** The waiting accounts to probe. */
  choose(query: TurnQuery): Turn<GroupMember>;
  /** Milliseconds until a probe is worth its request; see `waitAfter`. */
  waitMs(query: TurnQuery): number;
  /** What is learned from a run. */
  after(query: PaceQuery): LearnedPace;
  /** Undefined where runs follow the posts. */
  runsPerDay(accounts: number): number | undefined;
}

const SHORTEST_MS = 1_000;

/** Milliseconds until the next probe. */
export const waitAfter = (algorithm: ProbeAlgorithm, query: TurnQuery): number =>
  Math.max(SHORTEST_MS, algorithm.waitMs(query));

/**
 * Whether a probe is not worth its request yet, because other groups just requested some of the
 * members.
 */
export const isTooSoon = (algorithm: ProbeAlgorithm, query: TurnQuery): boolean =>
  waitAfter(algorithm, query) > SHORTEST_MS;
