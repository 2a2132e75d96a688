import { describe, expect, it } from "vitest";
import { normaliseTweet } from "../../../src/api/normalise/tweet.ts";
import { normaliseProfile, normaliseUser } from "../../../src/api/normalise/user.ts";
import { normaliseLegacyTweet } from "../../../src/api/normalise/legacy.ts";
import { kindOfTweet } from "../../../src/model/tweet.ts";

describe("a tweet", () => {
  it("with nothing but an id gets neutral values and the time of its id", () => {
    expect(normaliseTweet({ id: "1867041249938530657" })).toEqual({
      id: "1867041249938530657",
      full_text: "",
      created_at: "2024-12-12T02:58:16.591Z",
      lang: "",
      conversation_id_str: "1867041249938530657",
      entities: [],
      is_reply: false,
      in_reply_to_tweet_id: "",
      in_reply_to_username: "",
      is_quote_status: false,
      likes_count: 0,
      retweet_count: 0,
      reply_count: 0,
      quote_count: 0,
      bookmark_count: 0,
      view_count: 0,
      user: normaliseUser({}),
    });
  });

  it("reads nulls as neutral values and keeps unknown fields", () => {
    const tweet = normaliseTweet({
      id: "5",
      created_at: null,
      entities: null,
      in_reply_to_tweet_id: null,
      quoted_status: null,
      retweeted_status: null,
      user: null,
      view_count: null,
      made_with_ai: true,
      brand_new: { a: [1] },
    });
    expect(tweet).toMatchObject({
      entities: [],
      in_reply_to_tweet_id: "",
      view_count: 0,
      made_with_ai: true,
      brand_new: { a: [1] },
    });
    expect("quoted_status" in tweet).toBe(false);
    expect("retweeted_status" in tweet).toBe(false);
  });

  it("has the flags of lists only where they are flags", () => {
    expect(normaliseTweet({ id: "5", made_with_ai: "true", paid_partnership: null })).toMatchObject(
      { made_with_ai: true },
    );
    expect("paid_partnership" in normaliseTweet({ id: "5", paid_partnership: null })).toBe(false);
  });

  it("takes an unreadable created_at from its id, and a readable one as it is, in the future, too", () => {
    expect(normaliseTweet({ id: "1867041249938530657", created_at: "soon" }).created_at).toBe(
      "2024-12-12T02:58:16.591Z",
    );
    expect(
      normaliseTweet({ id: "1867041249938530657", created_at: "Fri Mar 06 13:38:49 +0000 2099" })
        .created_at,
    ).toBe("2099-03-06T13:38:49.000Z");
  });

  it("normalises the tweets in it, and stays a retweet when the original has no id", () => {
    const tweet = normaliseTweet({
      id: "9",
      retweeted_status: { full_text: "original", user: { id: 7 } },
      quoted_status: { id: 8, entities: null },
    });
    expect(tweet.retweeted_status).toMatchObject({
      id: "",
      full_text: "original",
      created_at: "",
      user: { id: "7" },
    });
    expect(tweet.quoted_status).toMatchObject({ id: "8", entities: [] });
    expect(kindOfTweet(tweet)).toBe("retweet");
  });

  it("is a reply when it names what it replies to, and its thread is unknown without a conversation", () => {
    const tweet = normaliseTweet({ id: "9", in_reply_to_tweet_id: 8, in_reply_to_username: "bob" });
    expect(tweet).toMatchObject({
      is_reply: true,
      in_reply_to_tweet_id: "8",
      conversation_id_str: "",
    });
  });

  it("keeps entities of any type and drops what is none", () => {
    const entities = normaliseTweet({
      id: "9",
      entities: [{ link: "https://l", preview: "https://p", type: "hologram", w: 1 }, null, "x"],
    }).entities;
    expect(entities).toEqual([{ link: "https://l", preview: "https://p", type: "hologram", w: 1 }]);
  });
});

describe("a user", () => {
  it("in the reduced form gets neutral values", () => {
    const user = normaliseUser({
      id: "1",
      username: "a",
      display_name: "A",
      profile_image_url: "https://i",
      protected: true,
      verified: true,
    });
    expect(user).toMatchObject({
      followers_count: 0,
      bio_urls: [],
      pinned_tweet_ids: [],
      description: "",
      created_at: "",
      protected: true,
      verified: true,
    });
  });

  it("that was asked for has no bio where the answer leaves it out, and an empty one where it says so", () => {
    expect(normaliseProfile({ id: "1", username: "a" })).not.toHaveProperty("description");
    expect(normaliseProfile({ id: "1", username: "a", description: "" })).toMatchObject({
      description: "",
    });
    expect(normaliseProfile({ id: "1", username: "a", description: null })).toMatchObject({
      description: "",
    });
  });

  it("takes an unreadable created_at from its id, unless the id is too old to carry a time", () => {
    expect(normaliseUser({ id: "1501234567890123456", created_at: null }).created_at).toBe(
      "2022-03-08T16:33:07.231Z",
    );
    expect(normaliseUser({ id: "44196397", created_at: "soon" }).created_at).toBe("");
  });

  it("has optional fields only where the service sent them", () => {
    const optional = [
      "location",
      "can_dm",
      "followerDate",
      "possibly_sensitive",
      "profile_background_image_url",
    ];
    const bare = normaliseUser({
      id: "1",
      ...Object.fromEntries(optional.map((name) => [name, null])),
    });
    expect(optional.filter((name) => name in bare)).toEqual([]);
    const full = normaliseUser({
      id: "1",
      location: "",
      can_dm: false,
      followerDate: "2026-03-01 10:00:00",
    });
    expect(full).toMatchObject({
      location: "",
      can_dm: false,
      followerDate: "2026-03-01T10:00:00.000Z",
    });
  });

  it("has its id, handle and arrays cleaned, and keeps unknown fields", () => {
    const user = normaliseUser({
      id: 44196397,
      username: "@alice",
      bio_urls: null,
      pinned_tweet_ids: [12, "13"],
      score: 4183.88,
    });
    expect(user).toMatchObject({
      id: "44196397",
      username: "alice",
      bio_urls: [],
      pinned_tweet_ids: ["12", "13"],
      score: 4183.88,
    });
  });
});

it("reads a tweet of v2 with its own field names, embedded ones included", () => {
  const author = {
    id_str: "7",
    screen_name: "bob",
    name: "Bob",
    avatar: "https://i",
    friends_count: 3,
    statuses_count: 4,
    followers_count: 5,
  };
  const tweet = normaliseLegacyTweet({
    id: 1867041249938530600,
    id_str: "1867041249938530657",
    favorite_count: 2,
    in_reply_to_status_id_str: "11",
    in_reply_to_screen_name: "carol",
    full_text: "hi",
    user: author,
    quoted_status: { id_str: "12", favorite_count: 9, user: author },
  });
  const user = {
    id: "7",
    username: "bob",
    display_name: "Bob",
    profile_image_url: "https://i",
    followings_count: 3,
    tweets_count: 4,
    followers_count: 5,
  };
  expect(tweet).toMatchObject({
    id: "1867041249938530657",
    likes_count: 2,
    in_reply_to_tweet_id: "11",
    in_reply_to_username: "carol",
    is_reply: true,
    user,
  });
  expect(tweet.quoted_status).toMatchObject({ id: "12", likes_count: 9, user });
});
