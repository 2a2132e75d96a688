import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createSearchWorld, type SearchWorldOptions } from "../support/search-world.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const DAY = 86_400_000;
const HOUR = 3_600_000;
const WORDS = [
  "acme",
  "bolt",
  "crane",
  "delta",
  "ember",
  "flint",
  "grove",
  "heron",
  "index",
  "jolt",
];
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

interface SetupOptions extends SearchWorldOptions {
  readonly queries?: readonly string[];
  readonly changes?: WatchChanges;
  readonly fail?: (request: UpstreamRequest) => void;
}

const search = (query: string, changes: WatchChanges = {}): Watch =>
  makeWatch(query, "search", { query }, changes);

/**
 * Sets up one watch for each query, polled once a minute, with an old tweet for each. Ids of
 * watches are their queries.
 */
async function setup({ queries = WORDS, changes = {}, fail, ...options }: SetupOptions = {}) {
  const clock = createVirtualClock(START);
  const world = createSearchWorld(options);
  for (const [index, word] of WORDS.entries())
    world.post(`old ${word}`, START - (index + 1) * HOUR);
  const calls: { readonly query: string; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push({ query: textOf(request), atMs: clock.now() });
      await sleep(clock, 40);
      fail?.(request);
      return world.answer(request, clock.now());
    },
  };
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: queries.map((query) => search(query, changes)),
  });
  harnesses.push(harness);
  const callsSince = (sinceMs: number) => calls.filter(({ atMs }) => atMs >= sinceMs);
  const alerted = async () =>
    (await harness.events()).map(({ watch, subject }) => `${watch} ${subject}`).sort();
  await clock.advance(90_000);
  return { clock, world, harness, calls, callsSince, alerted };
}

const textOf = ({ params }: UpstreamRequest): string =>
  typeof params["query"] === "string" ? params["query"] : "";
const isMerged = ({ query }: { readonly query: string }) => query.includes(" OR ");

describe("plain searches of one schedule", () => {
  it("cost a fraction of single ones: ten a minute, over hours with their verification reads", async () => {
    const { clock, world, callsSince, alerted } = await setup();
    const sinceMs = clock.now();
    const posts = WORDS.flatMap((word, index) =>
      Array.from({ length: 2 }, (_, i) => world.post(word, sinceMs + (i + 0.5) * HOUR + index)),
    );
    await clock.advance(2 * HOUR);
    expect(await alerted()).toEqual(
      posts.map(({ tweet }) => `${tweet.full_text} ${tweet.id}`).sort(),
    );
    const single = 10 * 2 * 60;
    expect(callsSince(sinceMs).length).toBeLessThan(single / 5);
  });

  it("are one request a minute while nobody is due for a verification read", async () => {
    const { clock, callsSince } = await setup({ changes: { fullPollEveryMs: 10 * HOUR } });
    const sinceMs = clock.now();
    await clock.advance(10 * MIN);
    expect(callsSince(sinceMs).filter(isMerged)).toHaveLength(10);
    expect(callsSince(sinceMs).length).toBeLessThanOrEqual(12);
  });

  it("give a tweet to everyone whose query it matches, by text, name and handle, once each", async () => {
    const { clock, world, alerted } = await setup();
    const { id } = world.post("acme and bolt", clock.now() + 1_000, {
      handle: "crane",
      name: "Delta Works",
    }).tweet;
    await clock.advance(10 * MIN);
    expect(await alerted()).toEqual(
      ["acme", "bolt", "crane", "delta"].map((word) => `${word} ${id}`),
    );
  });

  it("are read on at once after a clock that was ahead is set back", async () => {
    const { clock, world, alerted } = await setup();
    await clock.advance(5 * MIN);
    clock.jump(-HOUR / 2);
    const { id } = world.post("acme", clock.now() + 1_000).tweet;
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual([`acme ${id}`]);
  });

  it("are asked one by one where the user says so", async () => {
    const { clock, callsSince } = await setup({ changes: { strategy: "single" } });
    const sinceMs = clock.now();
    await clock.advance(5 * MIN);
    expect(callsSince(sinceMs)).toHaveLength(50);
    expect(callsSince(sinceMs).some(isMerged)).toBe(false);
  });

  it("leave out queries whose meaning the service may see otherwise", async () => {
    const queries = ["acme", "bolt", "crane delta OR ember", "flint lang:en", "near:berlin"];
    const { clock, callsSince } = await setup({ queries });
    const sinceMs = clock.now();
    await clock.advance(MIN);
    const asked = callsSince(sinceMs)
      .map(({ query }) => query.replace(/ since_time:\d+/, ""))
      .sort();
    expect(asked).toEqual([
      "((acme OR bolt))",
      "(crane delta OR ember)",
      "(flint lang:en)",
      "(near:berlin)",
    ]);
  });
});

describe("a service that reads a query otherwise", () => {
  it("is found out by a tweet that is nobody's: all are read singly at once, and who shows it for a day", async () => {
    const { clock, world, callsSince, alerted, harness } = await setup();
    const { id } = world.post("no word of theirs", clock.now() + 1_000, { card: "acme" }).tweet;
    await clock.advance(2 * MIN);
    expect(await alerted()).toEqual([`acme ${id}`]);
    await harness.restart();
    const sinceMs = clock.now();
    const second = world.post("again none", clock.now() + 1_000, { card: "acme" }).tweet;
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([`acme ${id}`, `acme ${second.id}`].sort());
    const merged = callsSince(sinceMs).filter(isMerged);
    expect(merged.length).toBeGreaterThan(3);
    expect(merged.some(({ query }) => query.includes("acme"))).toBe(false);
  });

  it("is found out by the verification read where merged reads show less, and that search is read by itself for a day", async () => {
    const { clock, world, alerted, harness, callsSince } = await setup({
      shyWords: ["delta"],
      changes: { fullPollEveryMs: HOUR },
    });
    const posts = Array.from({ length: 8 }, (_, i) =>
      world.post("delta", clock.now() + 10 * i * MIN + 1_000),
    );
    await clock.advance(2.5 * HOUR);
    const found = posts.map(({ tweet }) => `delta ${tweet.id}`).sort();
    expect(await alerted()).toEqual(found);
    await harness.restart();
    const sinceMs = clock.now();
    const second = world.post("delta two", clock.now() + 1_000).tweet;
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual([...found, `delta ${second.id}`].sort());
    expect(
      callsSince(sinceMs)
        .filter(isMerged)
        .some(({ query }) => query.includes("delta")),
    ).toBe(false);
  });

  it("is trusted again after a day, and after two days when it shows again", async () => {
    const changes: WatchChanges = {
      schedule: { kind: "every", intervalMs: 30 * MIN },
      fullPollEveryMs: HOUR,
    };
    const { clock, world, alerted, callsSince } = await setup({
      queries: WORDS.slice(0, 4),
      shyWords: ["delta"],
      changes,
    });
    const posts: string[] = [];
    const post = () => posts.push(`delta ${world.post("delta", clock.now() + 1_000).tweet.id}`);
    const isShared = async (hours: number) => {
      const sinceMs = clock.now();
      await clock.advance(hours * HOUR);
      return callsSince(sinceMs)
        .filter(isMerged)
        .some(({ query }) => query.includes("delta"));
    };
    post();
    await clock.advance(3 * HOUR);
    expect(await isShared(20)).toBe(false);
    expect(await isShared(4)).toBe(true);
    post();
    await clock.advance(3 * HOUR);
    expect(await isShared(44)).toBe(false);
    expect(await isShared(4)).toBe(true);
    expect(await alerted()).toEqual(posts.sort());
  });

  it("is asked for ever more seldom where unattributed results keep coming that nobody's own search shows, and as before once they end", async () => {
    const { clock, world, callsSince } = await setup({
      queries: WORDS.slice(0, 4),
      changes: { schedule: { kind: "every", intervalMs: 10 * MIN } },
    });
    // The world has a tweet that only the merged query finds.
    const answer = world.answer.bind(world);
    let isOdd = true;
    Object.assign(world, {
      answer(request: UpstreamRequest, nowMs: number) {
        const given = answer(request, nowMs);
        if (!isOdd || !JSON.stringify(request.params).includes(" OR ")) return given;
        return {
          ...given,
          tweets: [{ ...world.post("nothing at all", clock.now()).tweet }, ...(given.tweets ?? [])],
        };
      },
    });
    const mergedIn = async (ms: number) => {
      const sinceMs = clock.now();
      await clock.advance(ms);
      return callsSince(sinceMs).filter(isMerged).length;
    };
    expect(await mergedIn(2 * HOUR)).toBeGreaterThan(3);
    expect(await mergedIn(DAY)).toBeLessThan(5);
    isOdd = false;
    await clock.advance(DAY);
    expect(await mergedIn(2 * HOUR)).toBeGreaterThanOrEqual(11);
  });
});

describe("a merged search", () => {
  it("learns from a refusal how long it may be, and keeps it over a restart", async () => {
    const { clock, world, harness, callsSince, alerted } = await setup({ longestQuery: 70 });
    await clock.advance(5 * MIN);
    const longest = (sinceMs: number) =>
      Math.max(...callsSince(sinceMs).map(({ query }) => query.length));
    const sinceMs = clock.now();
    const posts = WORDS.map((word, index) => world.post(word, clock.now() + 1_000 + index));
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual(
      posts.map(({ tweet }) => `${tweet.full_text} ${tweet.id}`).sort(),
    );
    expect(longest(sinceMs)).toBeLessThanOrEqual(70);
    expect(callsSince(sinceMs).some(isMerged)).toBe(true);
    await harness.restart();
    const laterMs = clock.now();
    await clock.advance(3 * MIN);
    expect(longest(laterMs)).toBeLessThanOrEqual(70);
  });

  it("keeps its length where one search is refused by itself too", async () => {
    const { clock, callsSince } = await setup({
      fail: ({ params }) => {
        if (JSON.stringify(params).includes("bolt")) throw failure("bad_request");
      },
    });
    const sinceMs = clock.now();
    await clock.advance(5 * MIN);
    const merged = callsSince(sinceMs).filter(isMerged);
    expect(merged.length).toBeGreaterThan(3);
    for (const word of WORDS.filter((one) => one !== "bolt"))
      expect(merged.at(-1)?.query).toContain(word);
  });

  it("finds late tweets by its rescans, while others have news all the time", async () => {
    const { clock, world, alerted } = await setup({ changes: { fullPollEveryMs: 10 * HOUR } });
    const late = world.post("flint", clock.now() + 1_000, { lagMs: 14 * MIN }).tweet;
    const chatter = Array.from(
      { length: 40 },
      (_, i) => world.post(i % 2 === 0 ? "acme" : "flint", clock.now() + i * MIN + 2_000).tweet,
    );
    await clock.advance(45 * MIN);
    expect(await alerted()).toEqual(
      [`flint ${late.id}`, ...chatter.map(({ full_text, id }) => `${full_text} ${id}`)].sort(),
    );
  });

  it("rescans for all who share it at once, whenever each was verified", async () => {
    const { clock, world, callsSince, alerted } = await setup({
      changes: { fullPollEveryMs: HOUR },
    });
    const fromMs = clock.now();
    const chatter = Array.from(
      { length: 360 },
      (_, i) => world.post(WORDS[i % WORDS.length] as string, fromMs + i * 30_000).tweet,
    );
    await clock.advance(2 * HOUR);
    const sinceMs = clock.now();
    await clock.advance(HOUR);
    const merged = callsSince(sinceMs).filter(isMerged);
    const depth = ({ query, atMs }: { readonly query: string; readonly atMs: number }) =>
      atMs - Number(/since_time:(\d+)/.exec(query)?.[1]) * 1_000;
    const rescans = new Set(
      merged.filter((call) => depth(call) > 10 * MIN).map(({ atMs }) => Math.floor(atMs / 10_000)),
    );
    expect(rescans.size).toBeLessThanOrEqual(5);
    expect(merged.length).toBeLessThan(110);
    await clock.advance(2 * MIN);
    expect(await alerted()).toEqual(
      chatter.map(({ full_text, id }) => `${full_text} ${id}`).sort(),
    );
  });

  it("that does not come to its end reports nothing: each is read by itself, and a burst arrives whole", async () => {
    const { clock, world, alerted } = await setup({ queries: WORDS.slice(0, 3) });
    const burst = Array.from(
      { length: 900 },
      (_, i) => world.post(WORDS[i % 2] as string, clock.now() + 1_000 + i * 10).tweet,
    );
    await clock.advance(15 * MIN);
    expect(await alerted()).toEqual(burst.map(({ full_text, id }) => `${full_text} ${id}`).sort());
  });

  it("leaves a busy search to itself", async () => {
    const { clock, world, callsSince } = await setup();
    const fromMs = clock.now();
    for (let i = 0; i < 1_750; i += 1) world.post("acme", fromMs + i * 3_000);
    await clock.advance(70 * MIN);
    const sinceMs = clock.now();
    await clock.advance(12 * MIN);
    const merged = callsSince(sinceMs).filter(isMerged);
    expect(merged.length).toBeGreaterThan(9);
    expect(merged.some(({ query }) => query.includes("acme"))).toBe(false);
  });

  it("begins with a read of each, and gives a search that is added its own", async () => {
    const { clock, world, harness, alerted } = await setup({ queries: WORDS.slice(0, 4) });
    world.post("ember", clock.now());
    await harness.setWatches([...WORDS.slice(0, 4), "ember"].map((query) => search(query)));
    await clock.advance(10_000);
    const { id } = world.post("ember", clock.now() + 1_000).tweet;
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual([`ember ${id}`]);
  });

  it("reads a paused search by itself when it goes on, back to when it was paused", async () => {
    const { clock, world, harness, alerted, callsSince } = await setup();
    await harness.pause("heron", true);
    const { id } = world.post("heron", clock.now() + MIN).tweet;
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([]);
    const sinceMs = clock.now();
    await harness.pause("heron", false);
    await clock.advance(2 * MIN);
    expect(await alerted()).toEqual([`heron ${id}`]);
    expect(callsSince(sinceMs).filter(({ query }) => query.startsWith("(heron)"))).toHaveLength(1);
  });
});
