/** Where freshness takes the place of a schedule: whom to probe now, who rides along in a search, when the next probe is worth it. */
import type { Freshness } from "../model/schedule.ts";
import { handlesPerQuery } from "../plan/merge.ts";
import { type Candidate, chooseProbe, waitBeforeProbe } from "../plan/probe-choice.ts";
import { firstPace, learnDelays, longestWaitMs, type PaceMemory } from "../plan/probe-pace.ts";
import { hourFactor, isExcited, rateAt } from "../plan/rates.ts";
import type { GroupMember } from "./group-members.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { ReadTask } from "./group-tasks.ts";
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

type Turn = { -readonly [Name in keyof Waiting]: Waiting[Name] } & { ratedAtMs: number };

/** A rate moves so slowly, but for an account that posted just now. */
const RATED_FOR_MS = 60_000;

export function createTurns(accountOf: (userId: string) => AccountMemory | undefined): Turns {
  const kept = new WeakMap<readonly GroupMember[], Map<string, Turn>>();

  const refresh = (turns: Map<string, Turn>, member: GroupMember, busyness: number, nowMs: number): void => {
    const account = accountOf(member.userId);
    if (account === undefined) return void turns.delete(member.userId);
    const turn = turns.get(member.userId) ?? { id: member.userId, member, account, rate: 0, ageMs: 0, ratedAtMs: 0 };
    if (turn.ratedAtMs === 0) turns.set(member.userId, turn);
    const isOld = nowMs - turn.ratedAtMs >= RATED_FOR_MS || isExcited(account.rate, nowMs);
    if (isOld || turn.account.rate !== account.rate) {
      turn.rate = rateAt(account.rate, nowMs, busyness);
      turn.ratedAtMs = nowMs;
    }
    turn.account = account;
  };

  const aged = (turns: Map<string, Turn>, nowMs: number): readonly Waiting[] => {
    const all = [...turns.values()];
    for (const turn of all) turn.ageMs = nowMs - turn.account.checkedAtMs;
    return all;
  };

  return {
    of(members, memory, nowMs) {
      const turns = kept.get(members) ?? new Map<string, Turn>();
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

export const chooseMembers = (waiting: readonly Waiting[], freshness: Freshness): readonly Waiting[] =>
  chooseProbe(waiting, longestWaitMs(freshness));

/** One who was not looked at for longer would make the whole query reach further back, for all who share it. */
const RIDER_AGE_MS = 600_000;

/** Members that fill the last query of the searches at no cost: those next in turn. None where somebody else's part reaches far back. */
export function ridersOf(
  tasks: readonly ReadTask[],
  waiting: () => readonly Waiting[],
  memory: GroupMemory,
  unready: ReadonlySet<string>,
  nowMs: number,
  toService: (localMs: number) => number,
): readonly ReadTask[] {
  const shallow = tasks.filter(({ way, reach }) => way === "search" && reach?.kind !== "sweep");
  const searched = shallow.length;
  if (searched === 0 || shallow.some(({ reach }) => reach === undefined || reach.sinceMs < toService(nowMs - RIDER_AGE_MS))) return [];
  const perQuery = handlesPerQuery(memory.limits);
  const room = Math.ceil(searched / perQuery) * perQuery - searched;
  const busy = new Set(tasks.map(({ member }) => member.userId));
  const free = waiting().filter(
    ({ id, member, account, ageMs }) =>
      ageMs <= RIDER_AGE_MS &&
      !busy.has(id) &&
      !unready.has(member.poll.key) &&
      account.handle !== "" &&
      account.probe.fields !== null &&
      account.probe.hidden === undefined,
  );
  return chooseProbe(free, Number.POSITIVE_INFINITY, room).map(({ member, account }) => ({
    member,
    way: "search",
    reach: { kind: "since", sinceMs: toService(account.checkedAtMs) },
    isFull: false,
  }));
}

export interface PaceQuery {
  readonly freshness: Freshness;
  readonly waiting: readonly Waiting[];
  readonly memory: GroupMemory;
  /** Delays of the posts found in this run. */
  readonly delaysMs: readonly number[];
  readonly nowMs: number;
}

export const paceAfter = ({ freshness, waiting, memory, delaysMs, nowMs }: PaceQuery): PaceMemory => {
  const before =
    memory.pace ??
    firstPace(
      waiting.map(({ rate }) => rate),
      freshness,
      nowMs,
    );
  return learnDelays(before, delaysMs, freshness, nowMs);
};

const SHORTEST_MS = 1_000;

/** Milliseconds until the next probe; `factor`: how much slower it goes while the quota is short. */
export function waitAfter(waiting: readonly Waiting[], pace: PaceMemory, freshness: Freshness, factor: number): number {
  const maxMs = longestWaitMs(freshness);
  const waitMs = waitBeforeProbe(chooseProbe(waiting, maxMs), pace.worth * factor * factor, maxMs * factor);
  return Math.max(SHORTEST_MS, Math.min(waitMs, maxMs));
}
