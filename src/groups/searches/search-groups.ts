/**
 * Keyword searches that want the same schedule, or freshness -> one poll of the group, which asks for many of them in one query. Owns which searches can
 * share, what that costs and how often each is verified by a read of its own. Pure; reading and attribution are the engine's.
 */
import type { Hash } from "../../model/hash.ts";
import type { Query } from "../../query/query.ts";
import { spreadMs } from "../../schedule/spread.ts";
import { ITEMS_PER_PAGE } from "../../plan/polls/feed-pages.ts";
import { joinMembers, sharedKey, type Members, sortByKind } from "../../plan/polls/kinds.ts";
import { FIRST_LIMITS, mergeableQuery, type MergeLimits, batchMembers } from "../../query/merging/merge.ts";
import type { Poll, Pollable } from "../../plan/poll.ts";
import { strategyCost, FULL_POLL_SHARE, fullPollWithin, type StrategyCost } from "../../plan/strategy.ts";
import { sum } from "../../plan/sum.ts";
import { spreadIn } from "../../plan/timing.ts";
import { fullPollEveryOf, maxAgeOf, strategyOf } from "../../plan/polls/effective-settings.ts";

const DAY_MS = 86_400_000;
const LEAST_MEMBERS = 2;

/** The polls that stay as they are, then the groups. A group keeps its key when searches come and go. */
export function groupSearches<T extends Pollable>(polls: readonly Poll<T>[], hash: Hash): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, searchesKey);
  const read = [...kinds].flatMap(([kind, members]) =>
    members.length < LEAST_MEMBERS ? members : [toGroup(hash(`group\n${kind}`), members)],
  );
  return [...rest, ...read];
}

/** Undefined for a poll that shares its requests with nobody. */
function searchesKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  if ((strategy !== "auto" && strategy !== "merge") || queryOf(poll) === undefined) return undefined;
  return sharedKey(poll, "searches");
}

/** What a poll searches for; undefined where it is no search, or one that cannot share a query. */
export function queryOf({ source: { endpoint, params, boundParam } }: Pick<Poll, "source">): Query | undefined {
  const { query, order, ...others } = params;
  const isSearch = endpoint === "search-tweets" && boundParam === "query" && order === "latest" && typeof query === "string";
  return isSearch && Object.keys(others).length === 0 ? mergeableQuery(query) : undefined;
}

function toGroup<T extends Pollable>(key: string, members: Members<T>): Poll<T> {
  const [first] = members;
  const fullPollEveryMs = fullPollEveryOf(first);
  const joined = joinMembers(members);
  const asked = searchGroupOf({ ...first, ...joined }, members, { limits: FIRST_LIMITS, fullPollEveryMs, alone: 0 });
  const cost = costOfSharing(asked);
  return {
    ...first,
    key,
    source: { endpoint: "search-tweets", params: { order: "latest" }, boundParam: "query" },
    spreadMs: spreadIn(first.timing, spreadMs(key, first.intervalMs)),
    costRequests: (cost.readsPerDay * first.intervalMs) / DAY_MS,
    ...joined,
    group: { kind: "searches", members, override: strategyOf(first), cost, ...(fullPollEveryMs === undefined ? {} : { fullPollEveryMs }) },
  };
}

/** A group, as far as its cost depends on it. */
export interface SearchGroup {
  readonly intervalMs: number;
  /** Requests of a run: merged ones, and those of members that fit in with nobody. */
  readonly queries: number;
  /** Members that share a request. */
  readonly shared: number;
  /** Requests more that verification reads of all members cost: with two, a read of either leaves the other by itself, and verifies both. */
  readonly verifications: number;
  readonly fullPollEveryMs: number;
}

interface SharingOptions {
  readonly limits: MergeLimits;
  /** As the user says; undefined: by what verification reads may cost. */
  readonly fullPollEveryMs: number | undefined;
  /** Members of the group that must not share. */
  readonly alone: number;
}

/** `members`: those that may share. */
export function searchGroupOf(
  { subscribers, intervalMs }: Pick<Poll, "subscribers" | "intervalMs">,
  members: readonly Pick<Poll, "source">[],
  { limits, fullPollEveryMs, alone }: SharingOptions,
): SearchGroup {
  const queries = members.flatMap((member) => queryOf(member) ?? []);
  const batches = batchMembers(queries, (query) => ({ kind: "query", query }), limits);
  const base = {
    intervalMs,
    queries: batches.length + alone,
    shared: sum(batches, ({ length }) => (length > 1 ? length : 0)),
    verifications: sum(batches, ({ length }) => (length > 2 ? length : length - 1)),
  };
  return { ...base, fullPollEveryMs: fullPollEveryMs ?? chooseVerifyEvery(base, maxAgeOf({ subscribers })) };
}

/** How often every member is read by itself. */
function chooseVerifyEvery(
  { intervalMs, queries, shared }: Pick<SearchGroup, "intervalMs" | "queries" | "shared">,
  maxAgeMs: number,
): number {
  return fullPollWithin((Math.max(shared, 1) * intervalMs) / (queries * FULL_POLL_SHARE), intervalMs, maxAgeMs);
}

/** It is never more than each by itself takes, but for what verification reads ask for again. */
export const costOfSharing = ({ intervalMs, queries, verifications, fullPollEveryMs }: SearchGroup): StrategyCost =>
  strategyCost("merge", 0, (queries * DAY_MS) / intervalMs, (verifications * DAY_MS) / fullPollEveryMs);

/** A read that brings more than a page costs the same merged or not, and its posts are read once more by verification reads: then sharing saves nothing. */
const TOO_BUSY = 0.85;
const CALM_AGAIN = 0.6;

/** Whether a search with so many posts a day is better read by itself; `isBusy`: as it was decided before. */
export function isTooBusy(postsPerDay: number, intervalMs: number, isBusy: boolean): boolean {
  const ticks = DAY_MS / intervalMs;
  return (2 * postsPerDay) / ITEMS_PER_PAGE > ticks * (isBusy ? CALM_AGAIN : TOO_BUSY);
}
