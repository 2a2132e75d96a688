/** Tests the scenario of the demo in the sandbox's world. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { playScenario, type ScenarioTrack } from "../../../src/cli/demo/play-scenario.ts";
import { packageFile } from "../../../src/runtime/package-file.ts";
import { openSandbox, START_MS } from "../../sandbox/ask.ts";

const SCENARIO = JSON.parse(
  readFileSync(packageFile("config/demo-scenario.json"), "utf8"),
) as readonly ScenarioTrack[];

test("shows within 20 s a mention, posts of alice and bob, a community post, a large follower and scores that cross", async () => {
  const { get, post, clock, order } = await openSandbox({ accounts: 200, traps: false });
  const { stop } = playScenario(SCENARIO, { order }, clock);
  const since = Math.floor(START_MS / 1_000);
  const scores: { week_delta: number; month_delta: number }[] = [];
  for (let second = 0; second < 20; second += 2) {
    await clock.advance(2_000);
    scores.push((await get("score-changes?username=acme")).body);
  }
  stop();
  const found = async (query: string) =>
    (await post("search-tweets", { query: `(${query}) since_time:${since}`, order: "latest" })).body
      .tweets;
  expect((await found("(acme OR @acme) -from:acme")).length).toBeGreaterThanOrEqual(2);
  expect(
    (await found("from:jonas_dev")).filter((tweet: { is_reply: boolean }) => tweet.is_reply),
  ).toHaveLength(1);
  expect(await found("from:alice")).not.toEqual([]);
  expect(await found("from:bob")).not.toEqual([]);
  const community = (await post("community-tweets", { community_id: "1493446837214187523" })).body
    .tweets;
  expect(
    community.filter((tweet: { created_at: string }) => Date.parse(tweet.created_at) > START_MS)
      .length,
  ).toBeGreaterThanOrEqual(2);
  const gained = (await get("new-followers-7d?username=acme")).body.users.filter(
    (user: { followerDate: string }) => Date.parse(user.followerDate) > START_MS,
  );
  expect(gained.length).toBeGreaterThanOrEqual(5);
  expect(gained.some((user: { followers_count: number }) => user.followers_count >= 10_000)).toBe(
    true,
  );
  expect(scores.some((score) => score.week_delta < 25 && score.month_delta > -60)).toBe(true);
  expect(scores.some((score) => score.week_delta >= 25)).toBe(true);
  expect(scores.some((score) => score.month_delta <= -60)).toBe(true);
});

test("goes on from its first turn with new people, and ends when it is stopped", async () => {
  const { get, clock, order } = await openSandbox({ accounts: 200, traps: false });
  const followers = async () => (await get("info?username=acme")).body.followers_count as number;
  const before = await followers();
  const { stop } = playScenario(SCENARIO, { order }, clock);
  await clock.advance(60_500);
  const after = await followers();
  expect(after - before).toBeGreaterThanOrEqual(20);
  stop();
  await clock.advance(60_000);
  expect((await followers()) - after).toBeLessThan(5);
});

test("plays the next turn of all tracks at once when it is finished, and nothing after it", async () => {
  const { clock } = await openSandbox({ accounts: 200, traps: false });
  const asked: string[] = [];
  const order = (what: string) => {
    asked.push(what);
    return null;
  };
  playScenario(SCENARIO, { order }, clock).finish();
  expect(new Set(asked)).toEqual(new Set(["tweets", "accounts", "follows", "scores"]));
  const { length } = asked;
  await clock.advance(60_000);
  expect(asked).toHaveLength(length);
});

test("stops at an order that the sandbox does not know", async () => {
  const { order } = await openSandbox();
  expect(() => order("tweets", { usrname: "alice" })).toThrow("the sandbox refuses tweets: ");
});
