/** Endpoints that search: tweets by the platform's language, mentions, people. */
import { evaluateQuery } from "../../query/evaluate.ts";
import { parseQuery } from "../../query/parse.ts";
import { printQuery } from "../../query/print.ts";
import { dateMs, type Query } from "../../query/query.ts";
import { QueryError } from "../../query/query-error.ts";
import { tokensOf } from "../../query/words.ts";
import { timeOfTweetId } from "../../model/id.ts";
import type { Answer, Call, Handler } from "../call.ts";
import { anchorOf, offsetPage, tweetPage } from "../paging.ts";
import { badRequest } from "../service-error.ts";
import { belongs, LISTS } from "../world/communities.ts";
import type { TweetRecord } from "../world/tweet-record.ts";

const ORDERS = ["popular", "latest"] as const;
/** What `popular` ranks: this many of the latest matches. */
const POPULAR_POOL = 400;

function searchTweets(call: Call): Answer {
  const query = readQuery(call.params.required("query"));
  return ordered(call, call.params.choice("order", ORDERS, "popular"), query);
}

function mentions(call: Call): Answer {
  const handle = call.params.required("query").replace(/^@/, "");
  if (!/^\w{1,15}$/.test(handle)) throw badRequest("query must be a username");
  const parts = [`(@${handle} -from:${handle})`];
  for (const [name, operator] of [
    ["min_likes", "min_faves"],
    ["min_replies", "min_replies"],
    ["min_retweets", "min_retweets"],
  ] as const) {
    const least = call.params.integer(name);
    if (least !== undefined) parts.push(`${operator}:${Math.max(0, least)}`);
  }
  for (const [name, operator] of [
    ["since_date", "since"],
    ["until_date", "until"],
  ] as const) {
    const date = call.params.optional(name);
    if (date !== undefined && dateMs(date) === undefined) throw badRequest(`${name} must be YYYY-MM-DD`);
    if (date !== undefined) parts.push(`${operator}:${date}`);
  }
  return ordered(call, call.params.choice("order", ORDERS, "latest"), parseQuery(parts.join(" ")));
}

/** Both orders of a query's matches; `isWanted` narrows them further. */
export function ordered(
  call: Call,
  order: (typeof ORDERS)[number],
  query: Query,
  isWanted: (record: TweetRecord) => boolean = () => true,
): Answer {
  if (order === "latest") return tweetPage(call, matchesOf(call, query, anchorOf(call), isWanted));
  const pool: TweetRecord[] = [];
  for (const record of matchesOf(call, query, undefined, isWanted)) if (pool.push(record) >= POPULAR_POOL) break;
  pool.sort((a, b) => b.likesAtLast - a.likesAtLast);
  return offsetPage(call, "tweets", pool, 20, (record) => call.show.tweet(record));
}

function* matchesOf(
  call: Call,
  query: Query,
  beforeId: string | undefined,
  isWanted: (record: TweetRecord) => boolean,
): Generator<TweetRecord> {
  const context = { nowMs: call.nowMs, listMembers: (id: string) => membersOf(call, id) };
  for (const record of call.world.tweets.scan(call.nowMs, beforeId, earliestMs(query, call.nowMs))) {
    if (isWanted(record) && call.show.isIndexed(record) && evaluateQuery(query, call.show.tweet(record), context)) yield record;
  }
}

function membersOf(call: Call, listId: string): ReadonlySet<string> | undefined {
  const list = LISTS.find((each) => each.id === listId);
  if (list === undefined) return undefined;
  return new Set(
    call.world.people.native.filter((account) => belongs(call.world.seed, list.id, list.share, account.index)).map((account) => account.id),
  );
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** No match is older than this: lets a bounded search stop early. */
function earliestMs(query: Query, nowMs: number): number {
  if (query.kind === "and") return Math.max(...query.of.map((part) => earliestMs(part, nowMs)));
  if (query.kind === "or") return Math.min(...query.of.map((part) => earliestMs(part, nowMs)));
  if (query.kind === "since_time") return query.count * 1_000;
  if (query.kind === "since") return dateMs(query.date) ?? 0;
  if (query.kind === "since_id") return timeOfTweetId(query.id);
  return query.kind === "within_time" ? nowMs - query.count * UNIT_MS[query.unit] : 0;
}

/** The service is lenient with odd text: what cannot be parsed is searched as plain words. */
export function readQuery(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return asWords(text);
  }
}

function asWords(text: string): Query {
  const words = tokensOf(text).map((word): Query => ({ kind: "word", text: word }));
  if (words.length === 0) throw badRequest("query is not valid");
  return words.length === 1 ? (words[0] as Query) : parseQuery(printQuery({ kind: "and", of: words }));
}

function searchUsers(call: Call): Answer {
  const words = tokensOf(call.params.required("query"));
  const { people } = call.world;
  const found = people.accounts().filter((account) => {
    const text = `${people.usernameOf(account.index)} ${account.displayName} ${account.description}`.toLowerCase();
    return people.isReadable(account.index) && words.every((word) => text.includes(word));
  });
  return offsetPage(call, "users", found, 20, (account) => call.show.user(account.index));
}

export const SEARCH_HANDLERS = {
  "search-tweets": searchTweets,
  mentions,
  "search-users": searchUsers,
} as const satisfies Record<string, Handler>;
