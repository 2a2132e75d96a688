/**
 * Combines keyword searches with the same timing, priority and strategy into one poll of a group,
 * which merges many of them into one query. Decides which searches can share a query, estimates
 * what that costs, and how often each search is verified by a read of its own. Pure.
 */
import type { Hash } from "../../model/hash.ts";
import { forEachInSteps, STEP_SIZE, type Steps } from "../../model/steps.ts";
import type { Query } from "../../query/query.ts";
import { spreadMs } from "../../schedule/spread.ts";
import { ITEMS_PER_PAGE } from "../../plan/polls/feed-pages.ts";
import { joinMembers, sharedKey, type Members, sortByKind } from "../../plan/polls/kinds.ts";
import { FIRST_LIMITS, mergeableQuery, batchMembers } from "../../query/merging/merge.ts";
import type { Poll, Pollable } from "../../plan/poll.ts";
import { FULL_POLL_SHARE, fullPollWithin } from "../../plan/full-polls.ts";
import { sum } from "../../plan/sum.ts";
import { spreadIn } from "../../plan/timing.ts";
import { maxAgeOf, strategyOf } from "../../plan/polls/effective-settings.ts";

const DAY_MS = 86_400_000;
const MIN_MEMBERS = 2;

/**
 * Returns the polls that join no group, and the polls of the groups. A group keeps its key when
 * searches are added or removed.
 */
export function* groupSearches<T extends Pollable>(
  polls: readonly Poll<T>[],
  hash: Hash,
): Steps<readonly Poll<T>[]> {
  const { kinds, rest } = sortByKind(polls, searchesKey);
  if (polls.length > STEP_SIZE) yield;
  const read: Poll<T>[] = [];
  yield* forEachInSteps(kinds, ([kind, members]) => {
    if (members.length < MIN_MEMBERS) read.push(...members);
    else read.push(toGroup(hash(`group\n${kind}`), members));
  });
  return [...rest, ...read];
}

/**
 * Returns the key of the group to which a poll belongs; undefined for a poll that is read on its
 * own.
 */
function searchesKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  if ((strategy !== "auto" && strategy !== "merge") || queryOf(poll) === undefined)
    return undefined;
  return sharedKey(poll, "searches");
}

/**
 * Returns the query of a search; undefined if the poll is not a search, or is one that cannot share
 * a query.
 */
export function queryOf({
  source: { endpoint, params, boundParam },
}: Pick<Poll, "source">): Query | undefined {
  const { query, order, ...others } = params;
  const isSearch =
    endpoint === "search-tweets" &&
    boundParam === "query" &&
    order === "latest" &&
    typeof query === "string";
  return isSearch && Object.keys(others).length === 0 ? mergeableQuery(query) : undefined;
}

function toGroup<T extends Pollable>(key: string, members: Members<T>): Poll<T> {
  const joined = joinMembers("searches", members);
  return {
    ...joined,
    key,
    source: { endpoint: "search-tweets", params: { order: "latest" }, boundParam: "query" },
    spreadMs: spreadIn(joined.timing, spreadMs(key, joined.intervalMs)),
    costRequests: batchSizes(members).length,
  };
}

/**
 * The sizes by the list of members. A plan never changes a list that it made, and the forecast asks
 * for them every minute.
 */
const known = new WeakMap<readonly Pick<Poll, "source">[], readonly number[]>();

/**
 * Returns how many queries are in each batch of the members' queries. The queries of a batch are
 * merged into one request.
 */
function batchSizes(members: readonly Pick<Poll, "source">[]): readonly number[] {
  const before = known.get(members);
  if (before !== undefined) return before;
  const queries = members.flatMap((member) => queryOf(member) ?? []);
  const batches = batchMembers(queries, (query) => ({ kind: "query", query }), FIRST_LIMITS);
  const sizes = batches.map(({ length }) => length);
  known.set(members, sizes);
  return sizes;
}

/**
 * How often the members of a group are read on their own, as estimated while nothing was learned
 * yet.
 */
export interface Verification {
  /** The time between two verification reads of the same member, in ms. */
  readonly everyMs: number;
  /** The number of query batches in one run of the group; each takes a request. */
  readonly queries: number;
  /**
   * The number of verification reads per day for all members together. If a batch has two members,
   * a read of one of them leaves the other alone in the merged query, so one read verifies both.
   */
  readonly perDay: number;
}

export function verificationOf({
  intervalMs,
  subscribers,
  group,
}: Pick<Poll, "intervalMs" | "subscribers" | "group">): Verification {
  const sizes = batchSizes(group?.members ?? []);
  const queries = sizes.length;
  const shared = sum(sizes, (size) => (size > 1 ? size : 0));
  const affordedMs = (Math.max(shared, 1) * intervalMs) / (queries * FULL_POLL_SHARE);
  const everyMs =
    group?.fullPollEveryMs ?? fullPollWithin(affordedMs, intervalMs, maxAgeOf({ subscribers }));
  const reads = sum(sizes, (size) => (size > 2 ? size : size - 1));
  return { everyMs, queries, perDay: (reads * DAY_MS) / everyMs };
}

/**
 * A search is read on its own if it finds so many posts that, counted twice, they fill more than
 * this share of a page per poll. They count twice because the merged query and the verification
 * read both return them. Above this share, merging saves no requests.
 */
const TOO_BUSY = 0.85;
const CALM_AGAIN = 0.6;

/**
 * Whether a search with this many posts per day is better read on its own. `isBusy` is the previous
 * decision: a search that is read on its own returns to merged queries only below `CALM_AGAIN`.
 */
export function isTooBusy(postsPerDay: number, intervalMs: number, isBusy: boolean): boolean {
  const ticks = DAY_MS / intervalMs;
  return (2 * postsPerDay) / ITEMS_PER_PAGE > ticks * (isBusy ? CALM_AGAIN : TOO_BUSY);
}
