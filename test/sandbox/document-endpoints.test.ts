/**
 * Tests the sentences of api-v3.md, Endpoints: what each operation takes and returns.
 * document-shared-rules has the rules that all share.
 */
import { expect, test } from "vitest";
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import { START_MS } from "./ask.ts";
import { openPlain, ROWS } from "./inputs-of.ts";

type Item = { readonly id: string };
const idsOf = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id);
const DAY_MS = 86_400_000;

test("every operation of the document is in the table, with its method", () => {
  const posts = `community-info community-members user-retweets quotes retweeters tweet-info article tweet-info-bulk user-tweets comments
    search-tweets mentions search-users community-tweets community-search-tweets check-follow check-quoted check-retweet check-community-member v2-user-tweets`;
  const gets = `info info-batch list-tweets list-followers spaces trends new-following-7d new-followers-7d score-changes about id-to-username
    followers follows verified-followers list-members check-comment score followers-stats top-followers top-following username-to-id link-to-id key-usage-info`;
  const named = (method: string) =>
    ROWS.filter((row) => row.method === method)
      .map(({ name }) => name)
      .toSorted();
  expect(named("POST")).toEqual(posts.split(/\s+/).toSorted());
  expect(named("GET")).toEqual(gets.split(/\s+/).toSorted());
  expect(ROWS).toHaveLength(43);
});

test("/community-info: when both community_id and community_link are given, community_id is used", async () => {
  const { body, ask, communities } = await openPlain();
  const [first, second] = communities;
  const wanted = await body("community-info", { community_id: first });
  for (const [id, other] of [
    [first, second],
    [`https://social.example/i/communities/${first}`, second],
    [first, "no link at all"],
  ]) {
    expect(await body("community-info", { community_id: id, community_link: other })).toEqual(
      wanted,
    );
  }
  expect((await ask("community-info", { community_id: "1", community_link: first })).status).toBe(
    404,
  );
});

test("/community-info: community_link (URL or ID) is required when community_id is absent", async () => {
  const { body, ask, communities } = await openPlain();
  const wanted = await body("community-info", { community_id: communities[0] });
  expect(await body("community-info", { community_link: communities[0] })).toEqual(wanted);
  expect(
    await body("community-info", {
      community_link: `https://social.example/i/communities/${communities[0]}`,
    }),
  ).toEqual(wanted);
  expect((await ask("community-info", {})).status).toBe(400);
});

test("/community-members: every member once, and as many as the community says", async () => {
  const { body, walk, control, communities } = await openPlain({ accounts: 200 });
  const pages = await walk("community-members", { community_link: communities[0] });
  const ids = pages.flatMap((page) => idsOf(page.body.users));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(
    (await body("community-info", { community_id: communities[0] })).member_count,
  );
  const is = async (user_id: string) =>
    (await body("check-community-member", { user_id, community_id: communities[0] })).is_member;
  expect(await is(ids[0] ?? "")).toBe(true);
  const { id } = (await control("POST", "accounts", { username: "outsider" })).body;
  expect(await is(id)).toBe(false);
});

test("/user-retweets: the original post is in retweeted_status", async () => {
  const { body, put } = await openPlain();
  const ids = [];
  for (let i = 0; i < 3; i += 1) {
    const [original] = await put({ text: `original ${i}` });
    ids.push(original);
    await put({ username: "fresh_one", retweet_of: original });
    await put({ username: "fresh_one", text: "my own" });
  }
  const { tweets } = await body("user-retweets", { username: "fresh_one" });
  expect(tweets.map((tweet: { retweeted_status: Item }) => tweet.retweeted_status.id)).toEqual(
    ids.toReversed(),
  );
});

test("/quotes: tweets that quote the given tweet; /comments: replies to a tweet", async () => {
  const { body, put } = await openPlain();
  const [root] = await put({ text: "root" });
  const [quote] = await put({ username: "bob", text: "see", quote_of: root });
  const [reply] = await put({ username: "bob", text: "yes", reply_to: root });
  expect(idsOf((await body("quotes", { tweet_link: root })).tweets)).toEqual([quote]);
  expect(idsOf((await body("comments", { tweet_link: root })).tweets)).toEqual([reply]);
  expect((await body("quotes", { tweet_link: quote })).tweets).toEqual([]);
});

test("/retweeters: newest retweet first", async () => {
  const { body, put, clock } = await openPlain();
  const [root] = await put({ text: "root" });
  for (const username of ["bob", "acme", "rival"]) {
    await put({ username, retweet_of: root });
    await clock.advance(1_000);
  }
  const { users } = await body("retweeters", { tweet_link: root });
  expect(users.map((user: { username: string }) => user.username)).toEqual([
    "rival",
    "acme",
    "bob",
  ]);
});

test("/tweet-info: tweet_link is a URL or a numeric ID", async () => {
  const { body, put } = await openPlain();
  const [id] = await put({ text: "root" });
  const wanted = await body("tweet-info", { tweet_link: id });
  expect(
    await body("tweet-info", { tweet_link: `https://social.example/alice/status/${id}` }),
  ).toEqual(wanted);
  expect(wanted.id).toBe(id);
});

test("/article answers for articles alone", async () => {
  const { ask, put, sample } = await openPlain({ accounts: 200 });
  const [id] = await put({ text: "no article" });
  expect((await ask("article", { tweet_link: id })).status).toBe(404);
  for (const article of sample.article_ids.slice(0, 3))
    expect((await ask("article", { tweet_link: article })).status).toBe(200);
});

test("/list-tweets: tweets of the list's members, newest first; /list-members are they", async () => {
  const { walk, sample } = await openPlain();
  const [list_id] = sample.list_ids;
  const members = (await walk("list-members", { list_id })).flatMap(({ body }) =>
    idsOf(body.users),
  );
  const tweets = (await walk("list-tweets", { list_id }, 3)).flatMap(({ body }) => body.tweets);
  expect(tweets.length).toBeGreaterThan(20);
  for (const tweet of tweets) expect(members).toContain(tweet.user.id);
  const times = tweets.map((tweet: { created_at: string }) => Date.parse(tweet.created_at));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test("/list-followers: by list URL or ID, each follower once", async () => {
  const { walk, body, sample } = await openPlain();
  const [id] = sample.list_ids;
  const ids = (await walk("list-followers", { list_link: id })).flatMap((page) =>
    idsOf(page.body.users),
  );
  expect(ids.length).toBeGreaterThan(200);
  expect(new Set(ids).size).toBe(ids.length);
  expect(
    (await body("list-followers", { list_link: `https://social.example/i/lists/${id}` })).users[0]
      .id,
  ).toBe(ids[0]);
});

test("/spaces: the Space link is a URL; the Space ID is its trailing identifier", async () => {
  const { body, ask, sample } = await openPlain();
  const [id] = sample.space_ids;
  expect(await body("spaces", { link: `https://social.example/i/spaces/${id}` })).toEqual(
    await body("spaces", { id }),
  );
  expect((await ask("spaces", { id: "1zzzzzzzzzzzz" })).status).toBe(404);
});

test("/trends: each trend gives a name and a search query for the region", async () => {
  const { body, ask } = await openPlain();
  const [world, berlin] = [
    await body("trends", { woeid: 1 }),
    await body("trends", { woeid: 638242 }),
  ];
  expect(world.trends.length).toBeGreaterThan(5);
  for (const { name, query, url } of world.trends) {
    expect(query).toContain(name);
    expect(url).toContain(encodeURIComponent(query));
  }
  expect(world).not.toEqual(berlin);
  expect((await ask("trends", { woeid: 999_999_999 })).status).toBe(404);
});

test("/new-followers-7d and /new-following-7d: the last 7 days, and nothing older", async () => {
  const { body, control, clock } = await openPlain();
  const at = (days: number) => new Date(START_MS - days * DAY_MS).toISOString();
  await control("POST", "follows", { target: "acme", follower: "fan_young", at: at(6.9) });
  await control("POST", "follows", { target: "acme", follower: "fan_old", at: at(7.1) });
  const fans = async () =>
    (await body("new-followers-7d", { username: "acme" })).users.map(
      (user: { username: string }) => user.username,
    );
  expect(await fans()).toContain("fan_young");
  expect(await fans()).not.toContain("fan_old");
  expect((await body("new-following-7d", { username: "fan_young" })).users).toMatchObject([
    { username: "acme", followerDate: at(6.9) },
  ]);
  expect((await body("new-following-7d", { username: "fan_old" })).users).toEqual([]);
  await clock.advance(DAY_MS);
  expect(await fans()).not.toContain("fan_young");
});

test("/new-followers-7d and /new-following-7d: both the target account and the returned accounts must be in the service's own database", async () => {
  const { body, control, ask } = await openPlain();
  await control("POST", "follows", { target: "acme", follower: "fan_one" });
  const shown = async () =>
    (await body("new-followers-7d", { username: "acme" })).users.some(
      (user: { username: string }) => user.username === "fan_one",
    );
  expect(await shown()).toBe(true);
  await control("POST", "accounts", { username: "fan_one", indexed: false });
  expect(await shown()).toBe(false);
  expect((await ask("new-following-7d", { username: "fan_one" })).status).toBe(404);
});

test("analytics only for the indexed subset", async () => {
  const { ask, control } = await openPlain();
  const analytics: readonly EndpointName[] = [
    ...([
      "score",
      "score-changes",
      "followers-stats",
      "top-followers",
      "top-following",
      "new-followers-7d",
      "new-following-7d",
    ] as const),
  ];
  for (const name of analytics)
    expect([name, (await ask(name, { username: "rival" })).status]).toEqual([name, 200]);
  await control("POST", "accounts", { username: "rival", indexed: false });
  for (const name of analytics)
    expect([name, (await ask(name, { username: "rival" })).status]).toEqual([name, 404]);
  expect((await ask("info", { username: "rival" })).status).toBe(200);
});

test("/id-to-username returns the current handle, which may differ from an earlier one; /about counts the changes", async () => {
  const { body, ask, control } = await openPlain();
  const { id } = await body("username-to-id", { handle: "bob" });
  await control("POST", "accounts", { username: "bob", rename_to: "bobby" });
  expect(await body("id-to-username", { user_id: id })).toEqual({ handle: "bobby" });
  expect((await ask("username-to-id", { handle: "bob" })).status).toBe(404);
  expect(await body("about", { user_id: id })).toMatchObject({
    username_change_count: 1,
    last_username_change_at: new Date(START_MS + 100).toISOString(),
  });
});

test("v2 remains reachable under its own path prefix, and takes `cursor` and `link` instead of `next_cursor` and `user_link`", async () => {
  const { ask, body, walk, put, send } = await openPlain();
  const ids = await put({ username: "fresh_one", count: 45 });
  const link = "https://social.example/fresh_one";
  const walked = (await walk("v2-user-tweets", { link })).flatMap((page) =>
    page.body.tweets.map((tweet: { id_str: string }) => tweet.id_str),
  );
  expect(walked).toEqual(ids.toReversed());
  const { id } = await body("info", { username: "fresh_one" });
  expect((await body("v2-user-tweets", { user_id: id })).tweets).toHaveLength(20);
  expect((await ask("v2-user-tweets", { user_link: link })).status).toBe(400);
  expect((await send("POST", "/v3/v2-user-tweets", "{}")).status).toBe(404);
});
