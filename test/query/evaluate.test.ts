import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tweet } from "../../src/model/tweet.ts";
import { evaluateQuery } from "../../src/query/evaluate.ts";
import { parseQuery } from "../../src/query/parse.ts";
import type { Query } from "../../src/query/query.ts";
import { anyQuery, anyTweet, makeTweet } from "./arbitrary-query.ts";

const NOW_MS = 1_700_002_000_000;
const matches = (text: string, tweet: Tweet) =>
  evaluateQuery(parseQuery(text), tweet, { nowMs: NOW_MS });

/** Evaluates a query in another way, with padded texts and plain comparisons. */
function naive(query: Query, tweet: Tweet): boolean {
  const padded = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, " ")
      .trim()} `;
  const texts = [tweet.full_text, tweet.user.display_name, tweet.user.username].map(padded);
  const raw = ` ${tweet.full_text.toLowerCase()} `;
  const second = Date.parse(tweet.created_at) / 1_000;
  switch (query.kind) {
    case "and":
      return !query.of.some((part) => !naive(part, tweet));
    case "or":
      return query.of.filter((part) => naive(part, tweet)).length > 0;
    case "not":
      return !naive(query.of, tweet);
    case "word":
    case "phrase":
      return texts.some((text) => text.includes(` ${query.text} `));
    case "mention":
      return raw.includes(` @${query.text} `);
    case "hashtag":
      return raw.includes(` #${query.text} `);
    case "cashtag":
      return raw.includes(` $${query.text} `);
    case "from":
      return tweet.user.username === query.handle;
    case "to":
      return tweet.in_reply_to_username === query.handle;
    case "lang":
      return tweet.lang === query.lang;
    case "min_faves":
      return !(tweet.likes_count < query.count);
    case "since_time":
      return second >= query.count;
    case "until_time":
      return second < query.count;
    case "max_id":
      return BigInt(tweet.id) <= BigInt(query.id);
    case "since_id":
      return BigInt(tweet.id) > BigInt(query.id);
    case "filter":
      return query.filter === "replies"
        ? tweet.is_reply
        : query.filter === "links"
          ? raw.includes("https://")
          : tweet.entities.length > 0;
    case "since":
      return second >= 1_700_000_400;
    case "within_time":
      return second >= NOW_MS / 1_000 - 900;
    case "url":
      return raw.includes("https://example.com");
    default:
      throw new Error(`not generated: ${query.kind}`);
  }
}

test("evaluation agrees with a naive matcher", () => {
  fc.assert(
    fc.property(anyQuery, anyTweet, (query, tweet) => {
      expect(evaluateQuery(query, tweet, { nowMs: NOW_MS })).toBe(naive(query, tweet));
    }),
    { numRuns: 1_000 },
  );
});

describe("operators of docs/service.md", () => {
  test("keywords match the author's name and handle, and links", () => {
    expect(matches("acme", makeTweet({ full_text: "hi", username: "acme" }))).toBe(true);
    expect(matches("docs", makeTweet({ full_text: "see https://example.com/docs" }))).toBe(true);
    expect(matches("acm", makeTweet({ full_text: "acme" }))).toBe(false);
    // An emoji contains no word that could be found.
    expect(matches("👍", makeTweet({ full_text: "undefined" }))).toBe(false);
  });

  test("a phrase needs its words side by side", () => {
    expect(matches('"acme corp"', makeTweet({ full_text: "ACME-corp!" }))).toBe(true);
    expect(matches('"acme corp"', makeTweet({ full_text: "acme is a corp" }))).toBe(false);
  });

  test("an author is named with or without @, in capitals or not", () => {
    for (const query of ["from:alice", "from:@ALICE"])
      expect(matches(query, makeTweet({ username: "Alice" }))).toBe(true);
    expect(matches("from:alice", makeTweet({ username: "alice2" }))).toBe(false);
  });

  test("native retweets are excluded unless included", () => {
    const retweet = makeTweet({ full_text: "acme", retweeted_status: makeTweet({}) });
    expect(matches("acme", retweet)).toBe(false);
    expect(matches("acme include:nativeretweets", retweet)).toBe(true);
    expect(matches("acme filter:nativeretweets", retweet)).toBe(true);
    expect(matches("acme filter:nativeretweets", makeTweet({ full_text: "acme" }))).toBe(false);
  });

  test("engagement operators take a maximum with a minus", () => {
    const tweet = makeTweet({ likes_count: 10, retweet_count: 2, reply_count: 1 });
    expect(matches("min_faves:10 min_retweets:2 min_replies:1", tweet)).toBe(true);
    expect(matches("-min_faves:10", tweet)).toBe(false);
    expect(matches("-min_faves:11", tweet)).toBe(true);
  });

  test("list: asks the context for members", () => {
    const tweet = makeTweet({ username: "bob" });
    const context = {
      nowMs: NOW_MS,
      listMembers: (id: string) => (id === "7" ? new Set([tweet.user.id]) : undefined),
    };
    expect(evaluateQuery(parseQuery("list:7"), tweet, context)).toBe(true);
    expect(evaluateQuery(parseQuery("list:8"), tweet, context)).toBe(false);
  });

  test("since_time is inclusive, until_time exclusive, since_id exclusive, max_id inclusive", () => {
    const tweet = makeTweet({ id: "9007199254740993001" });
    expect(matches("since_time:1700000000", tweet)).toBe(true);
    expect(matches("until_time:1700000000", tweet)).toBe(false);
    expect(matches("since_id:9007199254740993001", tweet)).toBe(false);
    expect(matches("max_id:9007199254740993001", tweet)).toBe(true);
    expect(matches("max_id:9007199254740993000", tweet)).toBe(false);
    // The date is 1700000000 in epoch seconds.
    expect(matches("since:2023-11-14_22:13:20_UTC", tweet)).toBe(true);
    expect(matches("until:2023-11-14_22:13:20_UTC", tweet)).toBe(false);
  });

  test.each([
    ["1d", 86_400_000],
    ["2h", 7_200_000],
    ["3m", 180_000],
    ["4s", 4_000],
  ])("within_time:%s goes back %i ms", (window, ms) => {
    const tweet = makeTweet({});
    const atMs = Date.parse(tweet.created_at);
    const query = parseQuery(`within_time:${window}`);
    expect(
      [ms, ms + 1].map((passedMs) => evaluateQuery(query, tweet, { nowMs: atMs + passedMs })),
    ).toEqual([true, false]);
  });

  test("threads and quotes are found by id", () => {
    const quoted = makeTweet({ id: "5" });
    const tweet = makeTweet({
      conversation_id_str: "4",
      quoted_status: quoted,
      is_quote_status: true,
    });
    expect(
      matches(
        `conversation_id:4 quoted_tweet_id:5 quoted_user_id:${quoted.user.id} filter:quote`,
        tweet,
      ),
    ).toBe(true);
    expect(matches("conversation_id:5", tweet)).toBe(false);
  });

  test("content filters check media, links, tags and the author", () => {
    const video = makeTweet({
      full_text: "#a @b",
      entities: [{ link: "l", preview: "", type: "video" }],
    });
    expect(
      matches(
        "filter:media filter:videos -filter:images filter:mentions filter:hashtags -filter:links -filter:verified filter:safe",
        video,
      ),
    ).toBe(true);
    expect(matches("filter:has_engagement", video)).toBe(false);
    expect(matches("filter:has_engagement", makeTweet({ quote_count: 1 }))).toBe(true);
    const animation = makeTweet({ entities: [{ link: "l", preview: "", type: "animated_gif" }] });
    expect(matches("filter:videos -filter:images", animation)).toBe(true);
  });
});
