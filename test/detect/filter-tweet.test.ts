import { expect, it } from "vitest";
import { containsWord, reasonAgainstTweet } from "../../src/detect/filter-tweet.ts";
import { makeTweet } from "../support/make-event.ts";

const ALL = { reply: true, quote: true, retweet: true };
const NONE = { reply: false, quote: false, retweet: false };
const nobody = { authors: [], words: [] };
const post = makeTweet("1", "A Giveaway for you");

it("lets posts pass always and other kinds when they are included", () => {
  const kinds = [
    post,
    { ...post, is_reply: true },
    { ...post, is_quote_status: true },
    { ...post, retweeted_status: makeTweet("2") },
  ];
  expect(kinds.map((tweet) => reasonAgainstTweet(tweet, ALL, nobody))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(kinds.map((tweet) => reasonAgainstTweet(tweet, NONE, nobody) ?? "")).toEqual([
    "",
    "a reply, and include.replies is false",
    "a quote, and include.quotes is false",
    "a retweet, and include.retweets is false",
  ]);
});

it("ignores authors by handle in any case or by id, and words in any case", () => {
  expect(
    reasonAgainstTweet({ ...post, user: { ...post.user, username: "ALICE" } }, ALL, {
      authors: ["alice"],
      words: [],
    }),
  ).toMatch(/author/);
  expect(reasonAgainstTweet(post, ALL, { authors: ["id:7"], words: [] })).toMatch(/author/);
  expect(reasonAgainstTweet(post, ALL, { authors: [], words: ["giveaway"] })).toBe(
    'the word "giveaway" is ignored',
  );
});

it.each([
  ["win a giveaway!", "giveaway", true],
  ["giveaways", "giveaway", false],
  ["#giveaway", "giveaway", true],
  ["#giveaway", "#giveaway", true],
  ["über-größe", "größe", true],
  ["xgröße", "größe", false],
  ["buy $BTC now", "$btc", true],
  ["two words here", "words here", true],
  ["party🎉time", "party", true],
  ["anything", "", false],
])("finds in %j the word %j: %s", (text, word, isFound) => {
  expect(containsWord(text, word)).toBe(isFound);
});
