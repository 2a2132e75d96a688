import { expect, test } from "vitest";
import { openSandbox, START_MS } from "../ask.ts";

type Item = { readonly id: string; readonly created_at: string };
const idsOf = (items: readonly Item[]) => items.map((item) => item.id);

test("new tweets while paging shift nothing", async () => {
  const { control, post } = await openSandbox({ traps: false });
  await control("POST", "tweets", { username: "fresh_one", count: 30 });
  const first = (await post("user-tweets", { username: "fresh_one" })).body;
  await control("POST", "tweets", { username: "fresh_one", count: 5 });
  const second = (
    await post("user-tweets", { username: "fresh_one", next_cursor: first.next_cursor })
  ).body;
  expect(new Set([...idsOf(first.tweets), ...idsOf(second.tweets)]).size).toBe(30);
});

test("a counter moves before its tweet is visible, and the tweet keeps its older id", async () => {
  const { control, get, post, clock } = await openSandbox();
  const before = (await get("info?username=alice")).body.tweets_count;
  const { ids } = (
    await control("POST", "tweets", {
      username: "alice",
      text: "late zebra",
      visible_after_ms: 5_000,
    })
  ).body;
  expect((await get("info?username=alice")).body.tweets_count).toBe(before + 1);
  expect((await post("tweet-info", { tweet_link: ids[0] })).status).toBe(404);
  expect((await post("search-tweets", { query: "zebra", order: "latest" })).body.tweets).toEqual(
    [],
  );
  await clock.advance(5_000);
  expect(
    idsOf((await post("search-tweets", { query: "zebra", order: "latest" })).body.tweets),
  ).toEqual(ids);
});

test("the Date header shows the sandbox's own time", async () => {
  const { control, get } = await openSandbox();
  await control("POST", "clock", { advance_ms: 3_600_000 });
  expect((await get("info?username=alice")).headers["date"]).toBe(
    new Date(START_MS + 3_600_000).toUTCString(),
  );
});
