/**
 * The interface of the algorithms in `group-mean.ts` and `group-p95.ts`, which decide when a group of accounts under freshness is probed next
 * and which accounts that probe requests, and what they share. `Memory`: what a group learns of its pace by that algorithm; stored.
 */
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited } from "../../probing/probe-choice.ts";
import type { Turn, Waiting } from "./turns.ts";

export interface TurnQuery<Memory> {
  readonly waiting: readonly Waiting[];
  readonly memory: Memory;
  /** How much slower it goes while the quota is short. */
  readonly factor: number;
  readonly nowMs: number;
}

/** `waiting`, `nowMs`: after the run. */
export interface PaceQuery<Memory> extends TurnQuery<Memory> {
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
export interface ProbeAlgorithm<Memory> {
  /** The waiting accounts to probe. */
  choose(query: TurnQuery<Memory>): Turn<GroupMember>;
  /** Milliseconds until a probe is worth its request; see `waitAfter`. */
  waitMs(query: TurnQuery<Memory>): number;
  isLearned(memory: Memory): boolean;
  /** What is learned from a run. */
  after(query: PaceQuery<Memory>): Memory;
  /** Undefined where runs follow the posts. */
  runsPerDay(accounts: number): number | undefined;
}

const SHORTEST_MS = 1_000;
/** A probe that is due so soon is sent now. */
const SOON_MS = 1_000;

/** Milliseconds until the next probe. */
export const waitAfter = <Memory>(algorithm: ProbeAlgorithm<Memory>, query: TurnQuery<Memory>): number =>
  Math.max(SHORTEST_MS, algorithm.waitMs(query));

/** Whether a probe is not worth its request yet, because other groups just requested some of the members. */
export const isTooSoon = <Memory>(algorithm: ProbeAlgorithm<Memory>, query: TurnQuery<Memory>): boolean =>
  algorithm.isLearned(query.memory) && waitAfter(algorithm, query) > SOON_MS;
