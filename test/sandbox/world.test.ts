import { expect, test } from "vitest";
import { createShow } from "../../src/sandbox/world/shown/show.ts";
import { createWorld } from "../../src/sandbox/world/world.ts";
import { openSandbox, START_MS } from "./ask.ts";

const HOUR_MS = 3_600_000;
const options = { seed: 1, accounts: 60, startMs: START_MS } as const;
const firstIds = (world: ReturnType<typeof createWorld>, nowMs: number, count: number) => {
  const ids: string[] = [];
  for (const record of world.tweets.scan(nowMs)) if (ids.push(record.id) === count) break;
  return ids;
};

test("the world is a function of seed and time, whatever was asked before", () => {
  const fresh = createWorld(options);
  const used = createWorld(options);
  for (let hour = 0; hour < 24; hour += 1) firstIds(used, START_MS + hour * HOUR_MS, 3);
  expect(firstIds(fresh, START_MS + 24 * HOUR_MS, 200)).toEqual(
    firstIds(used, START_MS + 24 * HOUR_MS, 200),
  );
  expect(createShow(fresh, START_MS + 24 * HOUR_MS).user(0)).toEqual(
    createShow(used, START_MS + 24 * HOUR_MS).user(0),
  );
  expect(firstIds(createWorld({ ...options, seed: 2 }), START_MS, 50)).not.toEqual(
    firstIds(fresh, START_MS, 50),
  );
});

test("tweet ids are snowflakes beyond 2^53 and never repeat", () => {
  const ids = firstIds(createWorld(options), START_MS, 1_500);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => BigInt(id) > 2n ** 53n)).toBe(true);
});

test("a few accounts post much, most post little, and there are replies, retweets, quotes and threads", () => {
  const perAuthor = new Map<number, number>();
  const kinds = new Set<string>();
  for (const record of createWorld({ ...options, accounts: 200 }).tweets.scan(START_MS)) {
    perAuthor.set(record.author, (perAuthor.get(record.author) ?? 0) + 1);
    kinds.add(record.kind);
  }
  const counts = [...perAuthor.values()].sort((a, b) => b - a);
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(counts.slice(0, 40).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(total * 0.5);
  expect([...kinds].sort()).toEqual(["post", "quote", "reply", "retweet"]);
});

test("a world of 100,000 accounts answers", async () => {
  const { get } = await openSandbox({ accounts: 100_000 });
  expect((await get("info?username=acme")).status).toBe(200);
});

test("injected followers appear in both lists, and leave again", async () => {
  const { get, post, control } = await openSandbox();
  const { followers } = (await control("POST", "follows", { target: "acme", count: 3 })).body;
  const ids = followers.map((user: { id: string }) => user.id);
  const listed = (await get("followers?username=acme")).body.users.map(
    (user: { id: string }) => user.id,
  );
  expect(listed).toEqual(expect.arrayContaining(ids));
  await control("POST", "follows", { target: "acme", follower: "newcomer" });
  expect((await post("check-follow", { username_1: "acme", username_2: "newcomer" })).body).toEqual(
    {
      follow: true,
      user_protected: false,
    },
  );
  await control("DELETE", "follows", { target: "acme", follower: "newcomer" });
  expect(
    (await post("check-follow", { username_1: "acme", username_2: "newcomer" })).body.follow,
  ).toBe(false);
});

test("injected replies, quotes and retweets point to their tweet; a deleted tweet answers 404 until it is restored", async () => {
  const { control, post } = await openSandbox();
  const [id] = (await control("POST", "tweets", { username: "alice", text: "root" })).body.ids;
  await control("POST", "tweets", { username: "bob", text: "yes", reply_to: id });
  await control("POST", "tweets", { username: "rival", text: "see", quote_of: id });
  await control("POST", "tweets", { username: "acme", retweet_of: id });
  expect((await post("tweet-info", { tweet_link: id })).body).toMatchObject({
    reply_count: 1,
    quote_count: 1,
    retweet_count: 1,
  });
  expect((await post("comments", { tweet_link: id })).body.tweets[0]).toMatchObject({
    is_reply: true,
    in_reply_to_tweet_id: id,
    in_reply_to_username: "alice",
  });
  expect((await post("quotes", { tweet_link: id })).body.tweets[0].quoted_status.id).toBe(id);
  expect((await post("retweeters", { tweet_link: id })).body.users[0].username).toBe("acme");
  await control("DELETE", `tweets/${id}`);
  expect((await post("tweet-info", { tweet_link: id })).status).toBe(404);
  await control("POST", "restore", { id });
  expect((await post("tweet-info", { tweet_link: id })).status).toBe(200);
});

test("scores can be set, and an account taken out of the index answers 404", async () => {
  const { control, get } = await openSandbox();
  await control("POST", "scores", { username: "rival", week_delta: 30, month_delta: -70 });
  expect((await get("score-changes?username=rival")).body).toEqual({
    week_delta: 30,
    month_delta: -70,
  });
  await control("POST", "scores", {
    username: "rival",
    week_delta: 0,
    month_delta: 0,
    indexed: false,
  });
  expect((await get("score-changes?username=rival")).status).toBe(404);
  expect((await get("info?username=rival")).status).toBe(200);
});
