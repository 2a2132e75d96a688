/** Endpoints that search for tweets, mentions and users. */
import { evaluateQuery } from "../../query/evaluate.ts";
import { parseQuery } from "../../query/parse.ts";
import { printQuery } from "../../query/print.ts";
import { dateMs, type Query } from "../../query/query.ts";
import { QueryError } from "../../query/query-error.ts";
import { tokensOf } from "../../query/words.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { anchorOf, offsetPage, tweetPage } from "../calls/paging.ts";
import { recordsFor } from "../calls/search-scope.ts";
import { badRequest } from "../calls/service-error.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

const ORDERS = ["popular", "latest"] as const;
/** The number of the latest matches that are ranked for the order `popular`. */
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
    if (date !== undefined && dateMs(date) === undefined)
      throw badRequest(`${name} must be YYYY-MM-DD`);
    if (date !== undefined) parts.push(`${operator}:${date}`);
  }
  return ordered(call, call.params.choice("order", ORDERS, "latest"), parseQuery(parts.join(" ")));
}

/**
 * Answers with the tweets that match a query, in the given order. `isWanted` excludes further
 * tweets.
 */
export function ordered(
  call: Call,
  order: (typeof ORDERS)[number],
  query: Query,
  isWanted: (record: TweetRecord) => boolean = () => true,
): Answer {
  if (order === "latest") return tweetPage(call, matchesOf(call, query, anchorOf(call), isWanted));
  const pool: TweetRecord[] = [];
  for (const record of matchesOf(call, query, undefined, isWanted))
    if (pool.push(record) >= POPULAR_POOL) break;
  pool.sort((a, b) => b.likesAtLast - a.likesAtLast);
  return offsetPage(call, pool, {
    name: "tweets",
    most: 20,
    show: (record) => call.show.tweet(record),
  });
}

function* matchesOf(
  call: Call,
  query: Query,
  beforeId: string | undefined,
  isWanted: (record: TweetRecord) => boolean,
): Generator<TweetRecord> {
  const lists = new Map<string, ReadonlySet<string> | undefined>();
  const listMembers = (id: string): ReadonlySet<string> | undefined => {
    if (!lists.has(id)) lists.set(id, idsInList(call, id));
    return lists.get(id);
  };
  const context = { nowMs: call.nowMs, listMembers };
  for (const record of recordsFor(call, query, beforeId)) {
    if (
      isWanted(record) &&
      call.show.isIndexed(record) &&
      evaluateQuery(query, call.show.searchable(record), context)
    )
      yield record;
  }
}

function idsInList(call: Call, listId: string): ReadonlySet<string> | undefined {
  const { groups, people } = call.world;
  const list = groups.list(listId);
  return list === undefined
    ? undefined
    : new Set(groups.membersOf(list, call.nowMs).map((key) => people.idOf(key)));
}

/**
 * Parses a query. If the text is not a valid query, its words are searched, because the service
 * does the same.
 */
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
  return words.length === 1
    ? (words[0] as Query)
    : parseQuery(printQuery({ kind: "and", of: words }));
}

function searchUsers(call: Call): Answer {
  const words = tokensOf(call.params.required("query"));
  const { people } = call.world;
  const found: number[] = [];
  for (const key of people.keys()) {
    const text = call.show.nameAndBio(key).toLowerCase();
    if (words.every((word) => text.includes(word)) && people.isReadable(key)) found.push(key);
  }
  return offsetPage(call, found, { name: "users", most: 20, show: (key) => call.show.user(key) });
}

export const SEARCH_HANDLERS = {
  "search-tweets": searchTweets,
  mentions,
  "search-users": searchUsers,
} as const satisfies Record<string, Handler>;
