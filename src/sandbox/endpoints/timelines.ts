/**
 * Endpoints that answer with single tweets, with an account's tweets, with the replies to or quotes
 * of a tweet, or with its retweeters.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { anchorOf, offsetPage, tweetPage, USERS_PER_PAGE } from "../calls/paging.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { namedTweet, readableUser, tweetIdOf } from "../calls/subjects.ts";
import { hash32 } from "../world/chance/dice.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

const BATCH = 100; // api-v3.md, Limits

/**
 * Yields the visible posts of one author, newest first, from the request's cursor on. Posts in
 * communities are included.
 */
export function* postsOf(
  call: Call,
  key: number,
  isWanted: (record: TweetRecord) => boolean = () => true,
): Generator<TweetRecord> {
  for (const record of call.world.tweets.scanBy([key], call.nowMs, anchorOf(call))) {
    if (call.show.isVisible(record) && isWanted(record)) yield record;
  }
}

function userTweets(call: Call): Answer {
  const key = readableUser(call);
  return tweetPage(call, postsOf(call, key), pinnedFirst(call, key));
}

/**
 * Returns the pinned tweet if this is the first page and the account shows its pinned tweet first,
 * which half of the accounts do; otherwise none.
 */
export function pinnedFirst(call: Call, key: number): readonly TweetRecord[] {
  const pin = call.world.pinOf(key);
  const isShown =
    pin !== undefined &&
    anchorOf(call) === undefined &&
    hash32(call.world.seed, "pin-first", key) % 2 === 0;
  return isShown && call.traps && call.world.tweets.find(pin.id) !== undefined ? [pin] : [];
}

const userRetweets = (call: Call): Answer =>
  tweetPage(
    call,
    postsOf(call, readableUser(call), (record) => record.kind === "retweet"),
  );

function answers(call: Call, kind: TweetRecord["kind"]): readonly TweetRecord[] {
  return call.world.tweets
    .answersTo(namedTweet(call), call.nowMs)
    .filter((record) => record.kind === kind && call.show.isVisible(record));
}

function comments(call: Call): Answer {
  const order = call.params.choice("order_by", ["Relevance", "Recency", "Likes"], "Relevance");
  const replies = [...answers(call, "reply")];
  if (order !== "Recency") replies.sort((a, b) => b.likesAtLast - a.likesAtLast);
  return offsetPage(call, replies, {
    name: "tweets",
    most: 20,
    show: (record) => call.show.tweet(record),
  });
}

const quotes = (call: Call): Answer =>
  offsetPage(call, answers(call, "quote"), {
    name: "tweets",
    most: 20,
    show: (record) => call.show.tweet(record),
  });

const retweeters = (call: Call): Answer =>
  offsetPage(call, answers(call, "retweet"), {
    name: "users",
    most: USERS_PER_PAGE,
    show: (record) => call.show.user(record.author),
  });

/**
 * Answers with one tweet, without the fields made_with_ai and paid_partnership, which this endpoint
 * does not have (api-v3.md).
 */
function tweetInfo(call: Call): Answer {
  const {
    made_with_ai: _ai,
    paid_partnership: _paid,
    ...tweet
  } = call.show.tweet(namedTweet(call));
  return { body: tweet };
}

function tweetInfoBulk(call: Call): Answer {
  const links = call.params.list("tweet_links", BATCH);
  if (links === undefined) throw badRequest("tweet_links is required");
  const ids = new Set(links.map((link) => tweetIdOf(link) ?? ""));
  const records = [...ids].map((id) => (id === "" ? undefined : call.world.tweets.find(id)));
  const visible = records.filter(
    (record) => record !== undefined && call.show.isVisible(record),
  ) as TweetRecord[];
  return { body: { tweets: visible.map((record) => call.show.tweet(record)) } };
}

function article(call: Call): Answer {
  const record = namedTweet(call);
  const { articles, articleEdits } = call.world.recorded;
  const seen = articles.get(record.id);
  const edits = articleEdits.get(record.id);
  if (seen === undefined && record.isArticle !== true && edits === undefined)
    throw notFound("article");
  return {
    body: {
      ...(seen ?? inventedArticle(call, record)),
      author: call.show.user(record.author),
      ...edits,
    },
  };
}

function inventedArticle(call: Call, record: TweetRecord): JsonObject {
  const tweet = call.show.tweet(record);
  const body = Array.from(
    { length: 4 },
    (_, i) => `${i + 1}. ${record.text} The long version.`,
  ).join("\n\n");
  return {
    bookmark_count: tweet.bookmark_count,
    cover_image_url: `https://images.example/articles/${record.id}.jpg`,
    favorite_count: tweet.likes_count,
    full_text: body,
    preview_text: record.text,
    published_at: tweet.created_at,
    quote_count: tweet.quote_count,
    reply_count: tweet.reply_count,
    retweet_count: tweet.retweet_count,
    views: tweet.view_count,
  };
}

export const TIMELINE_HANDLERS = {
  "user-tweets": userTweets,
  "user-retweets": userRetweets,
  comments,
  quotes,
  retweeters,
  "tweet-info": tweetInfo,
  "tweet-info-bulk": tweetInfoBulk,
  article,
} as const satisfies Record<string, Handler>;
