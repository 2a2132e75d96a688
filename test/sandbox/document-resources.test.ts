/**
 * Tests the fields of api-v3.md, "Resources and their fields" and "Versioning": every resource has
 * these, and no other.
 */
import { expect, test } from "vitest";
import { openService } from "./inputs-of.ts";

const USER = {
  id: "string",
  username: "string",
  display_name: "string",
  description: "string",
  location: "string",
  bio_urls: "texts",
  can_dm: "boolean",
  created_at: "date",
  favourites_count: "integer",
  followers_count: "integer",
  followings_count: "integer",
  media_count: "integer",
  tweets_count: "integer",
  pinned_tweet_ids: "texts",
  possibly_sensitive: "boolean",
  profile_image_url: "string",
  profile_background_image_url: "string",
  protected: "boolean",
  verified: "boolean",
} as const;

const TWEET = {
  id: "string",
  full_text: "string",
  created_at: "date",
  lang: "string",
  conversation_id_str: "string",
  entities: "objects",
  is_reply: "boolean",
  in_reply_to_tweet_id: "string",
  in_reply_to_username: "string",
  is_quote_status: "boolean",
  is_replies_limited: "boolean",
  made_with_ai: "boolean",
  paid_partnership: "boolean",
  likes_count: "integer",
  retweet_count: "integer",
  reply_count: "integer",
  quote_count: "integer",
  bookmark_count: "integer",
  view_count: "integer",
  user: "object",
} as const;

const SPACE_SETTINGS = {
  conversation_controls: "integer",
  disallow_join: "boolean",
  is_employee_only: "boolean",
  is_locked: "boolean",
  is_muted: "boolean",
  is_space_available_for_clipping: "boolean",
  is_space_available_for_replay: "boolean",
  max_admin_capacity: "integer",
  max_guest_sessions: "integer",
  narrow_cast_space_type: "integer",
  no_incognito: "boolean",
} as const;

/**
 * Names the kind of a value in the document's words. An empty array may be null (docs/service.md
 * section 2).
 */
function kindOf(name: string, value: unknown, wanted: string | undefined): string {
  if (
    value === null &&
    (wanted === "texts" || wanted === "objects" || name === "last_username_change_at")
  )
    return wanted ?? "";
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string") && wanted === "texts"
      ? "texts"
      : "objects";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string" && wanted === "date" && !Number.isNaN(Date.parse(value)))
    return "date";
  return typeof value;
}

function expectFields(
  resource: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
): void {
  expect(
    Object.fromEntries(
      Object.entries(resource).map(([name, value]) => [name, kindOf(name, value, fields[name])]),
    ),
  ).toEqual(fields);
}

const without = (fields: Readonly<Record<string, string>>, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

test("User (common profile object)", async () => {
  const { ask } = await openService();
  expectFields((await ask("info", { username: "acme" })).body, USER);
  for (const user of (await ask("followers", { username: "acme" })).body.users)
    expectFields(user, USER);
});

test("Reduced user (community member entry)", async () => {
  const { ask, control } = await openService();
  const [community_link] = (await control("GET", "sample")).body.community_ids;
  const { users } = (await ask("community-members", { community_link })).body;
  for (const user of users) {
    expectFields(user, {
      display_name: "string",
      id: "string",
      profile_image_url: "string",
      protected: "boolean",
      username: "string",
      verified: "boolean",
    });
  }
});

test("Followed-user entry: the User fields, except that `location` is absent, and `followerDate`", async () => {
  const { ask } = await openService();
  const entries = [
    ...(await ask("new-followers-7d", { username: "acme" })).body.users,
    ...(await ask("new-following-7d", { username: "acme" })).body.users,
  ];
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries)
    expectFields(entry, { ...without(USER, "location"), followerDate: "date" });
});

test("Tweet, with its author in full", async () => {
  const { ask } = await openService();
  const { tweets } = (await ask("search-tweets", { query: "filter:media", order: "latest" })).body;
  expect(tweets.length).toBeGreaterThan(0);
  for (const tweet of tweets) {
    expectFields(without(tweet, "quoted_status"), TWEET);
    expectFields(tweet.user, USER);
    for (const entity of tweet.entities)
      expectFields(entity, { link: "string", preview: "string", type: "string" });
  }
});

test("quoted_status is the quoted tweet, when quoting; retweeted_status the original post, when the tweet is a retweet", async () => {
  const { ask, put } = await openService();
  const [root] = await put({ text: "root" });
  const [quote] = await put({ text: "see", quote_of: root });
  const [retweet] = await put({ retweet_of: root });
  const [reply] = await put({ text: "yes", reply_to: root });
  const shown = async (tweet_link: string | undefined) =>
    (await ask("tweet-info", { tweet_link })).body;
  expect(await shown(quote)).toMatchObject({
    is_quote_status: true,
    quoted_status: { id: root, full_text: "root" },
  });
  expect(await shown(retweet)).toMatchObject({ retweeted_status: { id: root, full_text: "root" } });
  expect(await shown(reply)).toMatchObject({
    is_reply: true,
    in_reply_to_tweet_id: root,
    in_reply_to_username: "alice",
    conversation_id_str: root,
  });
  expect(await shown(root)).toMatchObject({
    is_reply: false,
    is_quote_status: false,
    retweet_count: 1,
    reply_count: 1,
    quote_count: 1,
  });
});

test("made_with_ai and paid_partnership are present in list responses; /tweet-info has neither", async () => {
  const { ask, put } = await openService();
  const [id] = await put({ text: "one" });
  expectFields(
    (await ask("tweet-info", { tweet_link: id })).body,
    without(TWEET, "made_with_ai", "paid_partnership"),
  );
  expectFields((await ask("tweet-info-bulk", { tweet_links: [id] })).body.tweets[0], TWEET);
});

test("Community info: created_at is in Unix milliseconds", async () => {
  const { ask, control } = await openService();
  const [community_id] = (await control("GET", "sample")).body.community_ids;
  const { body } = await ask("community-info", { community_id });
  expectFields(body, {
    name: "string",
    description: "string",
    member_count: "integer",
    created_at: "integer",
    banner_url: "string",
    creator: "object",
  });
  expectFields(body.creator, USER);
  expect(new Date(body.created_at).getUTCFullYear()).toBeGreaterThan(2020);
});

test("Space, its participants, settings and stats", async () => {
  const { ask, control } = await openService();
  for (const id of (await control("GET", "sample")).body.space_ids) {
    const { body } = await ask("spaces", { id });
    expectFields(body, {
      ...{
        id: "string",
        title: "string",
        state: "string",
        media_key: "string",
        is_subscribed: "boolean",
      },
      ...{ created_at: "integer", updated_at: "integer", scheduled_start: "integer" },
      ...{ creator: "object", participants: "object", settings: "object", stats: "object" },
    });
    expectFields(body.creator, USER);
    expectFields(body.settings, SPACE_SETTINGS);
    expectFields(body.stats, {
      total_live_listeners: "integer",
      total_participants: "integer",
      total_replay_watched: "integer",
    });
    expectFields(body.participants, {
      admins: "objects",
      speakers: expect.any(String),
      listeners: expect.any(String),
      total: "integer",
    });
    for (const participant of [
      ...body.participants.admins,
      ...body.participants.speakers,
      ...body.participants.listeners,
    ]) {
      expectFields(participant, {
        ...{
          avatar: "string",
          id: "string",
          is_muted_by_admin: "boolean",
          is_muted_by_guest: "boolean",
          is_verified: "boolean",
        },
        ...{ name: "string", broadcast_user_id: "string", start: "integer", username: "string" },
      });
    }
  }
});

test("Article", async () => {
  const { ask, control } = await openService({ accounts: 200 });
  const [tweet_link] = (await control("GET", "sample")).body.article_ids;
  const { body } = await ask("article", { tweet_link });
  expectFields(body, {
    ...{
      author: "object",
      bookmark_count: "integer",
      cover_image_url: "string",
      favorite_count: "integer",
      full_text: "string",
    },
    ...{
      preview_text: "string",
      published_at: "date",
      quote_count: "integer",
      reply_count: "integer",
      retweet_count: "integer",
      views: "integer",
    },
  });
  expectFields(body.author, USER);
});

test("Trend, score changes, account about, handle, error", async () => {
  const { ask, get } = await openService();
  const { trends } = (await ask("trends", { woeid: 1 })).body;
  for (const trend of trends)
    expectFields(trend, { name: "string", query: "string", url: "string" });
  expectFields((await ask("score-changes", { username: "acme" })).body, {
    week_delta: "integer",
    month_delta: "integer",
  });
  const about = (await ask("about", { username: "acme" })).body;
  expectFields(about, {
    country: "string",
    last_username_change_at: expect.any(String),
    username_change_count: "integer",
  });
  const { id } = (await ask("username-to-id", { handle: "acme" })).body;
  expect((await ask("id-to-username", { user_id: id })).body).toEqual({ handle: "acme" });
  expectFields((await get("nothing")).body, { message: "string" });
});

const LEGACY_USER = {
  ...without(
    USER,
    "id",
    "username",
    "display_name",
    "profile_image_url",
    "followings_count",
    "tweets_count",
  ),
  ...{
    id_str: "string",
    screen_name: "string",
    name: "string",
    avatar: "string",
    friends_count: "integer",
    statuses_count: "integer",
  },
};

test("v2 names tweet fields id_str, favorite_count, in_reply_to_status_id_str, and user fields avatar, name, screen_name, friends_count, statuses_count, id_str", async () => {
  const { ask, put } = await openService({ traps: false });
  const [root] = await put({ username: "fresh_one", text: "root" });
  for (const kind of ["quote_of", "retweet_of", "reply_to"])
    await put({ username: "fresh_one", text: "so", [kind]: root });
  const { tweets } = (await ask("v2-user-tweets", { link: "https://social.example/fresh_one" }))
    .body;
  expect(tweets).toHaveLength(4);
  const inner = {
    created_at: "date",
    favorite_count: "integer",
    full_text: "string",
    id_str: "string",
    quote_count: "integer",
    retweet_count: "integer",
    user: "object",
  };
  for (const tweet of tweets) {
    expectFields(without(tweet, "quoted_status", "retweeted_status"), {
      ...without(TWEET, "id", "likes_count", "in_reply_to_tweet_id"),
      ...{ id_str: "string", favorite_count: "integer", in_reply_to_status_id_str: "string" },
    });
    expectFields(tweet.user, LEGACY_USER);
  }
  const related = tweets
    .map((tweet: any) => tweet.quoted_status ?? tweet.retweeted_status)
    .filter((tweet: unknown) => tweet !== undefined);
  expect(related).toHaveLength(2);
  for (const tweet of related) {
    expectFields(tweet, inner);
    expectFields(tweet.user, LEGACY_USER);
  }
});
