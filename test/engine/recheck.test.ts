import { afterEach, describe, expect, it } from "vitest";
import type { Tweet } from "../../src/model/tweet.ts";
import type { Watch } from "../../src/model/watch.ts";
import {
  type EngineHarness,
  type EngineHarnessOptions,
  startEngineHarness,
} from "../support/engine-harness.ts";
import { makeTweet } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const LIKED = {
  text: "tweet.likes_count >= 100",
  matches: ({ tweet }: { tweet?: Tweet }) => (tweet?.likes_count ?? 0) >= 100,
};

const search = (id: string, changes: WatchChanges = {}) =>
  makeWatch(
    id,
    "search",
    { query: id },
    { recheck: { everyMs: 10 * MINUTE, untilMs: 2 * HOUR }, ...changes },
  );

/** Sets up a world of tweets. The search shows all of them, /tweet-info-bulk the requested ones. */
async function setup(watches: readonly Watch[], quota?: { readonly monthly: number }) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  const tweets = new Map<string, Tweet>();
  let ids = 1_000;
  const post = (changes: Partial<Tweet> = {}) => {
    const id = String(++ids);
    tweets.set(id, {
      ...makeTweet(id),
      created_at: new Date(clock.now()).toISOString(),
      ...changes,
    });
    return id;
  };
  const like = (id: string, likes: number) =>
    tweets.set(id, { ...(tweets.get(id) as Tweet), likes_count: likes });
  upstream.on("search-tweets", () => ({ tweets: [...tweets.values()].reverse().slice(0, 20) }));
  upstream.on("tweet-info-bulk", ({ params }) => ({
    tweets: (params["tweet_links"] as string[]).flatMap((id) => tweets.get(id) ?? []),
  }));
  post({ created_at: new Date(START - HOUR).toISOString() });
  const parts = { clock, upstream, watches };
  const governed = (limit: { readonly monthly: number }): EngineHarnessOptions => ({
    ...parts,
    onExhausted: "degrade",
    isGoverned: true,
    get monthly() {
      return limit.monthly;
    },
  });
  harness = await startEngineHarness(quota === undefined ? parts : governed(quota));
  await clock.advance(2 * MINUTE);
  const alerted = async (from = harness) =>
    ((await from?.events()) ?? [])
      .map(({ type, watch, subject }) => `${type} ${watch} ${subject}`)
      .reverse();
  return {
    clock,
    upstream,
    tweets,
    post,
    like,
    alerted,
    harness,
    rechecks: () => upstream.callsOf("tweet-info-bulk"),
  };
}

it("reports a tweet that where kept back when it becomes true, once, and explains it as reported", async () => {
  const { clock, post, like, alerted, harness } = await setup([search("w", { where: LIKED })]);
  const id = post();
  await clock.advance(15 * MINUTE);
  expect(await alerted()).toEqual([]);
  like(id, 120);
  await clock.advance(10 * MINUTE);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
  expect((await harness.events())[0]?.body.tweet?.likes_count).toBe(120);
  expect((await harness.store.explainItem(id))[0]).toMatchObject({
    verdict: "event",
    deliveries: [{ sink: "out" }],
  });
  like(id, 500);
  await clock.advance(3 * HOUR);
  expect(await alerted()).toHaveLength(1);
});

it("reports the end of a tweet that was reported, once, with the tweet as it was; not of one that was kept back", async () => {
  const { clock, post, tweets, alerted, harness } = await setup([search("w", { where: LIKED })]);
  const [loved, ignored] = [post({ likes_count: 200, full_text: "gone soon" }), post()];
  await clock.advance(5 * MINUTE);
  tweets.delete(loved);
  tweets.delete(ignored);
  post();
  await clock.advance(8 * MINUTE);
  expect(await alerted()).toEqual([`tweet.created w ${loved}`]);
  await clock.advance(3 * HOUR);
  expect(await alerted()).toEqual([`tweet.created w ${loved}`, `tweet.deleted w ${loved}`]);
  const [deleted] = await harness.events();
  expect(deleted?.body.tweet?.full_text).toBe("gone soon");
  expect(deleted?.labels).toMatchObject({
    event: "tweet.deleted",
    author: "alice",
    type: "search",
  });
});

it("reports each text of a tweet that was reported once, with the one before, and no text that an answer shows again", async () => {
  const { clock, post, tweets, alerted, harness } = await setup([search("w")]);
  const id = post({ full_text: "launch at 9" });
  await clock.advance(15 * MINUTE);
  const show = async (full_text: string) => {
    tweets.set(id, { ...(tweets.get(id) as Tweet), full_text });
    await clock.advance(10 * MINUTE);
  };
  await show("launch  at 9 ");
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
  await show("launch at 10");
  await show("launch at 9");
  await show("launch at 10");
  await harness?.crash();
  await harness?.restart();
  await show("");
  await show("launch at 11");
  await show("launch at 10");
  expect(await alerted()).toEqual([
    `tweet.created w ${id}`,
    `tweet.edited w ${id}`,
    `tweet.edited w ${id}`,
  ]);
  const [second, first] = (await harness?.events()) ?? [];
  expect(first?.body).toMatchObject({
    tweet: { full_text: "launch at 10" },
    previous: { full_text: "launch at 9" },
  });
  expect(second?.body).toMatchObject({
    tweet: { full_text: "launch at 11" },
    previous: { full_text: "launch at 10" },
  });
  expect(second?.labels).toMatchObject({ event: "tweet.edited", author: "alice", kind: "post" });
  tweets.delete(id);
  post();
  await clock.advance(30 * MINUTE);
  expect(
    (await harness?.events())?.find(({ type }) => type === "tweet.deleted")?.body.tweet?.full_text,
  ).toBe("launch at 11");
});

it("reports no edit of a tweet that where keeps back: it is reported with the text that it has by then", async () => {
  const { clock, post, like, tweets, alerted, harness } = await setup([
    search("w", { where: LIKED }),
  ]);
  const id = post({ full_text: "first" });
  await clock.advance(5 * MINUTE);
  tweets.set(id, { ...(tweets.get(id) as Tweet), full_text: "second" });
  await clock.advance(10 * MINUTE);
  like(id, 100);
  await clock.advance(30 * MINUTE);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
  expect((await harness?.events())?.[0]?.body.tweet?.full_text).toBe("second");
});

it("asks for a hundred tweets in one request, over all watches and targets, and for nothing after until", async () => {
  const { clock, post, rechecks, upstream } = await setup([
    search("a", { where: LIKED }),
    search("b"),
    search("c", { recheck: { everyMs: 20 * MINUTE, untilMs: HOUR } }),
  ]);
  for (let i = 0; i < 15; i += 1) post();
  await clock.advanceTo(START + 19 * MINUTE);
  expect(rechecks().map(({ params }) => (params["tweet_links"] as string[]).length)).toEqual([15]);
  await clock.advanceTo(START + 21 * MINUTE);
  expect(rechecks()).toHaveLength(2);
  await clock.advanceTo(START + 3 * HOUR);
  // There is a recheck every ten minutes up to two hours after the tweets appeared, whoever else
  // requested them.
  expect(rechecks()).toHaveLength(12);
  expect(upstream.callsOf("search-tweets").length).toBeGreaterThan(0);
});

it("needs two requests for more than a hundred", async () => {
  const { clock, post, rechecks } = await setup([search("w")]);
  for (let i = 0; i < 120; i += 1) {
    post();
    if (i % 20 === 19) await clock.advance(MINUTE);
  }
  await clock.advanceTo(START + 11 * MINUTE);
  expect(rechecks().map(({ params }) => (params["tweet_links"] as string[]).length)).toEqual([
    100, 20,
  ]);
});

it("asks for each tweet once a recheck, however many watches follow it", async () => {
  const watches = Array.from({ length: 6 }, (_, i) =>
    makeWatch(
      `w${i}`,
      "search",
      { query: "same" },
      { recheck: { everyMs: 10 * MINUTE, untilMs: 2 * HOUR } },
    ),
  );
  const { clock, post, rechecks } = await setup(watches);
  for (let i = 0; i < 110; i += 1) {
    post();
    if (i % 15 === 0) await clock.advance(MINUTE);
  }
  await clock.advance(MINUTE);
  const before = rechecks().length;
  await clock.advance(10 * MINUTE);
  const asked = rechecks()
    .slice(before)
    .map(({ params }) => params["tweet_links"] as string[]);
  expect(asked.map(({ length }) => length)).toEqual([100, 10]);
  expect(new Set(asked.flat()).size).toBe(110);
});

it("reports nothing twice and forgets nothing when it crashes at any step of a recheck, or restarts", async () => {
  const { clock, post, like, alerted, harness } = await setup([search("w", { where: LIKED })]);
  const id = post();
  await clock.advance(5 * MINUTE);
  like(id, 150);
  for (let steps = 1; steps < 30; steps += 2) {
    await clock.advanceTo((Math.floor(clock.now() / (10 * MINUTE)) + 1) * 10 * MINUTE - 1);
    if ((await alerted()).length > 0) break;
    harness.killSwitch.killAfter(steps);
    await clock.advance(5_000);
    await harness.crash();
    await clock.advance(100);
  }
  await clock.advance(20 * MINUTE);
  await harness.restart();
  await clock.advance(3 * HOUR);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
});

describe("a daemon that was down when a recheck was due", () => {
  const downFor = async (ms: number) => {
    const world = await setup([search("w", { where: LIKED })]);
    const [liked, other] = [world.post(), world.post()];
    await world.clock.advance(15 * MINUTE);
    world.harness.killSwitch.kill();
    world.like(liked, 100);
    await world.clock.advance(ms);
    const before = world.rechecks().length;
    await world.harness.crash();
    await world.clock.advance(HOUR);
    const asked = world.rechecks().slice(before);
    return {
      ...world,
      liked,
      other,
      asked: asked.map(({ params }) => (params["tweet_links"] as string[]).toSorted()),
    };
  };

  it.each([3 * HOUR, 6 * 24 * HOUR])(
    "makes it once when it is back after %d ms, and lets the tweets go",
    async (ms) => {
      const { alerted, asked, liked, other, like, clock, rechecks } = await downFor(ms);
      expect(asked).toEqual([[liked, other]]);
      expect(await alerted()).toEqual([`tweet.created w ${liked}`]);
      like(other, 100);
      const before = rechecks().length;
      await clock.advance(3 * HOUR);
      expect(rechecks()).toHaveLength(before);
      expect(await alerted()).toHaveLength(1);
    },
  );

  it("lets the tweets go unasked a week after they were fresh", async () => {
    const { alerted, asked, harness, clock } = await downFor(8 * 24 * HOUR);
    expect(asked).toEqual([]);
    expect(await alerted()).toEqual([]);
    expect(await harness.store.dueRechecks(clock.now(), 10)).toEqual([]);
  });

  it("makes no late recheck for a tweet whose last recheck was made", async () => {
    const { clock, post, like, harness, rechecks, alerted } = await setup([
      search("w", { where: LIKED }),
    ]);
    const id = post();
    await clock.advanceTo(START + 2 * HOUR + MINUTE);
    harness.killSwitch.kill();
    like(id, 100);
    await clock.advance(3 * HOUR);
    const before = rechecks().length;
    await harness.crash();
    await clock.advance(HOUR);
    expect(rechecks()).toHaveLength(before);
    expect(await alerted()).toEqual([]);
  });
});

it("makes the recheck that a pause postponed when the watch is resumed, even after until", async () => {
  const { clock, post, like, alerted, harness, rechecks } = await setup([
    search("w", { where: LIKED }),
  ]);
  const id = post();
  await clock.advance(15 * MINUTE);
  await harness.pause("w", true);
  like(id, 100);
  await clock.advance(5 * HOUR);
  await harness.store.prune(clock.now(), 90 * 24 * HOUR, new Set());
  const before = rechecks().length;
  await harness.pause("w", false);
  await clock.advance(HOUR);
  expect(rechecks()).toHaveLength(before + 1);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
});

it("takes an answer without any of several tweets for the service's own trouble", async () => {
  const { clock, post, alerted, upstream } = await setup([search("w")]);
  const before = [post(), post(), post()];
  await clock.advance(2 * MINUTE);
  upstream.on("tweet-info-bulk", () => ({ tweets: [] }));
  await clock.advance(3 * HOUR);
  expect(await alerted()).toEqual(before.map((id) => `tweet.created w ${id}`));
});

it("rechecks again after a failure, and waits while the watch is paused", async () => {
  const { clock, post, like, alerted, harness, upstream, rechecks } = await setup([
    search("w", { where: LIKED }),
  ]);
  const id = post();
  await clock.advance(5 * MINUTE);
  like(id, 150);
  upstream.trouble = ({ endpoint }) => {
    if (endpoint === "tweet-info-bulk") throw failure("transient");
    return undefined;
  };
  await clock.advance(20 * MINUTE);
  expect(await alerted()).toEqual([]);
  await harness.pause("w", true);
  upstream.trouble = undefined;
  const asked = rechecks().length;
  await clock.advance(30 * MINUTE);
  expect(rechecks()).toHaveLength(asked);
  await harness.pause("w", false);
  await clock.advance(2 * MINUTE);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
});

it("does not report what an edited where lets through, nor recheck for a watch that ceased to follow", async () => {
  const { clock, post, alerted, harness, rechecks } = await setup([search("w", { where: LIKED })]);
  post();
  await clock.advance(5 * MINUTE);
  await harness.setWatches([search("w", { where: { text: "true", matches: () => true } })]);
  await clock.advance(10 * MINUTE);
  expect(await alerted()).toEqual([]);
  const id = post();
  await clock.advance(5 * MINUTE);
  const { recheck: _, ...plain } = search("w");
  await harness.setWatches([plain]);
  const asked = rechecks().length;
  await clock.advance(3 * HOUR);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
  expect(rechecks()).toHaveLength(asked);
});

it("rechecks less often while the quota is short", async () => {
  const rechecksWith = async (quota: { readonly monthly: number } | undefined) => {
    const { clock, post, rechecks } = await setup(
      [
        search("w", {
          priority: "low",
          schedule: { kind: "every", intervalMs: 10 * MINUTE },
          recheck: { everyMs: 10 * MINUTE, untilMs: 24 * HOUR },
        }),
      ],
      quota,
    );
    post();
    await clock.advance(6 * HOUR);
    const count = rechecks().length;
    await harness?.close();
    harness = undefined;
    return count;
  };
  expect(await rechecksWith(undefined)).toBe(35);
  expect(await rechecksWith({ monthly: 3_000 })).toBeLessThanOrEqual(14);
});

it("rechecks no more often for tweets that are found all the time while the quota is short", async () => {
  const times = {
    schedule: { kind: "every" as const, intervalMs: 10 * MINUTE },
    recheck: { everyMs: 10 * MINUTE, untilMs: 24 * HOUR },
  };
  const { clock, post, rechecks, upstream } = await setup(
    [search("w", { priority: "low", ...times })],
    { monthly: 2_000 },
  );
  for (let tick = 0; tick < 144; tick += 1) {
    post();
    await clock.advance(10 * MINUTE);
  }
  expect(upstream.callsOf("search-tweets").length).toBeLessThan(40);
  expect(rechecks().length).toBeLessThan(1.2 * upstream.callsOf("search-tweets").length);
  expect(rechecks().length).toBeGreaterThan(8);
});

it.each([
  ["while it runs", async () => undefined],
  ["while it stands", (own: EngineHarness) => own.restart()],
])("rechecks at its own pace at once when the quota is raised %s", async (_, restart) => {
  const quota = { monthly: 600 };
  const times = {
    schedule: { kind: "every" as const, intervalMs: 10 * MINUTE },
    recheck: { everyMs: 10 * MINUTE, untilMs: 24 * HOUR },
  };
  const { clock, post, rechecks, harness } = await setup(
    [search("w", { priority: "low", ...times })],
    quota,
  );
  const id = post();
  const dueWithin = async (ms: number) =>
    (await harness.store.dueRechecks(clock.now() + ms, 10)).map(({ tweetId }) => tweetId);
  await clock.advanceTo(START + 4 * HOUR + MINUTE);
  const before = rechecks().length;
  expect(await dueWithin(HOUR)).toEqual([]);
  expect(await dueWithin(12 * HOUR)).toEqual([id]);
  quota.monthly = 100_000;
  await restart(harness);
  await clock.advance(41 * MINUTE);
  expect(rechecks()).toHaveLength(before + 4);
});

it.each(["bad_request", "forbidden", "not_found"] as const)(
  "pays for no more rechecks than planned while the service answers them with %s, and goes on as soon as it does not",
  async (kind) => {
    const { clock, post, like, alerted, upstream, rechecks } = await setup([
      search("w", { where: LIKED }),
    ]);
    const [liked, other] = [post(), post()];
    upstream.trouble = ({ endpoint }) => {
      if (endpoint === "tweet-info-bulk") throw failure(kind);
      return undefined;
    };
    await clock.advanceTo(START + HOUR);
    expect(rechecks().length).toBeLessThanOrEqual(6);
    upstream.trouble = undefined;
    like(liked, 100);
    await clock.advance(11 * MINUTE);
    expect(await alerted()).toEqual([`tweet.created w ${liked}`]);
    like(other, 100);
    await clock.advance(10 * MINUTE);
    expect(await alerted()).toHaveLength(2);
  },
);

it("takes a 404 of one tweet for an answer without it", async () => {
  const { clock, post, alerted, upstream, rechecks } = await setup([search("w")]);
  const id = post();
  await clock.advance(5 * MINUTE);
  upstream.trouble = ({ endpoint }) => {
    if (endpoint === "tweet-info-bulk") throw failure("not_found");
    return undefined;
  };
  await clock.advance(HOUR);
  expect(await alerted()).toEqual([`tweet.created w ${id}`, `tweet.deleted w ${id}`]);
  expect(rechecks()).toHaveLength(2);
});

it("follows a tweet whose date lies ahead no longer than one of now", async () => {
  const { clock, post, rechecks } = await setup([search("w")]);
  post({ created_at: new Date(START + 1_000 * 24 * HOUR).toISOString() });
  await clock.advance(2 * HOUR + 10 * MINUTE);
  expect(rechecks().length).toBeGreaterThan(10);
  const before = rechecks().length;
  await clock.advance(3 * HOUR);
  expect(rechecks()).toHaveLength(before);
});

it("goes on with its rechecks when the clock is set back", async () => {
  const { clock, post, like, alerted } = await setup([search("w", { where: LIKED })]);
  const id = post();
  await clock.advance(15 * MINUTE);
  clock.jump(-3 * 24 * HOUR);
  like(id, 100);
  await clock.advance(12 * MINUTE);
  expect(await alerted()).toEqual([`tweet.created w ${id}`]);
});

it("counts rechecks for the watches whose tweets they are about, as often as they follow some", async () => {
  const { clock, post, harness } = await setup([
    search("a", {
      where: { text: "tweet.id == '1002'", matches: ({ tweet }) => tweet?.id === "1002" },
      recheck: { everyMs: 10 * MINUTE, untilMs: 2 * HOUR },
    }),
    search("b"),
  ]);
  for (let i = 0; i < 3; i += 1) post();
  await clock.advance(2 * HOUR);
  const { lines } = await harness.store.spentSince(0);
  const spent = lines
    .filter(({ endpoint }) => endpoint === "tweet-info-bulk")
    .map(({ watch, requests }) => [watch, requests]);
  expect(Object.fromEntries(spent)).toEqual({ a: 6, b: 6 });
});
