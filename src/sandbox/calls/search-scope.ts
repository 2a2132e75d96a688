/**
 * Uses the time bounds and authors in a search query to choose which tweets a search has to read,
 * so that a search need not read every tweet.
 */
import { timeOfTweetId } from "../../model/id.ts";
import { dateMs, type Query } from "../../query/query.ts";
import type { Call } from "./call.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

/**
 * Returns the tweets that a search has to check, newest first: all that can match, and possibly
 * others. `beforeId`: only tweets with lower ids.
 */
export function recordsFor(
  call: Call,
  query: Query,
  beforeId: string | undefined,
): Iterable<TweetRecord> {
  const { nowMs } = call;
  const { tweets, people } = call.world;
  const sinceMs = earliestMs(query, nowMs);
  const authors = authorsOf(call, query);
  const isFew = authors !== undefined && (authors.size <= 100 || authors.size < people.count / 4);
  return isFew
    ? tweets.scanBy([...authors], nowMs, beforeId, sinceMs)
    : tweets.scan(nowMs, beforeId, sinceMs);
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/**
 * Returns a time (epoch ms) before which no tweet can match, so that a search can stop there; 0 if
 * there is no such bound.
 */
function earliestMs(query: Query, nowMs: number): number {
  if (query.kind === "and") return Math.max(...query.of.map((part) => earliestMs(part, nowMs)));
  if (query.kind === "or") return Math.min(...query.of.map((part) => earliestMs(part, nowMs)));
  if (query.kind === "since_time") return query.count * 1_000;
  if (query.kind === "since") return dateMs(query.date) ?? 0;
  if (query.kind === "since_id") return timeOfTweetId(query.id);
  return query.kind === "within_time" ? nowMs - query.count * UNIT_MS[query.unit] : 0;
}

/** Returns the keys of all users who can be the author of a match; undefined if every user can. */
function authorsOf(call: Call, query: Query): ReadonlySet<number> | undefined {
  const { groups, people } = call.world;
  if (query.kind === "from") {
    const key = people.keyOfHandle(query.handle);
    return new Set(key === undefined ? [] : [key]);
  }
  if (query.kind === "list") {
    const list = groups.list(query.id);
    return new Set(list === undefined ? [] : groups.membersOf(list, call.nowMs));
  }
  if (query.kind !== "and" && query.kind !== "or") return undefined;
  const parts = query.of.map((part) => authorsOf(call, part));
  const known = parts.filter((part) => part !== undefined);
  if (query.kind === "and") return known.toSorted((a, b) => a.size - b.size)[0];
  return known.length < parts.length ? undefined : new Set(known.flatMap((part) => [...part]));
}
