/**
 * When a group of accounts under freshness is worth its next probe, and whom that asks for: what the algorithms of `group-mean.ts` and
 * `group-p95.ts` answer, and what they share. `Memory`: what a group learns of its pace by that algorithm; stored.
 */
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited, ProbeRounds } from "../../probing/probe-choice.ts";
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
  /** Those probed in this run, and those who rode along. */
  readonly awaited: readonly Awaited[];
  /** Whether anybody was probed. */
  readonly hasProbed: boolean;
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  readonly startedAtMs: number;
}

/** How one kind of freshness decides when a group is probed, and what that takes. */
export interface ProbeAlgorithm<Memory> {
  /** Whom to probe of those who wait. `onTimeMs`: for so long they were asked for in time. */
  choose(query: TurnQuery<Memory>, onTimeMs: number): Turn<GroupMember>;
  /** Milliseconds until a probe is worth its request; see `waitAfter`. */
  waitMs(query: TurnQuery<Memory>): number;
  isLearned(memory: Memory): boolean;
  /** What a run taught of when the next one comes. */
  after(query: PaceQuery<Memory>): Memory;
  /** What the average rates of the accounts say, each time that the strategy is chosen. */
  fromRates(rates: readonly number[]): Memory;
  /** For the forecast, by average rates. `perQuery`: accounts that one search holds. */
  rounds(rates: readonly number[], perQuery: number): ProbeRounds;
  /** Whether rounds of so many accounts are even, or each asks for everybody. */
  isEven(accounts: number): boolean;
  /** Undefined where they follow the posts. */
  runsPerDay(accounts: number): number | undefined;
  /** What a request is worth, in posts x ms a request, as far as posts may be left to the next search for it. */
  worth(posts: number, requests: number): number;
}

const SHORTEST_MS = 1_000;
/** What would come so soon comes now. */
const SOON_MS = 1_000;

/** Milliseconds until the next probe. */
export const waitAfter = <Memory>(algorithm: ProbeAlgorithm<Memory>, query: TurnQuery<Memory>): number =>
  Math.max(SHORTEST_MS, algorithm.waitMs(query));

/** Whether a probe is not worth its request yet after others asked for some of the members. */
export const isTooSoon = <Memory>(algorithm: ProbeAlgorithm<Memory>, query: TurnQuery<Memory>): boolean =>
  algorithm.isLearned(query.memory) && waitAfter(algorithm, query) > SOON_MS;

/** What comes while it is slowed down for the quota's sake says nothing of the pace. */
export const isPaced = ({ factor }: TurnQuery<unknown>): boolean => factor <= 1;
