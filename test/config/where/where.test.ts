import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../src/model/event.ts";
import { createWhereCompiler } from "../../../src/config/where/where.ts";
import { newFollowers } from "../../../src/watches/new-followers.ts";
import { scoreDelta } from "../../../src/watches/score-delta.ts";
import { search } from "../../../src/watches/search.ts";

const compiler = createWhereCompiler();
const TWEET = search.body;
const FOLLOWER = newFollowers.body;
const SCORE = scoreDelta.body;

function matches(text: string, body: unknown, labels: Record<string, string> = {}): boolean {
  const where = compiler.compile(text, TWEET);
  if (!("matches" in where)) throw new Error(where.message);
  return where.matches(body as EventBody, labels);
}

const tweet = {
  lang: "en",
  full_text: "Acme is great",
  likes_count: 7,
  entities: [{ type: "photo", link: "l", preview: "p" }],
  user: { followers_count: 100, verified: true },
};

describe("where", () => {
  it("computes with whole numbers as integers", () => {
    expect(matches("tweet.likes_count + 1 == 8 && tweet.likes_count % 2 == 1", { tweet })).toBe(
      true,
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 0, max: 1e12 }),
        (count, line) => {
          expect(
            matches(`tweet.likes_count >= ${line}`, { tweet: { ...tweet, likes_count: count } }),
          ).toBe(count >= line);
        },
      ),
    );
  });

  it("sees lists, nested users, labels, and tweets inside tweets", () => {
    expect(
      matches('tweet.entities.exists(e, e.type == "photo") && tweet.user.verified', { tweet }),
    ).toBe(true);
    expect(matches('labels.team == "comms"', { tweet }, { team: "comms" })).toBe(true);
    expect(
      matches('has(tweet.quoted_status) && tweet.quoted_status.lang == "de"', {
        tweet: { ...tweet, quoted_status: { lang: "de" } },
      }),
    ).toBe(true);
  });

  it.each([
    "tweet.user.verified && [tweet.user].exists(u, u.followers_count == 100)",
    "[tweet.user].exists(u, u.followers_count == 100) && tweet.user.verified",
    'tweet.entities.exists(tweet, tweet.type == "photo")',
    'tweet.entities[tweet.entities.size() - 1]["link"] == "l"',
    '{"a": tweet.likes_count}["a"] == 7 && (false ? tweet.lang : tweet.full_text) != ""',
  ])("sees each value that an expression reads, alone or as part of another: %s", (text) => {
    expect(matches(text, { tweet })).toBe(true);
  });

  it("does not match where a field is absent or null", () => {
    expect(matches('tweet.quoted_status.lang == "de"', { tweet })).toBe(false);
    expect(matches('tweet.lang != "de"', { tweet: { ...tweet, lang: null } })).toBe(false);
    expect(matches('tweet.lang == "en"', {})).toBe(false);
  });

  it("finds regular expressions anywhere in the text, in linear time", () => {
    expect(matches('tweet.full_text.re("(?i)acme")', { tweet })).toBe(true);
    expect(
      matches('tweet.full_text.re("^(a+)+$")', {
        tweet: { ...tweet, full_text: `${"a".repeat(5_000)}!` },
      }),
    ).toBe(false);
  });

  it("knows the names of each kind of event", () => {
    expect(compiler.compile("user.username == target.username", FOLLOWER)).toHaveProperty(
      "matches",
    );
    expect(
      compiler.compile(
        '"week_delta" in crossed && score.week_delta > previous.week_delta + 5',
        SCORE,
      ),
    ).toHaveProperty("matches");
    expect(compiler.compile("score.week_delta > 5", TWEET)).toMatchObject({
      rule: "where-unknown",
    });
  });

  it("compiles equal expressions once", () => {
    expect(compiler.compile("tweet.likes_count > 3", TWEET)).toBe(
      compiler.compile("tweet.likes_count > 3", TWEET),
    );
  });
});

describe("why a where is false", () => {
  const describeFalse = (
    text: string,
    body: unknown,
    labels: Record<string, string> = {},
  ): string => {
    const where = compiler.compile(text, TWEET);
    if (!("describeFalse" in where)) throw new Error(where.message);
    return where.describeFalse(body as EventBody, labels);
  };

  it("names the values that a condition saw", () => {
    expect(describeFalse("tweet.user.followers_count >= 5000", { tweet })).toBe(
      "tweet.user.followers_count >= 5000 (tweet.user.followers_count is 100)",
    );
    expect(describeFalse('labels["team"] == "ops"', { tweet }, { team: "comms" })).toBe(
      'labels["team"] == "ops" (labels["team"] is "comms")',
    );
    expect(describeFalse("tweet.view_count > 10", { tweet })).toBe(
      "tweet.view_count > 10 (tweet.view_count is absent)",
    );
  });

  it("names of several conditions those that are false", () => {
    expect(describeFalse('tweet.lang == "en" && tweet.likes_count > 10', { tweet })).toBe(
      'tweet.lang == "en" && tweet.likes_count > 10; false: tweet.likes_count > 10 (tweet.likes_count is 7)',
    );
    expect(
      describeFalse('tweet.lang == "de" || (tweet.user.verified && tweet.likes_count > 10)', {
        tweet,
      }),
    ).toBe(
      'tweet.lang == "de" || (tweet.user.verified && tweet.likes_count > 10); false: tweet.lang == "de" (tweet.lang is "en"), tweet.likes_count > 10 (tweet.likes_count is 7)',
    );
  });

  it("describes a condition whose parts exceed the parser's depth once they are in parentheses", () => {
    const choices = `${"true ? ".repeat(50)}tweet.likes_count > 10${" : false".repeat(50)}`;
    expect(describeFalse(choices, { tweet })).toContain("tweet.likes_count is 7");
  });

  it("leaves out names that the expression binds itself, and cuts long values", () => {
    const long = { ...tweet, full_text: "y".repeat(300) };
    expect(describeFalse('tweet.entities.exists(e, e.type == "video")', { tweet })).toContain(
      "(tweet.entities is [{",
    );
    expect(describeFalse('tweet.full_text.contains("z")', { tweet: long })).toMatch(
      /^.{20,40} \(tweet\.full_text is "y{59}…\)$/,
    );
  });
});
