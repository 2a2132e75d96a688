/**
 * Lists the members of a group with a `freshness` that may be probed next, with the values by which
 * they are chosen. A turn is the set of members that a run requests or reads.
 */
import { type DayProfile, hourFactor, rateAt } from "../../../plan/rates/rates.ts";
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited, Candidate } from "../../probing/probe-choice.ts";
import type { AccountMemory } from "../../probing/probe-states.ts";

export interface Waiting extends Candidate {
  readonly member: GroupMember;
  readonly account: AccountMemory;
}

/**
 * A check time that lies further in the future than this was recorded before the clock was set
 * back. If it is nearer, another group has just requested the account.
 */
const SET_BACK_MS = 60_000;
const SET_BACK_AGE_MS = 3_600_000;

/** Returns the members that were probed before, with their current rates and ages. */
export type Turns = (
  members: readonly GroupMember[],
  profile: DayProfile,
  nowMs: number,
) => readonly Waiting[];

export const createTurns =
  (accountOf: (userId: string) => AccountMemory | undefined): Turns =>
  (members, profile, nowMs) => {
    const busyness = hourFactor(profile, nowMs);
    return members.flatMap((member) => {
      const account = accountOf(member.userId);
      if (account === undefined) return [];
      return [
        {
          id: member.userId,
          member,
          account,
          rate: rateAt(account.rate, nowMs, busyness),
          ageMs: ageOf(account, nowMs),
        },
      ];
    });
  };

function ageOf({ checkedAtMs }: AccountMemory, nowMs: number): number {
  const ageMs = nowMs - checkedAtMs;
  return ageMs < -SET_BACK_MS ? SET_BACK_AGE_MS : Math.max(0, ageMs);
}

/** The accounts that are requested or read, and the posts that the rates predict for them. */
export interface Turn<T> {
  readonly all: readonly T[];
  readonly awaited: Awaited;
}

export const NOBODYS_TURN: Turn<never> = { all: [], awaited: { posts: 0, waitedMs: 0 } };
