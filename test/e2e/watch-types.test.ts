/**
 * Tests watch types against a server that shares nothing but the document with this project: a
 * silent baseline, then exactly one event for each new item. One daemon has a watch for each test.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { RunningDaemon } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import {
  cleanUpAfterwards,
  createFixture,
  type Fixture,
  morePolls,
  noted,
  sorted,
} from "./fixture.ts";

cleanUpAfterwards();

const COMMUNITY = "1493446837214187523";
const FEEDS = [
  {
    type: "search",
    settings: { query: "acme corp" },
    feed: () => "search:acme corp",
    endpoint: "search-tweets",
  },
  {
    type: "timeline",
    settings: { accounts: ["Alice"] },
    feed: (id: string) => `user:${id}`,
    endpoint: "user-tweets",
  },
  {
    type: "community_tweets",
    settings: { community: COMMUNITY },
    feed: () => `community:${COMMUNITY}`,
    endpoint: "community-tweets",
  },
] as const;
const LISTS = [
  { watch: "indexed", endpoint: "new-followers-7d" },
  { watch: "not_indexed", endpoint: "followers" },
] as const;

let fixture: Fixture;
let daemon: RunningDaemon;
const accounts = { alice: "", renamed: "", indexed: "", not_indexed: "", scored: "", unscored: "" };

beforeAll(async () => {
  fixture = await createFixture();
  const { api } = fixture;
  for (const name of Object.keys(accounts) as (keyof typeof accounts)[])
    accounts[name] = api.account(name);
  for (const { feed } of FEEDS) {
    api.post(feed(accounts.alice), 1, { pinned: true, text: "pinned" });
    api.post(feed(accounts.alice), 30);
  }
  api.post(`user:${accounts.renamed}`, 5, { author: accounts.renamed });
  api.score(accounts.indexed, { week_delta: 0, month_delta: 0 });
  api.score(accounts.scored, { week_delta: 3, month_delta: 0 });
  for (const { watch } of LISTS) api.follow(accounts[watch], 120);
  fixture.configure({
    watches: {
      ...Object.fromEntries(
        FEEDS.map(({ type, settings }) => [type, { type, ...settings, ...ALONE[type] }]),
      ),
      ...Object.fromEntries(
        LISTS.map(({ watch }) => [
          watch,
          { type: "new_followers", accounts: [watch], ...ALONE.new_followers },
        ]),
      ),
      score: {
        type: "score_delta",
        accounts: ["scored", "unscored"],
        when: { week_delta: ">= 25" },
      },
      followed: { type: "timeline", accounts: ["https://x.com/renamed"], ...ALONE.timeline },
    },
  });
  daemon = await fixture.start();
});

/**
 * Settings that keep a watch out of a group. Several timelines or lists would otherwise be read as
 * a group.
 */
const ALONE = {
  search: {},
  community_tweets: {},
  timeline: { strategy: "single" },
  new_followers: { strategy: "single" },
} as const;

const eventsOf = (id: string) => fixture.hook.events().filter(({ watch }) => watch === id);
const subjectsOf = (id: string) => sorted(eventsOf(id).map(({ subject }) => subject));

async function expectSilence(watch: string, endpoint: string): Promise<void> {
  await noted(daemon, watch);
  await morePolls(fixture.api, endpoint);
  expect(eventsOf(watch)).toEqual([]);
}

describe.concurrent("watch types over HTTP", () => {
  it.each(FEEDS)(
    "$type: a silent baseline, then every new tweet once, signed",
    async ({ type, feed, endpoint }) => {
      await expectSilence(type, endpoint);
      const { api, hook } = fixture;
      const fresh = [...api.post(feed(accounts.alice), 1), ...api.post(feed(accounts.alice), 24)];
      await until("25 alerts", () => eventsOf(type).length >= fresh.length);
      await morePolls(api, endpoint);
      expect(subjectsOf(type)).toEqual(sorted(fresh));
      expect(hook.messages().every(({ isSigned }) => isSigned)).toBe(true);
      const [event] = eventsOf(type);
      expect(event).toMatchObject({
        type: "tweet.created",
        labels: { type, author: "alice", kind: "post" },
      });
      expect(event?.data.tweet.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(event?.data.tweet.entities).toEqual([]);
    },
  );

  it.each(LISTS)(
    "new_followers: the present ones are noted, each new one reported once ($watch)",
    async ({ watch, endpoint }) => {
      await expectSilence(watch, endpoint);
      const fresh = fixture.api.follow(accounts[watch], 3);
      await until("3 alerts", () => eventsOf(watch).length >= 3);
      expect(subjectsOf(watch)).toEqual(sorted(fresh));
      expect(eventsOf(watch)[0]).toMatchObject({
        type: "follower.added",
        data: { target: { username: watch, id: accounts[watch] } },
      });
    },
  );

  it("score_delta: fires on crossing and only then; an account that is not indexed is a status, not an error", async () => {
    const { api } = fixture;
    await expectSilence("score", "score-changes");
    api.score(accounts.scored, { week_delta: 31, month_delta: 0 });
    await until("an alert", () => eventsOf("score").length > 0);
    await morePolls(api, "score-changes");
    expect(eventsOf("score")).toHaveLength(1);
    expect(eventsOf("score")[0]).toMatchObject({
      type: "score.changed",
      data: {
        user: { username: "scored" },
        score: { week_delta: 31 },
        previous: { week_delta: 3 },
        crossed: ["week_delta"],
      },
    });
    const { watches } = await daemon.status();
    expect(watches.find(({ id }) => id === "score")?.targets).toMatchObject([
      { name: "scored", status: "ok" },
      { name: "unscored", status: "not_indexed" },
    ]);
    expect(
      api.asked.filter(({ endpoint, status }) => endpoint === "score-changes" && status === 404),
    ).toHaveLength(1);
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  });

  it("timeline: follows an account by its id through a rename", async () => {
    const { api } = fixture;
    await expectSilence("followed", "user-tweets");
    api.rename(accounts.renamed, "renamed_since");
    const fresh = api.post(`user:${accounts.renamed}`, 2, { author: accounts.renamed });
    await until("2 alerts", () => eventsOf("followed").length >= 2);
    expect(subjectsOf("followed")).toEqual(sorted(fresh));
    expect(eventsOf("followed")[0]?.labels).toMatchObject({
      target: "https://x.com/renamed",
      author: "renamed_since",
    });
  });
});
