/**
 * Tests that a number which an answer leaves out is unknown. If it were taken for 0 it would cross
 * the threshold back, and the next answer would raise an alert.
 */
import { expect, it } from "vitest";
import { startWatchFixture, type FixtureSettings } from "./watch-fixture.ts";

const CASES: readonly (readonly [type: string, settings: FixtureSettings])[] = [
  ["followers_stats", { accounts: ["acme"], when: { followers_count: ">= 1" } }],
  ["score_delta", { accounts: ["acme"], when: { week_delta: ">= -100000" } }],
  ["community_info", { community: "1493446837214187523", when: { member_count: ">= 1" } }],
];

it.each(CASES)("%s raises no alert after an answer without numbers", async (type, settings) => {
  const fixture = await startWatchFixture(type, settings);
  fixture.control("POST", "faults", { name: "missing_array", times: 1 });
  await fixture.minutes(4);
  expect(await fixture.alerts()).toEqual([]);
});

it("article raises no alert after an answer without numbers", async () => {
  const fixture = await startWatchFixture("article", (control) => {
    const { ids } = control("POST", "tweets", { username: "acme", text: "an article" });
    const [tweet] = ids as readonly [string];
    control("POST", "articles", {
      tweet_id: tweet,
      full_text: "text",
      views: 500,
      favorite_count: 20,
    });
    return { tweet, when: { views: ">= 100" } };
  });
  fixture.control("POST", "faults", { name: "missing_array", times: 1 });
  await fixture.minutes(4);
  expect(await fixture.alerts()).toEqual([]);
});
