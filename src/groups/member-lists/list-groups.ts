/**
 * Polls of lists of accounts (followers, accounts followed) -> one poll of the group, which probes
 * the counters of a hundred accounts with one request and reads the lists whose counter moved. Owns
 * which polls can do that and what it costs; when a change is accounted for is list-reads.ts, the
 * probing and reading is the engine's. Pure.
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
  /** Requests of a read of a poll's whole list; 1 where it is short or its length is not known. */
  readonly pagesOf?: (poll: Poll) => number | undefined;
}

/**
 * The polls that stay as they are, then the groups. A group keeps its key when accounts come and
 * go. `shared`: who is probed anyway.
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
    // By the configuration alone, so that replicas agree: how the other groups are read depends on
    // what was learned.
    const isBeside =
      shared.has(first) || groups.some((group) => schedulesKey(group) === schedulesKey(first));
    // One short list is read as cheaply as its counter; a long one that is read whole is not.
    const isWorthIt =
      members.length > 1 || strategyOf(first) === "probe" || isReadByEveryPoll(first) || isBeside;
    if (isWorthIt) groups.push(toGroup(deps.hash(`group\n${kind}`), members, deps, shared));
    else alone.push(...members);
  }
  return [...rest, ...alone, ...groups];
}

/**
 * Undefined for a list whose account has no counter for it, and for one that is to be read by
 * itself.
 */
function listsKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  const isProbed =
    poll.detector === "roster" &&
    poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  if (!isProbed || strategy === "single" || userIdOf(poll) === "") return undefined;
  // Part of the key under which the group is stored: it keeps its old name.
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
  /** It moves so often that it is read at every tick, beside the probes of the others. */
  readonly isReadEveryTick: boolean;
  /** Requests a day, but for the probes. */
  readonly readsPerDay: number;
  /** Requests of a read that a change of its counter asks for. */
  readonly pages: number;
  /** Requests a day that read it whole all the same. */
  readonly wholePerDay: number;
}

type ListGroup = Pick<Poll, "intervalMs" | "subscribers" | "group">;

/**
 * Of the lists of a group, in their order. `rateOf`: reads a day that the counter of a poll's
 * account asks for, by poll key; undefined where nothing was learned.
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
    // A long list is read on over several polls.
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

/** Requests a run. */
const probesOf = ({ group }: ListGroup): number =>
  Math.min(
    Math.ceil((group?.members.length ?? 0) / BATCH_SIZE),
    group?.probesPerRun ?? Number.POSITIVE_INFINITY,
  );

/** Requests a day of probes and of reads. */
function requestsOf(lists: readonly ListCost[], poll: ListGroup): number {
  const isProbed = lists.some(({ isReadEveryTick }) => !isReadEveryTick);
  return (
    (isProbed ? probesOf(poll) * (DAY_MS / poll.intervalMs) : 0) +
    sum(lists, ({ readsPerDay }) => readsPerDay)
  );
}

/** How often every list is read whatever its counter says. */
export function fullPollOfListsEvery(poll: ListGroup, lists: readonly ListCost[]): number {
  const affordedPerDay = requestsOf(lists, poll) * FULL_POLL_SHARE;
  const everyMs = (sum(lists, ({ pages }) => pages) / affordedPerDay) * DAY_MS;
  return poll.group?.fullPollEveryMs ?? fullPollWithin(everyMs, poll.intervalMs, maxAgeOf(poll));
}
