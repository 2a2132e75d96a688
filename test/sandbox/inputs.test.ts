import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/sandbox/endpoints/table.ts";
import { openSandbox } from "./ask.ts";

test.each([
  ["user-tweets", ""],
  ["user-tweets", "{"],
  ["user-tweets", "[]"],
  ["user-tweets", "{}"],
  ["user-tweets", '{"user_id":44196397}'],
  ["user-tweets", '{"username":"acme","user_id":"1"}'],
  ["user-tweets", '{"username":"acme","next_cursor":"made up"}'],
  ["search-tweets", '{"order":"latest"}'],
  ["search-tweets", '{"query":"a","order":"newest"}'],
  ["mentions", '{"query":"acme","min_likes":"many"}'],
  ["tweet-info", '{"tweet_link":"not a link"}'],
  ["tweet-info-bulk", '{"tweet_links":"1"}'],
  ["community-info", "{}"],
  ["check-follow", '{"username_1":"acme"}'],
])("missing, mistyped or malformed input answers 400 with a message: %s %s", async (path, body) => {
  const { send } = await openSandbox();
  const reply = await send("POST", `/v3/${path}`, body);
  expect(reply).toMatchObject({ status: 400, body: { message: expect.any(String) } });
});

test("/info-batch takes repeated keys; a comma-joined value resolves only the first name; missing accounts are absent", async () => {
  const { get } = await openSandbox();
  expect(
    (await get("info-batch?usernames=acme&usernames=nobody_at_all&usernames=rival")).body.users.map(
      (user: { username: string }) => user.username,
    ),
  ).toEqual(["acme", "rival"]);
  expect((await get("info-batch?usernames=acme,rival")).body.users).toHaveLength(1);
  expect((await get(`info-batch?${"usernames=a&".repeat(101)}`)).status).toBe(400);
});

test("ids, handles and links name the same account", async () => {
  const { get } = await openSandbox();
  const { id } = (await get("info?username=ACME")).body;
  expect((await get(`info?user_id=${id}`)).body.username).toBe("acme");
  expect((await get(`info?user_link=${encodeURIComponent("https://social.example/acme")}`)).body.id).toBe(id);
  expect((await get(`id-to-username/${id}`)).body).toEqual({ handle: "acme" });
  expect((await get("username-to-id/acme")).body).toEqual({ id });
  expect((await get(`link-to-id?link=${encodeURIComponent("https://social.example/acme")}`)).body).toEqual({ id });
});

test("a renamed account keeps its id; hidden ones answer 404", async () => {
  const { get, control } = await openSandbox();
  const { id } = (await control("POST", "accounts", { username: "bob", rename_to: "bobby" })).body;
  expect((await get("info?username=bob")).status).toBe(404);
  expect((await get(`id-to-username/${id}`)).body).toEqual({ handle: "bobby" });
  for (const flag of ["protected", "suspended", "deleted"]) {
    await control("POST", "accounts", { username: "alice", [flag]: true });
    expect((await get("info?username=alice")).status).toBe(404);
    await control("POST", "accounts", { username: "alice", [flag]: false });
    expect((await get("info?username=alice")).status).toBe(200);
  }
});

test("every endpoint of the documents is one row of the table", () => {
  const names = `info info-batch about followers follows verified-followers tweet-info tweet-info-bulk user-tweets user-retweets comments quotes retweeters
    article trends spaces search-tweets mentions search-users list-tweets list-members list-followers community-info community-members community-tweets
    community-search-tweets check-follow check-comment check-quoted check-retweet check-community-member score score-changes followers-stats top-followers
    top-following new-followers-7d new-following-7d username-to-id id-to-username link-to-id key-usage-info v2-user-tweets`;
  expect(OPERATIONS.map((row) => row.name).toSorted()).toEqual(names.split(/\s+/).toSorted());
});

test("every endpoint answers 200 to what the sample names", async () => {
  const { get, post, send, control, clock } = await openSandbox({ accounts: 200 });
  const sample = (await control("GET", "sample")).body;
  const [handle, tweet, list, community] = [sample.handles[0], sample.tweet_ids[0], sample.list_ids[0], sample.community_ids[0]];
  const user = { username: handle };
  const asked = [
    () => get(`about?username=${handle}`),
    ...[
      "followers",
      "follows",
      "verified-followers",
      "score",
      "score-changes",
      "followers-stats",
      "top-followers",
      "top-following",
      "new-followers-7d",
      "new-following-7d",
    ].map((path) => () => get(`${path}?username=${sample.indexed_handles[0]}`)),
    ...["tweet-info", "comments", "quotes", "retweeters"].map((path) => () => post(path, { tweet_link: tweet })),
    () => post("tweet-info-bulk", { tweet_links: sample.tweet_ids }),
    () => post("article", { tweet_link: `https://social.example/a/status/${sample.article_ids[0]}` }),
    ...["user-tweets", "user-retweets"].map((path) => () => post(path, user)),
    ...["search-tweets", "search-users"].map((path) => () => post(path, { query: "acme" })),
    () => post("mentions", { query: "acme", min_likes: 0, since_date: "2026-01-01" }),
    ...["list-tweets", "list-members"].map((path) => () => get(`${path}?list_id=${list}`)),
    () => get(`list-followers?list_link=${list}`),
    ...["community-info", "community-tweets"].map((path) => () => post(path, { community_id: community })),
    () => post("community-members", { community_link: community }),
    () => post("community-search-tweets", { community_link: community, query: "weekly OR meetup" }),
    () => post("check-follow", { username_1: "acme", username_2: "bob" }),
    ...["check-quoted", "check-retweet"].map((path) => () => post(path, { ...user, tweet_link: tweet })),
    () => get(`check-comment?username=${handle}&tweet_link=${tweet}`),
    () => post("check-community-member", { ...user, community_id: community }),
    () => get(`spaces?id=${sample.space_ids[0]}`),
    () => get("trends?woeid=1"),
    () => send("POST", "/v2/user-tweets", JSON.stringify({ link: `https://social.example/${handle}` })),
  ];
  for (const ask of asked) {
    await clock.advance(100);
    expect(await ask()).toMatchObject({ status: 200 });
  }
});
