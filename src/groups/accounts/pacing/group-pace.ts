/** Where freshness takes the place of a schedule: whom to probe now, and when the next probe is worth it. */
import { passedMs } from "../../../model/clock.ts";
import type { Freshness } from "../../../model/schedule.ts";
import { longestWaitMs, type Mean, type P95 } from "../../../plan/delay-aims.ts";
import { type Awaited, awaitedOf, type Candidate, chooseProbes, waitBeforeProbes } from "../../probing/probe-choice.ts";
import { chooseRound, learnLate, type OnTimePace, roundEveryMs, type RoundQuery, waitForDue } from "../probe-on-time.ts";
import { type Found, firstPace, learnDelays, type PaceMemory } from "../probe-pace.ts";
import { expectedRate, hourFactor, isInBurst, rateAt } from "../../../plan/rates/rates.ts";
import type { GroupMember } from "../../memory/group-members.ts";
import type { GroupMemory } from "../group-memory.ts";
import type { AccountMemory } from "../../probing/probe-states.ts";

export interface Waiting extends Candidate {
  readonly member: GroupMember;
  readonly account: AccountMemory;
}

/** Members that were probed before, with their rates and ages: ten thousand are compared for every probe, so that the list is kept. */
export interface Turns {
  /** All, as they are now. */
  of(members: readonly GroupMember[], memory: GroupMemory, nowMs: number): readonly Waiting[];
  /** The same list later in the same run: only of those named has more changed than their age. */
  later(members: readonly GroupMember[], memory: GroupMemory, nowMs: number, changed: readonly GroupMember[]): readonly Waiting[];
}

type KeptTurn = { -readonly [Name in keyof Waiting]: Waiting[Name] } & { ratedAtMs: number };

/** A rate moves so slowly, but for an account that posted just now. */
const RATED_FOR_MS = 60_000;

/** One that was checked so long after now was so before the clock was set back; by less, another group asked for it just now. */
const SET_BACK_MS = 60_000;
const SET_BACK_AGE_MS = 3_600_000;

function ageOf({ checkedAtMs }: AccountMemory, nowMs: number): number {
  const ageMs = nowMs - checkedAtMs;
  return ageMs < -SET_BACK_MS ? SET_BACK_AGE_MS : Math.max(0, ageMs);
}

export function createTurns(accountOf: (userId: string) => AccountMemory | undefined): Turns {
  const kept = new WeakMap<readonly GroupMember[], Map<string, KeptTurn>>();

  const refresh = (turns: Map<string, KeptTurn>, member: GroupMember, busyness: number, nowMs: number): void => {
    const account = accountOf(member.userId);
    if (account === undefined) return void turns.delete(member.userId);
    const turn = turns.get(member.userId) ?? { id: member.userId, member, account, rate: 0, ageMs: 0, ratedAtMs: 0 };
    if (turn.ratedAtMs === 0) turns.set(member.userId, turn);
    const isOld = Math.abs(nowMs - turn.ratedAtMs) >= RATED_FOR_MS || isInBurst(account.rate, nowMs);
    if (isOld || turn.account.rate !== account.rate) {
      turn.rate = rateAt(account.rate, nowMs, busyness);
      turn.ratedAtMs = nowMs;
    }
    turn.account = account;
  };

  const aged = (turns: Map<string, KeptTurn>, nowMs: number): readonly Waiting[] => {
    const all = [...turns.values()];
    for (const turn of all) turn.ageMs = ageOf(turn.account, nowMs);
    return all;
  };

  return {
    of(members, memory, nowMs) {
      const turns = kept.get(members) ?? new Map<string, KeptTurn>();
      kept.set(members, turns);
      const busyness = hourFactor(memory.profile, nowMs);
      for (const member of members) refresh(turns, member, busyness, nowMs);
      return aged(turns, nowMs);
    },
    later(members, memory, nowMs, changed) {
      const turns = kept.get(members);
      if (turns === undefined) return this.of(members, memory, nowMs);
      const busyness = hourFactor(memory.profile, nowMs);
      for (const member of changed) refresh(turns, member, busyness, nowMs);
      return aged(turns, nowMs);
    },
  };
}

/** Who is asked for, or read, and what the rates predict of them. */
export interface Turn<T> {
  readonly all: readonly T[];
  readonly awaited: Awaited;
}

export const NOBODYS_TURN: Turn<never> = { all: [], awaited: { posts: 0, waitedMs: 0 } };

export interface TurnQuery {
  readonly waiting: readonly Waiting[];
  readonly freshness: Freshness;
  readonly memory: GroupMemory;
  /** How much slower it goes while the quota is short. */
  readonly factor: number;
  readonly nowMs: number;
}

/** `onTimeMs`: for so long they were asked for in time. */
export function chooseMembers(query: TurnQuery, onTimeMs: number): Turn<GroupMember> {
  const { waiting, freshness, factor } = query;
  if (freshness.kind === "mean") {
    const chosen = chooseProbes(waiting, longestWaitMs(freshness) * factor);
    return { all: chosen.map(({ member }) => member), awaited: awaitedOf(chosen, onTimeMs) };
  }
  return { ...NOBODYS_TURN, all: chooseRound(waiting, roundOf(query, freshness)).map(({ member }) => member) };
}

function roundOf({ waiting, memory, factor }: TurnQuery, freshness: P95): RoundQuery {
  const { busyRate = 0, rounds } = memory;
  const everyMs = roundEveryMs(freshness, waiting.length) * factor;
  return { busyRate: busyRate * (rounds?.correction ?? 1), everyMs, maxMs: longestWaitMs(freshness) * factor };
}

/** `waiting`, `nowMs`: after the run. */
export interface PaceQuery extends TurnQuery {
  /** Those probed in this run, and those who rode along. */
  readonly awaited: readonly Awaited[];
  /** Whether anybody was probed. */
  readonly hasProbed: boolean;
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  readonly startedAtMs: number;
}

/** What a run taught of when the next one comes. */
export const paceAfter = (query: PaceQuery): Pick<GroupMemory, "pace" | "rounds"> =>
  query.freshness.kind === "mean" ? { pace: meanAfter(query, query.freshness) } : { rounds: roundsAfter(query, query.freshness) };

/** What comes while it is slowed down for the quota's sake says nothing of the pace. */
const isPaced = ({ factor }: TurnQuery): boolean => factor <= 1;

/** A pace of nobody says nothing. */
const isWhole = (pace: PaceMemory | undefined): pace is PaceMemory => pace !== undefined && pace.worth > 0;

function meanAfter(query: PaceQuery, freshness: Mean): PaceMemory {
  const { waiting, memory, awaited, delaysMs, nowMs } = query;
  const { pace } = memory;
  const begin = () =>
    firstPace(
      waiting.map(({ account }) => expectedRate(account.rate, nowMs)),
      freshness,
      nowMs,
    );
  if (!isWhole(pace)) return begin();
  if (!isPaced(query)) return pace;
  if (isStale(pace, freshness, nowMs)) return begin();
  const found: Found = { awaited: joinAwaited(awaited), delaysMs };
  return learnDelays(pace, found, freshness, nowMs);
}

const PACE_KEPT_MS = 6 * 3_600_000;

/** Whether it learned nothing for so long, because others asked for all of the members: what is posted may be another matter by now. */
const isStale = ({ atMs }: PaceMemory, { maxMs }: Mean, nowMs: number): boolean => nowMs - atMs > Math.max(PACE_KEPT_MS, 2 * maxMs);

const joinAwaited = (parts: readonly Awaited[]): Awaited => ({
  posts: parts.reduce((sum, { posts }) => sum + posts, 0),
  waitedMs: parts.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
});

/** A run soon after a round is none itself: hardly anybody is due. */
function roundsAfter(query: PaceQuery, freshness: P95): OnTimePace {
  const { waiting, memory, factor, delaysMs, hasProbed, startedAtMs } = query;
  const { correction = 1, roundAtMs = startedAtMs } = memory.rounds ?? {};
  const everyMs = roundEveryMs(freshness, waiting.length) * factor;
  const isRound = hasProbed && untilRound(memory.rounds, everyMs, startedAtMs) < everyMs / 2;
  return {
    correction: isPaced(query) ? learnLate(correction, delaysMs, freshness) : correction,
    roundAtMs: isRound ? startedAtMs : roundAtMs,
  };
}

const SHORTEST_MS = 1_000;
/** What would come so soon comes now. */
const SOON_MS = 1_000;

/** Whether a probe is not worth its request yet after others asked for some of the members. */
export const isTooSoon = (query: TurnQuery): boolean => isLearned(query.memory, query.freshness) && waitAfter(query) > SOON_MS;

const isLearned = ({ pace, rounds }: GroupMemory, { kind }: Freshness): boolean => (kind === "mean" ? isWhole(pace) : rounds !== undefined);

/** Milliseconds until the next probe. */
export function waitAfter(query: TurnQuery): number {
  const { waiting, freshness, factor, nowMs } = query;
  const { pace, rounds } = query.memory;
  if (freshness.kind === "p95") {
    const round = roundOf(query, freshness);
    return Math.max(SHORTEST_MS, untilRound(rounds, round.everyMs, nowMs), waitForDue(waiting, round));
  }
  const maxMs = freshness.maxMs * factor;
  const waitMs = waitBeforeProbes(waiting, (pace?.worth ?? 0) * factor * factor, maxMs);
  return Math.max(SHORTEST_MS, Math.min(waitMs, maxMs));
}

const untilRound = (rounds: OnTimePace | undefined, everyMs: number, nowMs: number): number =>
  everyMs - passedMs(rounds?.roundAtMs ?? 0, nowMs);
