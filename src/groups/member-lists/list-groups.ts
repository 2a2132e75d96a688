/**
 * Combines polls of account lists (followers, accounts followed) into one poll of a group. The
 * group's poll requests the counters of a hundred accounts with one request, and reads the lists
 * whose counter changed. Decides which polls can be grouped and estimates what a group costs.
 * list-reads.ts decides whether a read explains a change. Pure.
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
   * Returns how many requests a read of a poll's whole list takes. It is 1 for a short list and for
   * a list of unknown length.
   */
  readonly pagesOf?: (poll: Poll) => number | undefined;
}

/**
 * Returns the polls that join no group, and the polls of the groups. A group keeps its key when
 * accounts are added or removed. `shared` contains the accounts that other polls probe anyway.
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
    // This is decided by the configuration alone, so that all replicas decide the same; what was
    // learned may differ between them.
    const isBeside =
      shared.has(first) || groups.some((group) => schedulesKey(group) === schedulesKey(first));
    // A single short list costs as much to read as its counter, so a probe saves nothing. A probe
    // does save requests for a long list that every poll would read completely.
    const isWorthIt =
      members.length > 1 || strategyOf(first) === "probe" || isReadByEveryPoll(first) || isBeside;
    if (isWorthIt) groups.push(toGroup(deps.hash(`group\n${kind}`), members, deps, shared));
    else alone.push(...members);
  }
  return [...rest, ...alone, ...groups];
}

/**
 * Returns the key of the group to which the poll of a list belongs. Undefined for a list without a
 * counter in its account's profile, and for one that must be read on its own.
 */
function listsKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  const isProbed =
    poll.detector === "roster" &&
    poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  if (!isProbed || strategy === "single" || userIdOf(poll) === "") return undefined;
  // The text `rosters` is part of the key under which the group is stored, so it must not change.
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

/** How a list is read, and what that costs. */
export interface ListCost {
  /**
   * Whether the list's counter changes so often that the list is read at every tick, regardless of
   * probes.
   */
  readonly isReadEveryTick: boolean;
  /** The number of requests per day for reads of the list. Probes are not included. */
  readonly readsPerDay: number;
  /** The number of requests of one read, as it is made when the counter has changed. */
  readonly pages: number;
  /** The number of requests per day for additional complete reads of the list. */
  readonly wholePerDay: number;
}

type ListGroup = Pick<Poll, "intervalMs" | "subscribers" | "group">;

/**
 * Returns how each list of a group is read, in the order of the members. `rateOf` returns how many
 * reads per day the counter of a list causes, by poll key; undefined if that is not learned yet.
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
    // A list that is longer than one poll may read is read over several polls.
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

/** Returns the number of probe requests in one run. */
const probesOf = ({ group }: ListGroup): number =>
  Math.min(
    Math.ceil((group?.members.length ?? 0) / BATCH_SIZE),
    group?.probesPerRun ?? Number.POSITIVE_INFINITY,
  );

/** Returns the number of requests per day for probes and reads. */
function requestsOf(lists: readonly ListCost[], poll: ListGroup): number {
  const isProbed = lists.some(({ isReadEveryTick }) => !isReadEveryTick);
  return (
    (isProbed ? probesOf(poll) * (DAY_MS / poll.intervalMs) : 0) +
    sum(lists, ({ readsPerDay }) => readsPerDay)
  );
}

/**
 * Returns the time in ms between two reads that are made of each list even if its counter does not
 * change.
 */
export function fullPollOfListsEvery(poll: ListGroup, lists: readonly ListCost[]): number {
  const affordedPerDay = requestsOf(lists, poll) * FULL_POLL_SHARE;
  const everyMs = (sum(lists, ({ pages }) => pages) / affordedPerDay) * DAY_MS;
  return poll.group?.fullPollEveryMs ?? fullPollWithin(everyMs, poll.intervalMs, maxAgeOf(poll));
}
