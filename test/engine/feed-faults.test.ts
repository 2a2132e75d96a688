import { afterEach, expect, it } from "vitest";
import { tweetIdAt } from "../../src/model/id.ts";
import type { UpstreamAnswer } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeTweet, makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

async function setup(watch: Watch, accounts = [makeUser("7", "alice")]) {
  const clock = createVirtualClock(START);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  for (let i = 1; i <= 30; i += 1) world.post(START - i * HOUR);
  const upstream = createScriptedUpstream(clock, accounts);
  for (const endpoint of ["search-tweets", "user-tweets", "community-tweets"]) {
    upstream.on(endpoint, (request, nowMs) => world.answer(request, nowMs));
  }
  harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  await clock.advance(5 * SECOND);
  return { clock, world, upstream, harness };
}

const search = (changes: WatchChanges = {}) => makeWatch("w", "search", { query: "acme" }, changes);
const timeline = (changes: WatchChanges = {}) =>
  makeWatch("w", "timeline", { accounts: ["alice"] }, changes);
const subjects = async (from: EngineHarness) =>
  (await from.events()).map(({ subject }) => subject).reverse();
const isoOf = (ms: number) => new Date(ms).toISOString();
const tweetAt = (ms: number, n: number, createdAt = isoOf(ms)) => ({
  ...makeTweet((BigInt(tweetIdAt(ms)) + BigInt(n)).toString()),
  created_at: createdAt,
});

/** Answers later polls with these pages. The cursor counts them. */
const pages =
  (
    all: readonly (readonly ReturnType<typeof makeTweet>[])[],
    cursors: readonly (string | undefined)[],
  ) =>
  ({ cursor }: { readonly cursor?: string | undefined }): UpstreamAnswer => {
    const at = cursor === undefined ? 0 : cursors.indexOf(cursor) + 1;
    const next = cursors[at];
    return { tweets: all[at] ?? [], ...(next === undefined ? {} : { nextCursor: next }) };
  };

it("fault 18: an item twice on a page and again on the next is one event", async () => {
  const { clock, upstream, harness } = await setup(search());
  const [a, b, old] = [
    tweetAt(START + 20_000, 1),
    tweetAt(START + 21_000, 2),
    tweetAt(START - 2 * HOUR, 3),
  ];
  upstream.on(
    "search-tweets",
    pages(
      [
        [b, b, a],
        [b, a, old],
      ],
      ["c1"],
    ),
  );
  await clock.advanceTo(START + 3 * MINUTE);
  expect(await subjects(harness)).toEqual([a.id, b.id]);
});

it("fault 19: cursors that lead in a circle end the poll, and what came before is reported", async () => {
  const { clock, upstream, harness } = await setup(search());
  const [a, b, c] = [
    tweetAt(START + 20_000, 1),
    tweetAt(START + 21_000, 2),
    tweetAt(START + 22_000, 3),
  ];
  upstream.on("search-tweets", ({ cursor }) => {
    if (cursor === undefined) return { tweets: [c], nextCursor: "A" };
    return cursor === "A" ? { tweets: [b], nextCursor: "B" } : { tweets: [a], nextCursor: "A" };
  });
  const before = upstream.calls.length;
  await clock.advanceTo(START + 70 * SECOND);
  expect(await subjects(harness)).toEqual([a.id, b.id, c.id]);
  expect(upstream.calls.length - before).toBeLessThan(12);
});

it("fault 20: empty pages with a cursor do not end the poll", async () => {
  const { clock, upstream, harness } = await setup(search());
  const [a, b] = [tweetAt(START + 20_000, 1), tweetAt(START + 21_000, 2)];
  upstream.on(
    "search-tweets",
    pages(
      [[], [b, tweetAt(START + 20_500, 9)], [], [a, tweetAt(START - 2 * HOUR, 3)]],
      ["c1", "c2", "c3"],
    ),
  );
  await clock.advanceTo(START + 70 * SECOND);
  expect(await subjects(harness)).toContain(a.id);
});

it("fault 21: a page of three is not the last one while it has a cursor", async () => {
  const { clock, upstream, harness } = await setup(search());
  const news = Array.from({ length: 9 }, (_, i) => tweetAt(START + 20_000 + i * 100, i)).reverse();
  upstream.on(
    "search-tweets",
    pages([news.slice(0, 3), news.slice(3, 6), news.slice(6)], ["c1", "c2"]),
  );
  await clock.advanceTo(START + 70 * SECOND);
  expect((await subjects(harness)).length).toBe(9);
});

it("fault 22: a cursor that expired mid-paging restarts the poll from the top, once", async () => {
  const { clock, world, upstream, harness } = await setup(timeline());
  const news = Array.from({ length: 50 }, (_, i) => world.post(START + 20_000 + i * 100));
  let refusals = 1;
  upstream.trouble = ({ cursor }) => {
    if (cursor !== undefined && refusals-- > 0)
      throw failure("bad_request", "next_cursor has expired");
    return undefined;
  };
  await clock.advanceTo(START + 75 * SECOND);
  expect((await subjects(harness)).length).toBe(news.length);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("ok");
});

it("fault 22: cursors that are refused for a while never blame the watch, and everything arrives when they are taken again", async () => {
  const { clock, world, upstream, harness } = await setup(search());
  const news = Array.from({ length: 50 }, (_, i) => world.post(START + 20_000 + i * 100));
  upstream.trouble = ({ cursor }, nowMs) => {
    if (cursor !== undefined && nowMs < START + 10 * MINUTE)
      throw failure("bad_request", "next_cursor has expired");
    return undefined;
  };
  await clock.advanceTo(START + 5 * MINUTE);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("ok");
  await clock.advanceTo(START + 15 * MINUTE);
  expect((await subjects(harness)).length).toBe(news.length);
  expect(harness.opsAlerts).toEqual([]);
});

it("fault 23: an old pinned tweet on top is neither reported again nor taken for the end", async () => {
  const { clock, upstream, harness } = await setup(timeline());
  const pinned = tweetAt(START - 400 * HOUR, 7);
  const news = Array.from({ length: 30 }, (_, i) => tweetAt(START + 20_000 + i * 100, i)).reverse();
  const old = tweetAt(START - 2 * HOUR, 8);
  upstream.on(
    "user-tweets",
    pages(
      [
        [pinned, ...news.slice(0, 10)],
        [pinned, ...news.slice(10, 20)],
        [pinned, ...news.slice(20), old],
      ],
      ["c1", "c2"],
    ),
  );
  await clock.advanceTo(START + 4 * MINUTE);
  expect(await subjects(harness)).toEqual(news.map(({ id }) => id).reverse());
});

it("fault 24: items that arrive while paging are neither lost nor reported twice", async () => {
  const { clock, world, upstream, harness } = await setup(timeline());
  const news = Array.from({ length: 45 }, (_, i) => world.post(START + 20_000 + i * 100));
  upstream.trouble = ({ cursor }, nowMs) => {
    if (cursor !== undefined && news.length < 60) news.push(world.post(nowMs - 10));
    return undefined;
  };
  await clock.advanceTo(START + 5 * MINUTE);
  const alerted = await subjects(harness);
  expect([...alerted].sort()).toEqual(news.map(({ id }) => id).sort());
});

it("fault 25: an item that becomes visible a quarter of an hour late is reported once", async () => {
  for (const watch of [search(), timeline()]) {
    const { clock, world, harness: own } = await setup(watch);
    const late = world.post(START + 2 * MINUTE, 14 * MINUTE);
    for (let i = 0; i < 40; i += 1) world.post(START + 3 * MINUTE + i * 20 * SECOND);
    await clock.advanceTo(START + 40 * MINUTE);
    expect((await subjects(own)).filter((id) => id === late.id)).toEqual([late.id]);
    await own.close();
  }
  harness = undefined;
});

it("fault 26: an item deleted and restored is reported once", async () => {
  const { clock, world, harness } = await setup(search());
  const tweet = world.post(START + 30 * SECOND);
  world.hide(tweet.id, START + 3 * MINUTE, START + 9 * MINUTE);
  await clock.advanceTo(START + 20 * MINUTE);
  expect(await subjects(harness)).toEqual([tweet.id]);
});

it("fault 27: a renamed account is followed by its id, and nothing is reported again", async () => {
  const { clock, world, upstream, harness } = await setup(timeline());
  const first = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 2 * MINUTE);
  const renamed = { ...makeUser("7", "alice_2") };
  upstream.on("info-batch", () => ({ users: [renamed] }));
  const second = world.post(START + 3 * MINUTE, 0, { user: renamed });
  await clock.advanceTo(START + 5 * MINUTE);
  await harness.restart();
  await clock.advance(2 * MINUTE);
  expect(await subjects(harness)).toEqual([first.id, second.id]);
  expect(upstream.callsOf("user-tweets").every(({ params }) => params["user_id"] === "7")).toBe(
    true,
  );
  expect((await harness.events()).map(({ labels }) => labels["target"])).toEqual([
    "alice",
    "alice",
  ]);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: @alice was renamed to @alice_2 and is followed by its id",
  ]);
});

it("fault 28: a handle that another account took over is reported, and that account is not followed", async () => {
  const { clock, world, upstream, harness } = await setup(timeline());
  const first = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 2 * MINUTE);
  const renamed = makeUser("7", "alice_2");
  upstream.on("info-batch", ({ params }) => ({
    users: params["usernames"] === undefined ? [renamed] : [makeUser("8", "alice")],
  }));
  const second = world.post(START + 3 * MINUTE, 0, { user: renamed });
  await clock.advanceTo(START + 5 * MINUTE);
  await harness.restart();
  await clock.advance(10 * MINUTE);
  expect(await subjects(harness)).toEqual([first.id, second.id]);
  expect(upstream.callsOf("user-tweets").every(({ params }) => params["user_id"] === "7")).toBe(
    true,
  );
  expect(harness.opsAlerts.map(({ type, message }) => `${type} ${message}`)).toEqual([
    "target.renamed w: @alice was renamed to @alice_2 and is followed by its id; @alice now belongs to another account, which is not followed",
  ]);
});

it("fault 34: ids beyond 2^53 that differ in their last digit are different items", async () => {
  const { clock, upstream, harness } = await setup(search());
  const base = BigInt(tweetIdAt(START + 20_000));
  const twins = [1n, 2n, 3n].map((n) => ({
    ...makeTweet((base + n).toString()),
    created_at: isoOf(START + 20_000),
  }));
  expect(new Set(twins.map(({ id }) => Number(id))).size).toBe(1);
  upstream.on("search-tweets", pages([[...twins].reverse()], []));
  await clock.advanceTo(START + 3 * MINUTE);
  expect(await subjects(harness)).toEqual(twins.map(({ id }) => id));
});

it("fault 35: dates in the future or that nobody can read do not hide an item", async () => {
  const { clock, upstream, harness } = await setup(search());
  const future = tweetAt(START + 20_000, 1, isoOf(START + 500 * HOUR));
  const unreadable = tweetAt(START + 21_000, 2, "");
  upstream.on("search-tweets", pages([[unreadable, future, tweetAt(START - 2 * HOUR, 3)]], []));
  await clock.advanceTo(START + 2 * MINUTE);
  expect((await subjects(harness)).sort()).toEqual([future.id, unreadable.id].sort());
  const after = tweetAt(START + 3 * MINUTE, 4);
  upstream.on("search-tweets", pages([[after, unreadable, future]], []));
  await clock.advanceTo(START + 5 * MINUTE);
  expect(await subjects(harness)).toContain(after.id);
});

it.each([-5 * HOUR, 7 * HOUR])(
  "fault 36: a service whose clock is %i ms off changes nothing",
  async (skewMs) => {
    const clock = createVirtualClock(START);
    const world = createFeedWorld({ random: createSeededRandom(1) });
    for (let i = 1; i <= 30; i += 1) world.post(START + skewMs - i * HOUR);
    const upstream = createScriptedUpstream(clock);
    upstream.on("search-tweets", (request, nowMs) => ({
      ...world.answer(request, nowMs + skewMs),
      serviceTimeMs: Math.floor((nowMs + skewMs) / 1_000) * 1_000,
    }));
    const news = [30, 90, 200].map((second) => world.post(START + skewMs + second * SECOND));
    harness = await startEngineHarness({
      clock,
      upstream,
      watches: [search({ maxAgeMs: 2 * HOUR })],
    });
    await clock.advance(10 * MINUTE);
    expect(await subjects(harness)).toEqual(news.map(({ id }) => id));
    // A poll that finds less than a page of news costs one request.
    expect(upstream.calls.length).toBe(harness.polled.length);
  },
);

it("fault 40: an outage longer than max_age is caught up whole, a few pages at a time", async () => {
  const { clock, world, upstream, harness } = await setup(search({ maxAgeMs: HOUR, maxPages: 3 }));
  await clock.advanceTo(START + 3 * MINUTE);
  const news = Array.from({ length: 600 }, (_, i) =>
    world.post(START + 4 * MINUTE + i * 15 * SECOND),
  );
  upstream.trouble = (_, nowMs) => {
    if (nowMs < START + 3 * HOUR) throw failure("transient");
    return undefined;
  };
  await clock.advanceTo(START + 170 * MINUTE);
  const waited = upstream.calls.length;
  expect(waited).toBeLessThan(100);
  await clock.advanceTo(START + 200 * MINUTE);
  const alerted = await subjects(harness);
  expect([...alerted].sort()).toEqual(news.map(({ id }) => id).sort());
  // Each poll reads only a few of the 30 pages.
  expect(
    harness.polled
      .filter(({ outcome }) => (outcome?.events ?? 0) > 0)
      .every(({ outcome }) => (outcome?.events ?? 0) <= 140),
  ).toBe(true);
  expect(harness.opsAlerts.filter(({ type }) => type === "watch.gap")).toEqual([]);
});

it("does not send what is older than max_age when it comes to light, and says how many", async () => {
  const { clock, world, harness } = await setup(
    search({
      maxAgeMs: HOUR,
      overlapMs: 4 * HOUR,
      schedule: { kind: "every", intervalMs: 10 * MINUTE },
    }),
  );
  const late = Array.from({ length: 5 }, (_, i) => world.post(START + MINUTE + i, 3 * HOUR));
  await clock.advanceTo(START + 9 * HOUR);
  expect(await subjects(harness)).toEqual([]);
  const verdicts = await harness.store.explainItem(late[0]?.id ?? "");
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["too_old"]);
  expect(harness.opsAlerts.map(({ type, facts }) => [type, facts?.["items"]])).toEqual([
    ["watch.gap", 5],
  ]);
});

it("reports a first run's latest three, and never the rest", async () => {
  const { clock, world, harness } = await setup(search({ firstRun: { kind: "latest", count: 3 } }));
  const newest = world.placed.slice(0, 3).map(({ tweet }) => tweet.id);
  expect((await subjects(harness)).sort()).toEqual([...newest].sort());
  const news = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 3 * MINUTE);
  expect((await subjects(harness)).at(-1)).toBe(news.id);
  expect((await subjects(harness)).length).toBe(4);
});

it.each(["search", "timeline"] as const)(
  "reads back to a first run's since when the %s is already read by another watch",
  async (type) => {
    const first = type === "search" ? search() : timeline();
    const { clock, world, upstream, harness } = await setup(first);
    await clock.advanceTo(START + 10 * MINUTE);
    const second = {
      ...first,
      id: "w2",
      firstRun: { kind: "since", ageMs: 25 * HOUR } as const,
      maxAgeMs: 48 * HOUR,
    };
    await harness.setWatches([first, second]);
    await clock.advance(3 * MINUTE);
    const wanted = world.placed
      .filter(({ timeMs }) => timeMs > START + 10 * MINUTE - 25 * HOUR)
      .map(({ tweet }) => tweet.id);
    const alerted = (await harness.events())
      .filter(({ watch }) => watch === "w2")
      .map(({ subject }) => subject);
    expect([...alerted].sort()).toEqual([...wanted].sort());
    expect((await harness.events()).filter(({ watch }) => watch === "w")).toEqual([]);
    expect(upstream.calls.length).toBeLessThan(25);
  },
);

it.each(["search", "timeline"] as const)(
  "reports to a resumed watch what it missed although another kept polling the %s",
  async (type) => {
    const first = type === "search" ? search() : timeline();
    const second = { ...first, id: "w2" };
    const { clock, world, harness } = await setup(first);
    await harness.setWatches([first, second]);
    await clock.advanceTo(START + 5 * MINUTE);
    await harness.pause("w2", true);
    const news = Array.from({ length: 60 }, (_, i) =>
      world.post(START + 6 * MINUTE + i * 30 * SECOND),
    );
    await clock.advanceTo(START + HOUR);
    expect((await harness.events()).filter(({ watch }) => watch === "w2")).toEqual([]);
    await harness.pause("w2", false);
    await clock.advance(10 * MINUTE);
    for (const id of ["w", "w2"]) {
      const alerted = (await harness.events())
        .filter(({ watch }) => watch === id)
        .map(({ subject }) => subject);
      expect(alerted.sort()).toEqual(news.map((tweet) => tweet.id).sort());
    }
    const [, state] = await harness.store.listWatches();
    expect(state?.targets[0]?.memory["resume_ms"]).toBeUndefined();
  },
);

it("draws no baseline watermark from an empty answer, so that the next one floods nobody", async () => {
  const clock = createVirtualClock(START);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  for (let i = 1; i <= 30; i += 1) world.post(START - i * HOUR);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", (request, nowMs) =>
    nowMs < START + 90 * SECOND ? { tweets: [] } : world.answer(request, nowMs),
  );
  harness = await startEngineHarness({ clock, upstream, watches: [search()] });
  const news = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 20 * MINUTE);
  expect(await subjects(harness)).toEqual([news.id]);
});

it("makes one poll of two handles that are the same account", async () => {
  const watch = makeWatch("w", "timeline", { accounts: ["alice", "id:7"] });
  const { clock, world, upstream, harness } = await setup(watch);
  const news = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 3 * MINUTE);
  expect(harness.engine.polls.length).toBe(1);
  expect(await subjects(harness)).toEqual([news.id]);
  await harness.restart();
  await clock.advance(3 * MINUTE);
  expect(await subjects(harness)).toEqual([news.id]);
  expect(upstream.callsOf("info-batch").length).toBeLessThanOrEqual(2);
});
