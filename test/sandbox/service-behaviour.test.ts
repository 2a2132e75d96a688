/**
 * Tests behaviour of the service beyond its document, as docs/service.md describes it. The sandbox
 * behaves the same. test/query covers search.
 */
import { expect, test } from "vitest";
import { openService } from "./inputs-of.ts";

type Item = { readonly id: string };
const idsOf = (items: readonly Item[]) => items.map((item) => item.id);

test("/info-batch takes a repeated key; a comma-joined value resolves only the first name; missing accounts are absent", async () => {
  const { ask } = await openService();
  const named = async (usernames: readonly string[]) =>
    (await ask("info-batch", { usernames })).body.users.map(
      (user: { username: string }) => user.username,
    );
  expect(await named(["acme", "nobody_at_all", "rival"])).toEqual(["acme", "rival"]);
  expect(await named(["acme,rival"])).toEqual(["acme"]);
});

test("/tweet-info-bulk has no cursor, and omits dead tweets", async () => {
  const { ask, put, control } = await openService();
  const ids = await put({ count: 3 });
  await control("DELETE", `tweets/${ids[1]}`);
  const { body } = await ask("tweet-info-bulk", { tweet_links: ids });
  expect(new Set(idsOf(body.tweets))).toEqual(new Set([ids[0], ids[2]]));
  expect(Object.keys(body)).toEqual(["tweets"]);
});

test("/user-tweets: newest first, replies and retweets included", async () => {
  const { ask, put } = await openService({ traps: false });
  const [root = ""] = await put({ text: "root" });
  const made = [
    ...(await put({ username: "fresh_one", reply_to: root })),
    ...(await put({ username: "fresh_one", retweet_of: root })),
  ];
  expect(idsOf((await ask("user-tweets", { username: "fresh_one" })).body.tweets)).toEqual(
    made.toReversed(),
  );
});

test("/comments: `order_by` is Relevance, Recency or Likes, capitalised; not `order`", async () => {
  const { ask, put } = await openService({ traps: false });
  const [root] = await put({ text: "root" });
  const replies = await put({ username: "bob", text: "yes", reply_to: root, count: 3 });
  const asked = (more: object) => ask("comments", { tweet_link: root, ...more });
  expect(idsOf((await asked({ order_by: "Recency" })).body.tweets)).toEqual(replies.toReversed());
  for (const order_by of ["Relevance", "Likes"])
    expect((await asked({ order_by })).body.tweets).toHaveLength(3);
  for (const order_by of ["recency", "latest"])
    expect((await asked({ order_by })).status).toBe(400);
});

test("/search-tweets is popular by default, /mentions and /community-tweets latest", async () => {
  const { ask, control, put } = await openService({ traps: false });
  await put({ text: "hi @acme", username: "bob", count: 3 });
  const [community_id] = (await control("GET", "sample")).body.community_ids;
  const ids = async (name: "search-tweets" | "mentions" | "community-tweets", inputs: object) =>
    idsOf((await ask(name, { ...inputs })).body.tweets);
  const search = { query: "filter:media" };
  expect(await ids("search-tweets", search)).toEqual(
    await ids("search-tweets", { ...search, order: "popular" }),
  );
  for (const [name, inputs] of [
    ["mentions", { query: "acme" }],
    ["community-tweets", { community_id }],
  ] as const) {
    expect(await ids(name, inputs)).toEqual(await ids(name, { ...inputs, order: "latest" }));
  }
});

test("/community-tweets: a pinned post comes back on every page", async () => {
  const { control, put, walk } = await openService({ traps: false });
  const [community_id] = (await control("GET", "sample")).body.community_ids;
  await put({ username: "fresh_one", community_id, count: 60 });
  const pages = (await walk("community-tweets", { community_id }, 3)).map(({ body }) =>
    idsOf(body.tweets),
  );
  expect(new Set(pages.map((ids) => ids[0])).size).toBe(1);
  expect(new Set(pages.map((ids) => ids[1])).size).toBe(3);
});

test("/check-retweet scans up to 100 retweets a request", async () => {
  const { walk, put } = await openService({ traps: false });
  const [root] = await put({ text: "root" });
  await put({ username: "bob", retweet_of: root });
  await put({ username: "rival", retweet_of: root, count: 150 });
  const pages = await walk("check-retweet", { username: "bob", tweet_link: root });
  expect(pages.map(({ body }) => body.retweet)).toEqual([false, true]);
});

test("/check-quoted: `date` is `2024-04-27 06:43:09`", async () => {
  const { ask, put } = await openService();
  const [root] = await put({ text: "root" });
  await put({ username: "bob", text: "see", quote_of: root });
  expect((await ask("check-quoted", { username: "bob", tweet_link: root })).body).toEqual({
    status: "quoted",
    date: "2026-03-06 13:38:49",
    text: "see",
    user_protected: false,
  });
});

test("/followers and /list-members: cursors are int64 digits beyond 2^53, and one read as a double is refused", async () => {
  const { ask, walk } = await openService();
  const digits: string = (await ask("followers", { username: "alice" })).body.next_cursor;
  expect(BigInt(digits) > 2n ** 53n).toBe(true);
  expect(
    (await ask("followers", { username: "alice", next_cursor: String(Number(digits)) })).status,
  ).toBe(400);
  expect((await ask("followers", { username: "alice", next_cursor: digits })).status).toBe(200);
  const ids = (await walk("followers", { username: "alice" })).flatMap(({ body }) =>
    idsOf(body.users),
  );
  expect(new Set(ids).size).toBe((await ask("info", { username: "alice" })).body.followers_count);
});

test("`created_at` comes as ISO 8601 and in the platform's own way; empty arrays come as null", async () => {
  const { ask, put } = await openService();
  await put({ text: "zebra" });
  const [tweet] = (await ask("search-tweets", { query: "zebra", order: "latest" })).body.tweets;
  expect(tweet).toMatchObject({ created_at: "Fri Mar 06 13:38:49 +0000 2026", entities: null });
  expect((await ask("info", { username: "alice" })).body.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test("a quoted tweet's `entities` are empty inline", async () => {
  const { ask, put } = await openService();
  const withMedia = (await ask("search-tweets", { query: "filter:media", order: "latest" })).body
    .tweets[0];
  expect(withMedia.entities.length).toBeGreaterThan(0);
  const [quote] = await put({ text: "see", quote_of: withMedia.id });
  expect((await ask("tweet-info", { tweet_link: quote })).body.quoted_status).toMatchObject({
    id: withMedia.id,
    entities: null,
  });
});

test("no rate headers and no Retry-After come with 429", async () => {
  const { get } = await openService();
  const burst = await Promise.all(Array.from({ length: 21 }, () => get("key-usage-info")));
  const refused = burst.find(({ status }) => status === 429);
  expect(Object.keys(refused?.headers ?? {}).filter((name) => /rate|retry/.test(name))).toEqual([]);
});
