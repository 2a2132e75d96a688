/**
 * Tests how the control API changes existing profiles, tweets, articles, scores and communities,
 * seen over the API.
 */
import { expect, test } from "vitest";
import { openSandbox } from "./ask.ts";

const BUILDERS = "1493446837214187523";

test("a profile shows what it is set to, in every answer and in search, until it is left to itself", async () => {
  const { control, get, post } = await openSandbox();
  const before = (await get("info?username=bob")).body;
  const edits = {
    display_name: "Quagga",
    description: "Extinct since 1883.",
    location: "Amsterdam",
    bio_urls: ["https://example.com/quagga"],
    verified: !before.verified,
    profile_image_url: "https://images.example/quagga.jpg",
    profile_background_image_url: "https://images.example/plain.jpg",
    followers_count: 1_000_000,
    followings_count: 1,
    tweets_count: 2,
    media_count: 3,
    favourites_count: 4,
  };
  expect((await control("POST", "accounts", { username: "bob", ...edits })).body).toMatchObject(
    edits,
  );
  expect((await get("info?username=bob")).body).toEqual({ ...before, ...edits });
  expect((await get("info-batch?usernames=bob")).body.users[0]).toMatchObject(edits);
  expect(
    (await post("search-users", { query: "1883" })).body.users.map(
      (user: { username: string }) => user.username,
    ),
  ).toEqual(["bob"]);
  const unset = Object.fromEntries(Object.keys(edits).map((name) => [name, null]));
  await control("POST", "accounts", { username: "bob", ...unset, description: "Still here." });
  expect((await get("info?username=bob")).body).toEqual({ ...before, description: "Still here." });
});

test("the country that /about shows can be set, of a recorded account too", async () => {
  const recorded = { type: "user", id: "7", username: "visitor" };
  const about = { type: "about", user_id: "7", country: "Japan", username_change_count: 3 };
  const text = [recorded, about].map((line) => `${JSON.stringify(line)}\n`).join("");
  const { control, get } = await openSandbox({ data: { text, append: () => undefined } });
  for (const username of ["bob", "visitor"]) {
    await control("POST", "accounts", { username, country: "Botswana" });
    expect((await get(`about?username=${username}`)).body.country).toBe("Botswana");
  }
  expect((await get("about?username=visitor")).body.username_change_count).toBe(3);
});

test("a tweet counts and says what it is set to, and search finds it by that", async () => {
  const { control, post } = await openSandbox();
  const [id] = (await control("POST", "tweets", { username: "alice", text: "quagga" })).body.ids;
  const counts = {
    likes_count: 900,
    retweet_count: 80,
    reply_count: 70,
    quote_count: 60,
    bookmark_count: 50,
    view_count: 40_000,
  };
  await control("PATCH", `tweets/${id}`, counts);
  await control("PATCH", `tweets/${id}`, { full_text: "okapi" });
  expect((await post("tweet-info", { tweet_link: id })).body).toMatchObject({
    ...counts,
    full_text: "okapi",
  });
  const found = async (query: string) =>
    (await post("search-tweets", { query, order: "latest" })).body.tweets.length;
  expect([
    await found("okapi min_faves:900"),
    await found("okapi min_faves:901"),
    await found("quagga"),
  ]).toEqual([1, 0, 0]);
  await control("POST", "tweets", { username: "bob", retweet_of: id });
  const { tweets } = (await post("user-retweets", { username: "bob" })).body;
  expect(tweets[0]).toMatchObject({
    full_text: "RT @alice: okapi",
    retweeted_status: { full_text: "okapi" },
  });
});

test("a tweet becomes an article and is edited, counts and all", async () => {
  const { control, post } = await openSandbox();
  const [id] = (await control("POST", "tweets", { username: "alice", text: "quagga" })).body.ids;
  expect((await post("article", { tweet_link: id })).status).toBe(404);
  await control("POST", "articles", { tweet_id: id, full_text: "One." });
  const first = (await post("article", { tweet_link: id })).body;
  expect(first).toMatchObject({
    full_text: "One.",
    preview_text: "quagga",
    author: { username: "alice" },
  });
  await control("POST", "articles", {
    tweet_id: id,
    cover_image_url: "https://images.example/cover.jpg",
    views: 12_000,
  });
  await control("PATCH", `tweets/${id}`, { likes_count: 9 });
  const edited = {
    cover_image_url: "https://images.example/cover.jpg",
    views: 12_000,
    favorite_count: 9,
  };
  expect((await post("article", { tweet_link: id })).body).toEqual({ ...first, ...edited });
  expect((await control("GET", "sample")).body.article_ids).toContain(id);
});

test("a score is what it is set to, beside its changes", async () => {
  const { control, get } = await openSandbox();
  const seen = async () => [
    (await get("score?username=bob")).body.score,
    (await get("score-changes?username=bob")).body,
  ];
  const [, changes] = await seen();
  await control("POST", "scores", { username: "bob", score: 4_183.88 });
  expect(await seen()).toEqual([4_183.88, changes]);
  await control("POST", "scores", { username: "bob", week_delta: 77 });
  expect(await seen()).toEqual([4_183.88, { ...changes, week_delta: 77 }]);
});

test("a community is described anew, and who belongs stays", async () => {
  const { control, post } = await openSandbox();
  const info = async () => (await post("community-info", { community_id: BUILDERS })).body;
  await control("POST", "members", { group: BUILDERS, username: "newcomer" });
  const before = await info();
  await control("POST", "communities", {
    id: BUILDERS,
    name: "Makers",
    banner_url: "https://images.example/makers.jpg",
  });
  await control("POST", "communities", { id: BUILDERS, description: "They make." });
  const edits = {
    name: "Makers",
    description: "They make.",
    banner_url: "https://images.example/makers.jpg",
  };
  expect(await info()).toEqual({ ...before, ...edits });
});

test("a list keeps its members when it is given followers", async () => {
  const { control, get } = await openSandbox();
  const { id } = (await control("POST", "lists", { members: ["alice"] })).body;
  await control("POST", "members", { group: id, username: "newcomer" });
  expect((await control("POST", "lists", { id, followers: ["bob", "alice"] })).body).toEqual({
    id,
    members: 2,
    followers: 2,
  });
  const names = async (path: string) =>
    (await get(path)).body.users.map((user: { username: string }) => user.username);
  expect(await names(`list-followers?list_link=${id}`)).toEqual(["alice", "bob"]);
  expect(await names(`list-members?list_id=${id}`)).toEqual(["newcomer", "alice"]);
});

test.each([
  ["PATCH", "tweets/17", { likes_count: 1 }, 404, "tweet"],
  ["PATCH", "tweets/17", { likes: 1 }, 400, "unknown: likes"],
  ["PATCH", "tweets/17", { likes_count: -1 }, 400, "likes_count: "],
  ["POST", "articles", { tweet_id: "17", full_text: "" }, 404, "tweet"],
  ["POST", "articles", { full_text: "" }, 400, "tweet_id is required"],
  ["POST", "accounts", { username: "bob", description: 5 }, 400, "description: "],
  ["POST", "accounts", { username: "bob", bio: "x" }, 400, "unknown: bio"],
  ["POST", "scores", { username: "bob", score: -1 }, 400, "score: "],
  ["POST", "communities", { id: "17", name: "x" }, 404, "community"],
  ["POST", "communities", { id: BUILDERS, name: "" }, 400, "name: "],
] as const)("%s %s %j answers %i", async (method, path, body, status, words) => {
  const { control } = await openSandbox();
  expect(await control(method, path, body)).toMatchObject({
    status,
    body: { message: expect.stringContaining(words) },
  });
});

test("all of it stays over a restart, and is exported", async () => {
  let text = "";
  const data = () => ({ text, append: (line: string) => void (text += line) });
  const first = await openSandbox({ data: data() });
  const [id] = (await first.control("POST", "tweets", { username: "alice", text: "quagga" })).body
    .ids;
  await first.control("PATCH", `tweets/${id}`, { likes_count: 900 });
  await first.control("POST", "articles", { tweet_id: id, full_text: "One." });
  await first.control("POST", "accounts", { username: "bob", description: "Extinct." });
  await first.control("POST", "scores", { username: "bob", score: 4_183.88 });
  await first.control("POST", "communities", { id: BUILDERS, name: "Makers" });
  const seen = async ({ get, post }: typeof first) => [
    (await post("tweet-info", { tweet_link: id })).body.likes_count,
    (await post("article", { tweet_link: id })).body.full_text,
    (await get("info?username=bob")).body.description,
    (await get("score?username=bob")).body.score,
    (await post("community-info", { community_id: BUILDERS })).body.name,
  ];
  const expected = [900, "One.", "Extinct.", 4_183.88, "Makers"];
  expect(await seen(first)).toEqual(expected);
  expect(await seen(await openSandbox({ data: data() }))).toEqual(expected);
  const exported = (await first.send("GET", "/_sandbox/export", undefined, {})).text;
  expect(
    await seen(
      await openSandbox({ accounts: 0, data: { text: exported, append: () => undefined } }),
    ),
  ).toEqual(expected);
});
