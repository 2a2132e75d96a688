/**
 * Tests the operations that api-v3.md lists in "Endpoints known by name only", with the inputs of
 * docs/service.md section 1.
 */
import { expect, test } from "vitest";
import { START_MS } from "./ask.ts";
import { openPlain } from "./inputs-of.ts";

type Item = { readonly id: string };
const idsOf = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id);

test("/followers and /follows: full User profiles of everyone, each once", async () => {
  const { walk, body } = await openPlain();
  const me = await body("info", { username: "bob" });
  for (const [name, count] of [
    ["followers", me.followers_count],
    ["follows", me.followings_count],
  ] as const) {
    const ids = (await walk(name, { username: "bob" })).flatMap((page) => idsOf(page.body.users));
    expect([name, new Set(ids).size, ids.length]).toEqual([name, count, count]);
  }
});

test("/verified-followers: those followers that are verified", async () => {
  const { walk } = await openPlain();
  const all = (await walk("followers", { username: "bob" })).flatMap(({ body }) => body.users);
  const verified = (await walk("verified-followers", { username: "bob" })).flatMap(
    ({ body }) => body.users,
  );
  expect(verified.length).toBeGreaterThan(0);
  expect(idsOf(verified)).toEqual(
    idsOf(all.filter((user: { verified: boolean }) => user.verified)),
  );
});

test("/user-tweets: no ceiling on the history reachable by paging", async () => {
  const { walk, put } = await openPlain();
  const old = await put({
    username: "fresh_one",
    text: "old",
    count: 500,
    created_at: "2014-05-05T00:00:00.000Z",
  });
  const young = await put({ username: "fresh_one", text: "young", count: 500 });
  const walked = (await walk("user-tweets", { username: "fresh_one" })).flatMap(({ body }) =>
    idsOf(body.tweets),
  );
  expect(walked).toEqual([...young.toReversed(), ...old.toReversed()]);
});

test("/search-tweets: order is popular or latest", async () => {
  const { body } = await openPlain();
  const query = "filter:media";
  const [popular, latest, unsaid] = [
    await body("search-tweets", { query, order: "popular" }),
    await body("search-tweets", { query, order: "latest" }),
    await body("search-tweets", { query }),
  ];
  expect(idsOf(unsaid.tweets)).toEqual(idsOf(popular.tweets));
  expect(idsOf(latest.tweets)).toEqual(
    idsOf(latest.tweets).toSorted((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1)),
  );
  expect(idsOf(popular.tweets)).not.toEqual(idsOf(latest.tweets));
});

test("/mentions: of a handle, with least counts and dates", async () => {
  const { body, put } = await openPlain();
  const [root] = await put({ text: "hello @quagga" });
  await put({ text: "hello @quagga again", created_at: "2026-03-04T12:00:00.000Z" });
  await put({ username: "bob", text: "nice", reply_to: root });
  const found = async (more: object) =>
    idsOf((await body("mentions", { query: "quagga", ...more })).tweets);
  expect(await found({})).toHaveLength(2);
  expect(await found({ min_replies: 1 })).toEqual([root]);
  expect(await found({ min_retweets: 1 })).toEqual([]);
  expect(await found({ min_likes: 1_000_000 })).toEqual([]);
  expect(await found({ since_date: "2026-03-06" })).toEqual([root]);
  expect(await found({ until_date: "2026-03-06" })).not.toContain(root);
});

test("/search-users: query", async () => {
  const { body } = await openPlain();
  expect(
    (await body("search-users", { query: "acme" })).users.map(
      (user: { username: string }) => user.username,
    ),
  ).toEqual(expect.arrayContaining(["acme", "acme_jobs"]));
  expect((await body("search-users", { query: "nobodyiscalledthis" })).users).toEqual([]);
});

test("/community-tweets and /community-search-tweets: of this community alone", async () => {
  const { body, put, communities } = await openPlain();
  const [first, second] = communities;
  const [here] = await put({ text: "zebra here", community_id: first });
  await put({ text: "zebra there", community_id: second });
  expect(idsOf((await body("community-tweets", { community_id: first })).tweets)).toContain(here);
  expect(
    idsOf(
      (await body("community-search-tweets", { community_link: first, query: "zebra" })).tweets,
    ),
  ).toEqual([here]);
});

test("yes/no membership checks: they flip when the fact does", async () => {
  const { body, put, control } = await openPlain();
  const [root] = await put({ text: "root" });
  const who = { username: "bob", tweet_link: root };
  const both = { username_1: "acme", username_2: "fan_one" };
  const asked = async () => [
    (await body("check-comment", who)).commented,
    (await body("check-quoted", who)).status,
    (await body("check-retweet", who)).retweet,
    (await body("check-follow", both)).follow,
  ];
  await control("POST", "accounts", { username: "fan_one" });
  expect(await asked()).toEqual([false, "not_found", false, false]);
  await put({ username: "bob", text: "yes", reply_to: root });
  await put({ username: "bob", text: "see", quote_of: root });
  await put({ username: "bob", retweet_of: root });
  await control("POST", "follows", { target: "acme", follower: "fan_one" });
  expect(await asked()).toEqual([true, expect.stringMatching(/quoted|retweet/), true, true]);
  await control("DELETE", "follows", { target: "acme", follower: "fan_one" });
  expect((await body("check-follow", both)).follow).toBe(false);
});

test("/link-to-id and /username-to-id give the id behind a link and a handle", async () => {
  const { body, put } = await openPlain();
  const { id } = await body("info", { username: "acme" });
  const [tweet] = await put({ text: "root" });
  expect(await body("username-to-id", { handle: "ACME" })).toEqual({ id });
  expect(await body("link-to-id", { link: "https://social.example/acme" })).toEqual({ id });
  expect(
    await body("link-to-id", { link: `https://social.example/alice/status/${tweet}` }),
  ).toEqual({ id: tweet });
});

test("/key-usage-info: the requests so far, and the remaining quota of the key", async () => {
  const { body } = await openPlain({ quota: 50 });
  const before = await body("key-usage-info", {});
  await body("info", { username: "acme" });
  expect(await body("key-usage-info", {})).toEqual({
    ...before,
    key_requests: before.key_requests + 1,
    remaining_requests: before.remaining_requests - 1,
  });
  expect(Date.parse(before.valid_until)).toBeGreaterThan(START_MS);
});
