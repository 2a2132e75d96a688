import { expect, test } from "vitest";
import { openSandbox, START_MS } from "./ask.ts";

type Item = { readonly id: string; readonly created_at: string };
const idsOf = (items: readonly Item[]) => items.map((item) => item.id);

test("walking all pages finds every tweet once, over short and empty pages alike", async () => {
  const { control, pages } = await openSandbox();
  const { ids } = (await control("POST", "tweets", { username: "fresh_one", text: "post", count: 400 })).body;
  const walked = await pages("POST", "user-tweets", { username: "fresh_one" });
  const lists = walked.map((page) => page.body.tweets as Item[]);
  expect(idsOf(lists.flat())).toEqual(ids.toReversed());
  expect(lists.slice(0, -1).some((list) => list.length < 15 && list.length > 0)).toBe(true);
  expect(lists.slice(0, -1).some((list) => list.length === 0)).toBe(true);
  expect(Math.max(...lists.map((list) => list.length))).toBeLessThanOrEqual(20);
  expect(walked.at(-1)?.body.next_cursor).toBeNull();
});

test("new tweets while paging shift nothing", async () => {
  const { control, post } = await openSandbox({ traps: false });
  await control("POST", "tweets", { username: "fresh_one", count: 30 });
  const first = (await post("user-tweets", { username: "fresh_one" })).body;
  await control("POST", "tweets", { username: "fresh_one", count: 5 });
  const second = (await post("user-tweets", { username: "fresh_one", next_cursor: first.next_cursor })).body;
  expect(new Set([...idsOf(first.tweets), ...idsOf(second.tweets)]).size).toBe(30);
});

test("cursors of follower lists are int64 digits beyond 2^53, and one read as a double is refused", async () => {
  const { get, pages } = await openSandbox();
  const first = await get("followers?username=alice");
  const digits = /"next_cursor":(\d+)/.exec(first.text)?.[1] ?? "";
  expect(BigInt(digits) > 2n ** 53n).toBe(true);
  expect((await get(`followers?username=alice&next_cursor=${first.body.next_cursor}`)).status).toBe(400);
  const walked = await pages("GET", "followers", { username: "alice" });
  const ids = walked.flatMap((page) => idsOf(page.body.users));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength((await get("info?username=alice")).body.followers_count);
});

test("a pinned community post comes back on every page", async () => {
  const { control, pages } = await openSandbox({ traps: false });
  await control("POST", "tweets", { username: "fresh_one", community_id: "1493446837214187523", count: 60 });
  const walked = await pages("POST", "community-tweets", { community_id: "1493446837214187523" }, 3);
  expect(new Set(walked.map((page) => page.body.tweets[0].id)).size).toBe(1);
  expect(new Set(walked.map((page) => page.body.tweets[1].id)).size).toBe(3);
});

test("a counter moves before its tweet is visible, and the tweet keeps its older id", async () => {
  const { control, get, post, clock } = await openSandbox();
  const before = (await get("info?username=alice")).body.tweets_count;
  const { ids } = (await control("POST", "tweets", { username: "alice", text: "late zebra", visible_after_ms: 5_000 })).body;
  expect((await get("info?username=alice")).body.tweets_count).toBe(before + 1);
  expect((await post("tweet-info", { tweet_link: ids[0] })).status).toBe(404);
  expect((await post("search-tweets", { query: "zebra", order: "latest" })).body.tweets).toEqual([]);
  await clock.advance(5_000);
  expect(idsOf((await post("search-tweets", { query: "zebra", order: "latest" })).body.tweets)).toEqual(ids);
});

test("created_at comes in both formats, empty arrays as null", async () => {
  const { control, get, post } = await openSandbox();
  await control("POST", "tweets", { username: "alice", text: "zebra" });
  const tweet = (await post("search-tweets", { query: "zebra", order: "latest" })).body.tweets[0];
  expect(tweet).toMatchObject({ created_at: "Fri Mar 06 13:38:49 +0000 2026", entities: null });
  expect((await get("info?username=alice")).body.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test("the Date header tells the sandbox's own time", async () => {
  const { control, get } = await openSandbox();
  await control("POST", "clock", { advance_ms: 3_600_000 });
  expect((await get("info?username=alice")).headers["date"]).toBe(new Date(START_MS + 3_600_000).toUTCString());
});
