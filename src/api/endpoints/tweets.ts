/** Tweets: single, timelines, searches, and who reacted how. */
import { z } from "zod";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Endpoint } from "../endpoint.ts";
import { batchOf, date, linkOrId, order, query, textCursor, tweets, USER3, user3, username, users, wholeNumber } from "../inputs.ts";
import { readArticle } from "../normalise/article.ts";
import { readCommentCheck, readQuoteCheck, readRetweetCheck } from "../normalise/check.ts";
import { tweetRecord } from "../normalise/answer-object.ts";
import { normaliseLegacyTweet } from "../normalise/legacy.ts";
import { commentCheckOutput, quoteCheckOutput, retweetCheckOutput } from "../output/facts.ts";
import { articleOutput, legacyPage, tweetInfoOutput, tweetList, tweetPage } from "../output/tweets.ts";
import { userPage } from "../output/users.ts";

const user = z.strictObject(user3);
const tweet = z.strictObject({ tweet_link: linkOrId });
const tweetAndUser = z.strictObject({ tweet_link: linkOrId, ...user3 });

export const tweetEndpoints = {
  "tweet-info": {
    method: "POST",
    path: "/tweet-info",
    doc: "One tweet, by link or id.",
    input: tweet,
    output: tweetInfoOutput,
    answer: { kind: "record", read: tweetRecord },
    billed: true,
  },
  "tweet-info-bulk": {
    method: "POST",
    path: "/tweet-info-bulk",
    doc: "Up to 100 tweets for one billed request; tweets that are gone are absent.",
    input: z.strictObject({ tweet_links: batchOf(linkOrId, BATCH_SIZE) }),
    output: tweetList,
    answer: tweets,
    batch: { params: ["tweet_links"], size: BATCH_SIZE },
    billed: true,
  },
  "user-tweets": {
    method: "POST",
    path: "/user-tweets",
    doc: "Timeline of an account, newest first, replies and retweets included.",
    input: user,
    exactlyOne: [USER3],
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  "user-retweets": {
    method: "POST",
    path: "/user-retweets",
    doc: "Retweets of an account; the original is in retweeted_status.",
    input: user,
    exactlyOne: [USER3],
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  "search-tweets": {
    method: "POST",
    path: "/search-tweets",
    doc: "Tweets that match a query; order is popular unless latest is asked for.",
    input: z.strictObject({ query, order: order.optional() }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  mentions: {
    method: "POST",
    path: "/mentions",
    doc: "Tweets that mention a handle, latest first unless popular is asked for.",
    input: z.strictObject({
      query: username,
      order: order.optional(),
      min_likes: wholeNumber.optional(),
      min_replies: wholeNumber.optional(),
      min_retweets: wholeNumber.optional(),
      since_date: date.optional(),
      until_date: date.optional(),
    }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  comments: {
    method: "POST",
    path: "/comments",
    doc: "Replies to a tweet.",
    input: z.strictObject({ tweet_link: linkOrId, order_by: z.enum(["Relevance", "Recency", "Likes"]).optional() }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    billed: true,
  },
  quotes: {
    method: "POST",
    path: "/quotes",
    doc: "Tweets that quote a tweet.",
    input: tweet,
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  retweeters: {
    method: "POST",
    path: "/retweeters",
    doc: "Who retweeted a tweet, newest retweet first.",
    input: tweet,
    output: userPage,
    answer: users,
    cursor: textCursor,
    billed: true,
  },
  article: {
    method: "POST",
    path: "/article",
    doc: "The long-form article of a tweet.",
    input: tweet,
    output: articleOutput,
    answer: {
      kind: "record",
      read: readArticle,
    },
    billed: true,
  },
  "check-comment": {
    method: "GET",
    path: "/check-comment",
    doc: "Whether a user replied to a tweet; the reply when there is one.",
    input: tweetAndUser,
    exactlyOne: [USER3],
    output: commentCheckOutput,
    answer: { kind: "record", read: readCommentCheck },
    billed: true,
  },
  "check-quoted": {
    method: "POST",
    path: "/check-quoted",
    doc: "Whether a user quoted or retweeted a tweet: quoted, retweet or not_found.",
    input: tweetAndUser,
    exactlyOne: [USER3],
    output: quoteCheckOutput,
    answer: { kind: "record", read: readQuoteCheck },
    billed: true,
  },
  "check-retweet": {
    method: "POST",
    path: "/check-retweet",
    doc: "Whether a user retweeted a tweet; each page scans up to 100 retweets.",
    input: tweetAndUser,
    exactlyOne: [USER3],
    output: retweetCheckOutput,
    answer: { kind: "record", read: readRetweetCheck },
    cursor: textCursor,
    pageSize: 100,
    billed: true,
  },
  "v2-user-tweets": {
    method: "POST",
    path: "/user-tweets",
    version: "v2",
    doc: "Timeline of an account through the older version; the older field names are translated.",
    input: z.strictObject({ link: user3.user_link, user_id: user3.user_id }),
    exactlyOne: [["link", "user_id"]],
    output: legacyPage,
    answer: { kind: "tweets", read: normaliseLegacyTweet },
    cursor: { param: "cursor", isNumber: false },
    billed: true,
  },
} as const satisfies Record<string, Endpoint>;
