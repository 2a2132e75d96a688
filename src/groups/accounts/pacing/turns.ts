/** The members of groups under freshness as candidates for the next probe, and the turn that some of them get. */
import { hourFactor, type DayProfile, isInBurst, rateAt } from "../../../plan/rates/rates.ts";
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited, Candidate } from "../../probing/probe-choice.ts";
import type { AccountMemory } from "../../probing/probe-states.ts";

export interface Waiting extends Candidate {
  readonly member: GroupMember;
  readonly account: AccountMemory;
}

/** Members that were probed before, with their rates and ages: ten thousand are compared for every probe, so that the list is kept. */
export interface Turns {
  /** All, as they are now. */
  of(members: readonly GroupMember[], profile: DayProfile, nowMs: number): readonly Waiting[];
  /** The same list later in the same run: only of those named has more changed than their age. */
  later(members: readonly GroupMember[], profile: DayProfile, nowMs: number, changed: readonly GroupMember[]): readonly Waiting[];
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
    of(members, profile, nowMs) {
      const turns = kept.get(members) ?? new Map<string, KeptTurn>();
      kept.set(members, turns);
      const busyness = hourFactor(profile, nowMs);
      for (const member of members) refresh(turns, member, busyness, nowMs);
      return aged(turns, nowMs);
    },
    later(members, profile, nowMs, changed) {
      const turns = kept.get(members);
      if (turns === undefined) return this.of(members, profile, nowMs);
      const busyness = hourFactor(profile, nowMs);
      for (const member of changed) refresh(turns, member, busyness, nowMs);
      return aged(turns, nowMs);
    },
  };
}

/** The accounts that are requested or read, and the posts that the rates predict for them. */
export interface Turn<T> {
  readonly all: readonly T[];
  readonly awaited: Awaited;
}

export const NOBODYS_TURN: Turn<never> = { all: [], awaited: { posts: 0, waitedMs: 0 } };
