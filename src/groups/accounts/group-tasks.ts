/**
 * Decides what a run of a group of accounts reads after its probe: which members, through which
 * endpoint, and how far back. Pure.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import { passedMs } from "../../model/clock.ts";
import { isDue, endpointToRead } from "../probing/pending-changes.ts";
import { handlesPerQuery, type MergeLimits } from "../../query/merging/merge.ts";
import { batchParts, fillersOf, partOf, partsOfSearches, triedFor } from "./search-parts.ts";
import type { GroupMember } from "../memory/group-members.ts";
import type { AccountMemory } from "../probing/probe-states.ts";

export interface ReadTask {
  readonly member: GroupMember;
  readonly endpoint: "search" | "timeline";
  /**
   * How far back a search reads, in service time; undefined to read back to the member's last poll.
   */
  readonly reach?: Reach | undefined;
  /** Whether the read is a full poll, which finds every post since the last full poll. */
  readonly isFull: boolean;
}

export interface TaskQuery {
  readonly members: readonly GroupMember[];
  /**
   * Poll keys of members that must be read on their own, because their first read is not complete
   * or their history has a gap.
   */
  readonly unready: ReadonlySet<string>;
  /** Whether a member, given by its poll key, is in a cooldown because it could not be read. */
  readonly isCoolingDown: (pollKey: string) => boolean;
  readonly limits: MergeLimits;
  readonly fullPollEveryMs: number;
  /**
   * Members that were not probed because the service refused the probe. They are searched for
   * instead.
   */
  readonly unprobed: ReadonlySet<GroupMember>;
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  /** The time between two runs, in ms. */
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Converts a time of the local clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

export function tasksOf(query: TaskQuery): readonly ReadTask[] {
  const { nowMs, fullPollEveryMs } = query;
  const tasks: ReadTask[] = [];
  const late: Late[] = [];
  const next: Late[] = [];
  for (const member of query.members) {
    if (query.isCoolingDown(member.poll.key)) continue;
    const account = query.accountOf(member.userId);
    const task = taskOf(member, account, query);
    if (task !== undefined) tasks.push(task);
    else if (account !== undefined) {
      const rounds = (nowMs - account.probe.fullAtMs) / fullPollEveryMs;
      const triedRounds =
        (nowMs - (account.probe.blindAtMs ?? Number.NEGATIVE_INFINITY)) / fullPollEveryMs;
      if (rounds >= MIN_ROUNDS && triedRounds >= AGAIN)
        (rounds >= 1 ? late : next).push({ member, account });
    }
  }
  const free = freeFullPolls(tasks, [...late, ...next], query);
  const isFree = new Set(free.map(({ member }) => member));
  const others = (all: readonly Late[]): readonly Late[] =>
    all.filter(({ member }) => !isFree.has(member));
  return [...tasks, ...free, ...fullPolls(others(late), others(next), query)];
}

/**
 * The share of an interval after which an account with unreliable counters is searched for again.
 * It is a little less than 1, because ticks may be early or late by a moment. Groups that have a
 * `freshness` setting run more often than these searches.
 */
const SAME_TICK = 0.9;

const byTimeline = (member: GroupMember): ReadTask => ({
  member,
  endpoint: "timeline",
  isFull: true,
});

/** Returns how a member is read after the probe; undefined if it is not read now. */
function taskOf(
  member: GroupMember,
  account: AccountMemory | undefined,
  query: TaskQuery,
): ReadTask | undefined {
  const { nowMs } = query;
  if (account === undefined || query.unready.has(member.poll.key)) return byTimeline(member);
  const { probe } = account;
  const { open } = probe;
  if (probe.fields === null) return isDue(probe, nowMs) ? byTimeline(member) : undefined;
  if (account.handle === "") return byTimeline(member);
  if (isDue(probe, nowMs) && open !== undefined) {
    const sinceMs = query.toService(open.sinceMs);
    // The account was never probed before, so no counter says how many posts a search has to show,
    // and an empty answer of the search would prove nothing.
    if (open.sinceMs === 0 || endpointToRead(probe) === "timeline") return byTimeline(member);
    return { member, endpoint: "search", reach: { kind: "since", sinceMs }, isFull: false };
  }
  if (probe.isBlind !== true && !query.unprobed.has(member)) return undefined;
  if (endpointToRead(probe) === "timeline") return byTimeline(member);
  if (nowMs - probe.fullAtMs >= member.poll.overlapMs)
    return { member, endpoint: "search", reach: rescanOf(member, account, query), isFull: true };
  // For an account with unreliable counters, a probe says nothing about new posts, so the account
  // counts as checked since its last search and not since its last probe.
  const seenAtMs =
    probe.isBlind === true ? (account.searchedAtMs ?? probe.fullAtMs) : account.checkedAtMs;
  if (probe.isBlind === true && passedMs(seenAtMs, nowMs) < query.intervalMs * SAME_TICK)
    return undefined;
  return {
    member,
    endpoint: "search",
    reach: { kind: "since", sinceMs: query.toService(seenAtMs) },
    isFull: false,
  };
}

interface Late {
  readonly member: GroupMember;
  readonly account: AccountMemory;
}

/**
 * An account may be added to another account's search for a full poll at no cost once its last full
 * poll is older than this share of the interval between full polls.
 */
const MIN_ROUNDS = 0.5;
/**
 * The share of the interval between full polls after which a full poll with an empty answer is
 * repeated. The known posts may have been deleted, or the service may have been returning empty
 * answers for hours.
 */
const AGAIN = 0.5;

/**
 * Returns full polls of accounts that are due. There are as many searches as are needed to keep up
 * with the accounts that come due, and their free places are filled with accounts that are due
 * next.
 */
function fullPolls(
  late: readonly Late[],
  next: readonly Late[],
  query: TaskQuery,
): readonly ReadTask[] {
  const perQuery = handlesPerQuery(query.limits);
  const queries = Math.ceil(
    (query.members.length * query.intervalMs) / Math.max(query.fullPollEveryMs, 1) / perQuery,
  );
  const places = queries * perQuery;
  const sorted = [...late].sort(byAge);
  const bySearch = searchedParts(sorted, query).slice(0, places);
  const fillers =
    bySearch.length === 0
      ? []
      : fillersOf(bySearch, searchedParts([...next].sort(byAge), query), query.limits);
  return [
    ...sorted
      .filter(isOffSearch)
      .slice(0, places)
      .map(({ member }) => byTimeline(member)),
    ...[...bySearch, ...fillers].map(
      ({ late: { member }, reach }): ReadTask => ({
        member,
        endpoint: "search",
        reach,
        isFull: true,
      }),
    ),
  ];
}

/**
 * Returns full polls that cost nothing: due accounts that fit into the deepest search of this run
 * without another page.
 */
function freeFullPolls(
  tasks: readonly ReadTask[],
  due: readonly Late[],
  query: TaskQuery,
): readonly ReadTask[] {
  const { limits } = query;
  const deepest = batchParts(partsOfSearches(tasks, query), limits).at(-1);
  if (deepest === undefined) return [];
  const candidates = searchedParts([...due].sort(byAge).slice(0, triedFor(deepest, limits)), query);
  return fillersOf(deepest, candidates, limits).map(({ late: { member }, reach }) => ({
    member,
    endpoint: "search",
    reach,
    isFull: true,
  }));
}

const isOffSearch = ({ account: { probe } }: Late): boolean =>
  probe.fields === null || endpointToRead(probe) === "timeline";

const byAge = (a: Late, b: Late): number => a.account.probe.fullAtMs - b.account.probe.fullAtMs;

const searchedParts = (all: readonly Late[], query: TaskQuery) =>
  all
    .filter((one) => !isOffSearch(one))
    .map((late) => {
      const reach = rescanOf(late.member, late.account, query);
      return {
        ...partOf(late.member.userId, late.account, reach.sinceMs, query.nowMs),
        late,
        reach,
      };
    });

/**
 * Returns a rescan that goes back to the account's last full poll and further by the poll's
 * `overlap`, because posts may become visible late.
 */
const rescanOf = ({ poll }: GroupMember, { probe }: AccountMemory, query: TaskQuery): Reach => ({
  kind: "rescan",
  sinceMs: query.toService(probe.fullAtMs) - poll.overlapMs,
});
