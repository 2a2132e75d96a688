/**
 * Turns polls of account lists (followers, accounts followed) into one poll of the group, which
 * probes the counters of a hundred accounts with one request and reads the lists whose counter
 * changed. Owns which polls can be grouped and what a group costs. list-reads.ts decides when a
 * change is accounted for. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Hash } from "../../model/hash.ts";
import { groupSpreadMs, schedulesKey } from "../../plan/polls/group-spread.ts";
import { dailyRead, isReadByEveryPoll } from "../../plan/polls/full-read.ts";
import { joinMembers, sharedKey, type Members, sortByKind } from "../../plan/polls/kinds.ts";
import { type Poll, type Pollable, userIdOf } from "../../plan/poll.ts";
import { MOVES_PER_DAY } from "../../plan/polls/estimate.ts";
import type { SharedProbes } from "../probing/shared-probes.ts";
import { FULL_POLL_SHARE, fullPollWithin } from "../../plan/full-polls.ts";
import { sum } from "../../plan/sum.ts";
import { maxAgeOf, strategyOf } from "../../plan/polls/effective-settings.ts";

const DAY_MS = 86_400_000;

export interface ListGroupDeps {
  readonly hash: Hash;
  /**
   * Returns how many requests a read of a poll's whole list takes; 1 if it is short or its length
   * is not known.
   */
  readonly pagesOf?: (poll: Poll) => number | undefined;
}

/**
 * Returns the polls that join no group, then the polls of the groups. A group keeps its key when
 * accounts are added or removed. `shared` has the accounts that other polls probe in any case.
 */
export function groupMemberLists<T extends Pollable>(
  polls: readonly Poll<T>[],
  deps: ListGroupDeps,
  shared: SharedProbes,
): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, listsKey);
  const alone: Poll<T>[] = [];
  const groups: Poll<T>[] = [];
  for (const [kind, members] of kinds) {
    const [first] = members;
    // Decide this by the configuration alone, so that all replicas agree: how a group is read
    // depends on what was learned.
    const isBeside =
      shared.has(first) || groups.some((group) => schedulesKey(group) === schedulesKey(first));
    // A single short list is as cheap to read as its counter; a long one that is read completely is
    // not.
    const isWorthIt =
      members.length > 1 || strategyOf(first) === "probe" || isReadByEveryPoll(first) || isBeside;
    if (isWorthIt) groups.push(toGroup(deps.hash(`group\n${kind}`), members, deps, shared));
    else alone.push(...members);
  }
  return [...rest, ...alone, ...groups];
}

/**
 * Returns the key of the group to which a list belongs; undefined for a list whose account has no
 * counter for it, and for one that must be read on its own.
 */
function listsKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  const isProbed =
    poll.detector === "roster" &&
    poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  if (!isProbed || strategy === "single" || userIdOf(poll) === "") return undefined;
  // This is part of the key under which the group is stored, so it keeps its old name.
  return sharedKey(poll, "rosters");
}

function toGroup<T extends Pollable>(
  key: string,
  members: Members<T>,
  deps: ListGroupDeps,
  shared: SharedProbes,
): Poll<T> {
  const joined = joinMembers("member-lists", members);
  const userIds = members.map(userIdOf);
  const poll = {
    ...joined,
    group: { ...joined.group, probesPerRun: shared.more(joined, userIds) },
  };
  const lists = listsOf(poll, deps);
  if (lists.some(({ isReadEveryTick }) => !isReadEveryTick)) shared.add(poll, userIds);
  return {
    ...poll,
    key,
    source: { endpoint: "info-batch", params: {} },
    spreadMs: groupSpreadMs(poll),
    costRequests: (requestsOf(lists, poll) * poll.intervalMs) / DAY_MS,
    group: {
      ...poll.group,
      weights: lists.map(({ readsPerDay, wholePerDay }) => readsPerDay + wholePerDay),
    },
  };
}

/** How a list is read. */
export interface ListCost {
  /**
   * Whether the list's counter changes so often that the list is read at every tick, independently
   * of the probes.
   */
  readonly isReadEveryTick: boolean;
  /** The number of requests per day, without the probes. */
  readonly readsPerDay: number;
  /** The number of requests of a read that a change of the counter causes. */
  readonly pages: number;
  /** The number of requests per day for additional complete reads. */
  readonly wholePerDay: number;
}

type ListGroup = Pick<Poll, "intervalMs" | "subscribers" | "group">;

/**
 * Returns how each list of a group is read, in the order of the members. `rateOf` returns the reads
 * per day that an account's counter causes, by poll key; undefined if nothing was learned.
 */
export function listsOf(
  poll: ListGroup,
  {
    pagesOf,
    rateOf,
  }: Pick<ListGroupDeps, "pagesOf"> & { readonly rateOf?: (key: string) => number | undefined },
): readonly ListCost[] {
  const { members = [], override } = poll.group ?? {};
  const ticks = DAY_MS / poll.intervalMs;
  const probesOfEach = (probesOf(poll) * ticks) / members.length;
  return members.map((list) => {
    const length = Math.max(1, pagesOf?.(list) ?? 1);
    const isWhole = isReadByEveryPoll(list);
    const pages = isWhole ? length : 1;
    const onChange = Math.min(rateOf?.(list.key) ?? MOVES_PER_DAY.low, ticks) * pages;
    // A long list is read over several polls.
    const everyTick = (ticks * pages) / Math.ceil(pages / list.maxPages);
    const isReadEveryTick = override !== "probe" && onChange + probesOfEach >= everyTick;
    const wholePerDay = isWhole ? 0 : dailyRead(list, ticks, length);
    return {
      isReadEveryTick,
      readsPerDay: isReadEveryTick ? everyTick : onChange,
      pages,
      wholePerDay,
    };
  });
}

/** Returns the probe requests of a run. */
const probesOf = ({ group }: ListGroup): number =>
  Math.min(
    Math.ceil((group?.members.length ?? 0) / BATCH_SIZE),
    group?.probesPerRun ?? Number.POSITIVE_INFINITY,
  );

/** Returns the requests per day of probes and reads. */
function requestsOf(lists: readonly ListCost[], poll: ListGroup): number {
  const isProbed = lists.some(({ isReadEveryTick }) => !isReadEveryTick);
  return (
    (isProbed ? probesOf(poll) * (DAY_MS / poll.intervalMs) : 0) +
    sum(lists, ({ readsPerDay }) => readsPerDay)
  );
}

/** Returns how often every list is read regardless of its counter. */
export function fullPollOfListsEvery(poll: ListGroup, lists: readonly ListCost[]): number {
  const affordedPerDay = requestsOf(lists, poll) * FULL_POLL_SHARE;
  const everyMs = (sum(lists, ({ pages }) => pages) / affordedPerDay) * DAY_MS;
  return poll.group?.fullPollEveryMs ?? fullPollWithin(everyMs, poll.intervalMs, maxAgeOf(poll));
}
