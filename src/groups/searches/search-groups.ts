/**
 * Turns keyword searches with the same schedule or freshness into one poll of the group, which puts
 * many of them into one query. Owns which searches can share a query, what that costs, and how
 * often each is verified by a read of its own. Pure.
 */
import type { Hash } from "../../model/hash.ts";
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
 * Returns the polls that stay as they are, then the groups. A group keeps its key when searches are
 * added or removed.
 */
export function groupSearches<T extends Pollable>(
  polls: readonly Poll<T>[],
  hash: Hash,
): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, searchesKey);
  const read = [...kinds].flatMap(([kind, members]) =>
    members.length < MIN_MEMBERS ? members : [toGroup(hash(`group\n${kind}`), members)],
  );
  return [...rest, ...read];
}

/**
 * Returns the key of the group to which a poll belongs; undefined for a poll that shares its
 * requests with no other.
 */
function searchesKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  if ((strategy !== "auto" && strategy !== "merge") || queryOf(poll) === undefined)
    return undefined;
  return sharedKey(poll, "searches");
}

/**
 * Returns what a poll searches for; undefined if it is not a search, or one that cannot share a
 * query.
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
    costRequests: batchesOf(members).length,
  };
}

/** Returns the queries of the members, divided into those that share a request. */
function batchesOf(members: readonly Pick<Poll, "source">[]): readonly (readonly Query[])[] {
  const queries = members.flatMap((member) => queryOf(member) ?? []);
  return batchMembers(queries, (query) => ({ kind: "query", query }), FIRST_LIMITS);
}

/** The verification reads of a group, as estimated before anything was learned. */
export interface Verification {
  /** How often each member is read on its own. */
  readonly everyMs: number;
  /** The number of requests of a run. */
  readonly queries: number;
  /**
   * Verification reads per day. With two members, a read of either one leaves the other on its own,
   * and so verifies both.
   */
  readonly perDay: number;
}

export function verificationOf({
  intervalMs,
  subscribers,
  group,
}: Pick<Poll, "intervalMs" | "subscribers" | "group">): Verification {
  const batches = batchesOf(group?.members ?? []);
  const queries = batches.length;
  const shared = sum(batches, ({ length }) => (length > 1 ? length : 0));
  const affordedMs = (Math.max(shared, 1) * intervalMs) / (queries * FULL_POLL_SHARE);
  const everyMs =
    group?.fullPollEveryMs ?? fullPollWithin(affordedMs, intervalMs, maxAgeOf({ subscribers }));
  const reads = sum(batches, ({ length }) => (length > 2 ? length : length - 1));
  return { everyMs, queries, perDay: (reads * DAY_MS) / everyMs };
}

/**
 * Sharing saves nothing for a search if its posts, which merged reads and verification reads both
 * return, take more than this share of a request per poll. It shares queries again below
 * `CALM_AGAIN`.
 */
const TOO_BUSY = 0.85;
const CALM_AGAIN = 0.6;

/**
 * Whether a search with this many posts per day is better read on its own. `isBusy`: the previous
 * decision.
 */
export function isTooBusy(postsPerDay: number, intervalMs: number, isBusy: boolean): boolean {
  const ticks = DAY_MS / intervalMs;
  return (2 * postsPerDay) / ITEMS_PER_PAGE > ticks * (isBusy ? CALM_AGAIN : TOO_BUSY);
}
