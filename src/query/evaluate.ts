/** Decides whether a tweet matches a query, and so defines the meaning of every operator. Pure. */
import { compareIds } from "../model/id.ts";
import type { Tweet } from "../model/tweet.ts";
import { dateMs, type Filter, type Query, type QueryTerm } from "./query.ts";
import { hasWords } from "./words.ts";

export interface QueryContext {
  /** The time from which `within_time:` counts back. */
  readonly nowMs: number;
  /**
   * Returns the user ids of a public list's members. If it is missing or returns undefined, `list:`
   * matches nothing.
   */
  listMembers?(listId: string): ReadonlySet<string> | undefined;
}

/**
 * Whether the tweet matches. Native retweets match only if the query asks for them with
 * `include:nativeretweets` or `filter:nativeretweets`.
 */
export function evaluateQuery(query: Query, tweet: Tweet, context: QueryContext): boolean {
  if (tweet.retweeted_status !== undefined && !wantsRetweets(query)) return false;
  return matches(query, tweet, context);
}

function wantsRetweets(query: Query): boolean {
  if (query.kind === "and" || query.kind === "or") return query.of.some(wantsRetweets);
  return (
    query.kind === "include_nativeretweets" ||
    (query.kind === "filter" && query.filter === "nativeretweets")
  );
}

function matches(query: Query, tweet: Tweet, context: QueryContext): boolean {
  if (query.kind === "and") return query.of.every((part) => matches(part, tweet, context));
  if (query.kind === "or") return query.of.some((part) => matches(part, tweet, context));
  if (query.kind === "not") return !matches(query.of, tweet, context);
  return matchesTerm(query, tweet, context);
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

function matchesTerm(term: QueryTerm, tweet: Tweet, context: QueryContext): boolean {
  switch (term.kind) {
    case "word":
    case "phrase":
      return isIn(tweet, term.text);
    case "hashtag":
    case "cashtag":
    case "mention":
      return tagsIn(tweet, term.kind).includes(term.text);
    case "from":
      return tweet.user.username.toLowerCase() === term.handle;
    case "to":
      return tweet.in_reply_to_username.toLowerCase() === term.handle;
    case "list":
      return context.listMembers?.(term.id)?.has(tweet.user.id) ?? false;
    case "lang":
      return tweet.lang.toLowerCase() === term.lang;
    case "url":
      return linksOf(tweet).some(
        (link) => link.toLowerCase().includes(term.text) || hasWords(link, term.text),
      );
    case "filter":
      return passesFilter(term.filter, tweet);
    case "include_nativeretweets":
      return true;
    case "min_faves":
      return tweet.likes_count >= term.count;
    case "min_retweets":
      return tweet.retweet_count >= term.count;
    case "min_replies":
      return tweet.reply_count >= term.count;
    case "conversation_id":
      return tweet.conversation_id_str === term.id;
    case "quoted_tweet_id":
      return tweet.quoted_status?.id === term.id;
    case "quoted_user_id":
      return tweet.quoted_status?.user.id === term.id;
    default:
      return matchesTime(term, tweet, context.nowMs);
  }
}

type TimeTerm = Extract<
  QueryTerm,
  { kind: "since" | "until" | "since_time" | "until_time" | "since_id" | "max_id" | "within_time" }
>;

function matchesTime(term: TimeTerm, tweet: Tweet, nowMs: number): boolean {
  const atMs = Date.parse(tweet.created_at);
  switch (term.kind) {
    case "since":
      return atMs >= (dateMs(term.date) ?? 0);
    case "until":
      return atMs < (dateMs(term.date) ?? 0);
    case "since_time":
      return atMs >= term.count * 1_000;
    case "until_time":
      return atMs < term.count * 1_000;
    case "since_id":
      return compareIds(tweet.id, term.id) > 0;
    case "max_id":
      return compareIds(tweet.id, term.id) <= 0;
    case "within_time":
      return atMs >= nowMs - term.count * UNIT_MS[term.unit];
  }
}

function passesFilter(filter: Filter, tweet: Tweet): boolean {
  const types = tweet.entities.map((entity) => entity.type);
  switch (filter) {
    case "replies":
      return tweet.is_reply || tweet.in_reply_to_tweet_id !== "";
    case "quote":
      return tweet.is_quote_status || tweet.quoted_status !== undefined;
    case "nativeretweets":
      return tweet.retweeted_status !== undefined;
    case "media":
      return types.some((type) => type !== "url");
    case "images":
      return types.includes("photo");
    case "videos":
      return types.includes("video") || types.includes("animated_gif");
    case "links":
      return linksOf(tweet).length > 0;
    case "mentions":
      return tagsIn(tweet, "mention").length > 0;
    case "hashtags":
      return tagsIn(tweet, "hashtag").length > 0;
    case "verified":
      return tweet.user.verified;
    case "has_engagement":
      return tweet.likes_count + tweet.retweet_count + tweet.reply_count + tweet.quote_count > 0;
    case "safe":
      return tweet.user["possibly_sensitive"] !== true;
  }
}

const TAGS = {
  hashtag: /(?<![\p{L}\p{N}_&])#([\p{L}\p{N}_]+)/gu,
  cashtag: /(?<![\p{L}\p{N}_$])\$([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)/gu,
  mention: /(?<![\p{L}\p{N}_])@(\w{1,15})/gu,
} as const;

function tagsIn(tweet: Tweet, kind: keyof typeof TAGS): readonly string[] {
  return [...tweet.full_text.matchAll(TAGS[kind])].map((found) => (found[1] ?? "").toLowerCase());
}

function linksOf(tweet: Tweet): readonly string[] {
  const inText = tweet.full_text.match(/https?:\/\/[^\s"'<>)]+/g) ?? [];
  return [
    ...inText,
    ...tweet.entities.filter((entity) => entity.type === "url").map((entity) => entity.link),
  ];
}

/**
 * Whether a keyword occurs in the text, the author's name and handle, or a URL (docs/service.md
 * section 5).
 */
const isIn = (tweet: Tweet, wanted: string): boolean =>
  [tweet.full_text, tweet.user.display_name, tweet.user.username, ...linksOf(tweet)].some((text) =>
    hasWords(text, wanted),
  );
