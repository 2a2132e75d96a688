/** Where freshness takes the place of a schedule: whom to probe now, and when the next probe is worth it. */
import type { Freshness } from "../model/schedule.ts";
import { type Awaited, awaitedOf, type Candidate, chooseProbes, waitBeforeProbes } from "../plan/probe-choice.ts";
import { longestWaitMs } from "../plan/delay-aims.ts";
import { evenWaitMs, type Found, firstPace, learnDelays, type PaceMemory } from "../plan/probe-pace.ts";
import { expectedRate, hourFactor, isExcited, rateAt } from "../plan/rates.ts";
import type { GroupMember } from "./group-members.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { AccountMemory } from "./probe-book.ts";

export interface Waiting extends Candidate {
  readonly member: GroupMember;
  readonly account: AccountMemory;
}

/** Members that were probed before, with their rates and ages: ten thousand are looked at for every probe, so that the list is kept. */
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
    const isOld = Math.abs(nowMs - turn.ratedAtMs) >= RATED_FOR_MS || isExcited(account.rate, nowMs);
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

/** Who is asked for, or read, and what the rates foretell of them. */
export interface Turn<T> {
  readonly all: readonly T[];
  readonly awaited: Awaited;
}

export const NOBODYS_TURN: Turn<never> = { all: [], awaited: { posts: 0, waitedMs: 0 } };

/** `onTimeMs`: for so long they were asked for in time. */
export function chooseMembers(waiting: readonly Waiting[], freshness: Freshness, onTimeMs: number): Turn<GroupMember> {
  const chosen = chooseProbes(waiting, longestWaitMs(freshness));
  return { all: chosen.map(({ member }) => member), awaited: awaitedOf(chosen, onTimeMs) };
}

export interface PaceQuery {
  readonly freshness: Freshness;
  readonly waiting: readonly Waiting[];
  readonly memory: GroupMemory;
  /** Those probed in this run, and those who rode along. */
  readonly awaited: readonly Awaited[];
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  /** Not slowed down for the quota's sake. */
  readonly isPaced: boolean;
  readonly nowMs: number;
}

/** A pace of nobody says nothing. */
const isWhole = (pace: PaceMemory | undefined): pace is PaceMemory => pace !== undefined && pace.worth > 0;

export function paceAfter({ freshness, waiting, memory, awaited, delaysMs, isPaced, nowMs }: PaceQuery): PaceMemory {
  if (!isWhole(memory.pace)) {
    const rates = waiting.map(({ account }) => expectedRate(account.rate, nowMs));
    return firstPace(rates, freshness, nowMs);
  }
  if (!isPaced) return memory.pace;
  const found: Found = { awaited: joinAwaited(awaited), delaysMs };
  return learnDelays(memory.pace, found, freshness, nowMs);
}

const joinAwaited = (parts: readonly Awaited[]): Awaited => ({
  posts: parts.reduce((sum, { posts }) => sum + posts, 0),
  waitedMs: parts.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
});

const SHORTEST_MS = 1_000;

/** Milliseconds until the next probe; `factor`: how much slower it goes while the quota is short. */
export function waitAfter(waiting: readonly Waiting[], pace: PaceMemory, freshness: Freshness, factor: number): number {
  const maxMs = longestWaitMs(freshness);
  const evenMs = evenWaitMs(waiting, freshness, factor);
  if (evenMs !== undefined) return Math.max(SHORTEST_MS, evenMs);
  const waitMs = waitBeforeProbes(waiting, pace.worth * factor * factor, maxMs, maxMs * factor);
  return Math.max(SHORTEST_MS, Math.min(waitMs, maxMs));
}
