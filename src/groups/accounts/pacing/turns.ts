/**
 * Lists the members of a group with a `freshness` setting that may be probed next, with the values
 * by which an algorithm chooses among them. A turn is the set of members that one run probes or
 * reads.
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
 * If the last check of an account is more than this far in the future, the clock was set back after
 * it. If it is nearer, another group has checked the account at this moment.
 */
const SET_BACK_MS = 60_000;
const SET_BACK_AGE_MS = 3_600_000;

/**
 * Returns the members that were probed at least once, with their current posting rates and the time
 * since their last check.
 */
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

/** The members that a run probes or reads, and the posts that the rates predict for them. */
export interface Turn<T> {
  readonly all: readonly T[];
  readonly awaited: Awaited;
}

export const NOBODYS_TURN: Turn<never> = { all: [], awaited: { posts: 0, waitedMs: 0 } };
