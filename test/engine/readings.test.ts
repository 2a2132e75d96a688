/**
 * Tests the edge cases of reading values: batches, absence, flapping, answers without information;
 * over crashes, restarts and conflicts.
 */
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Store } from "../../src/model/store.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeTweet, makeUser } from "../support/make-event.ts";
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

async function setup(
  watch: Watch,
  accounts: readonly User[] = [makeUser("7", "acme")],
  storeFilter?: (store: Store) => Store,
) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock, accounts);
  const start = async () => {
    harness = await startEngineHarness({
      clock,
      upstream,
      watches: [watch],
      ...(storeFilter === undefined ? {} : { storeFilter }),
    });
    await clock.advance(10_000);
    return harness;
  };
  const alerted = async () =>
    ((await harness?.events()) ?? []).map(({ type, subject }) => `${type} ${subject}`).reverse();
  const poll = () => clock.advance(MINUTE);
  return { clock, upstream, start, alerted, poll };
}

const watchOf = (type: string, settings: JsonObject, changes: WatchChanges = {}) =>
  makeWatch("w", type, settings, changes);

it("reads 150 profiles in two requests, and reports each change for its own account", async () => {
  const people = new Map(
    Array.from({ length: 150 }, (_, i) => [String(1_000 + i), makeUser(String(1_000 + i))]),
  );
  const world = await setup(
    watchOf("profile", { accounts: [...people.keys()].map((id) => `id:${id}`) }),
  );
  world.upstream.on("info-batch", ({ params }) => ({
    users: (params["user_ids"] as string[]).flatMap((id) => people.get(id) ?? []),
  }));
  await world.start();
  const asked = world.upstream.callsOf("info-batch").length;
  for (const id of ["1003", "1149"]) people.set(id, { ...makeUser(id), description: "new" });
  await world.poll();
  await world.poll();
  expect((await world.alerted()).sort()).toEqual(["profile.changed 1003", "profile.changed 1149"]);
  expect(world.upstream.callsOf("info-batch").length - asked).toBe(4);
});

it("asks once about a profile that is missing, and goes on without a word when it is back", async () => {
  let users: readonly User[] = [makeUser("7", "acme"), makeUser("8", "rival")];
  const world = await setup(watchOf("profile", { accounts: ["id:7", "id:8"] }));
  world.upstream.on("info-batch", () => ({ users }));
  world.upstream.on("id-to-username", () => {
    throw failure("not_found");
  });
  const harness = await world.start();
  users = users.slice(0, 1);
  for (let i = 0; i < 5; i += 1) await world.poll();
  expect(harness.opsAlerts.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
    "target.unavailable id:8",
  ]);
  users = [makeUser("7", "acme"), makeUser("8", "rival")];
  await world.poll();
  const [watch] = await harness.store.listWatches();
  expect(watch?.targets.map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(await world.alerted()).toEqual([]);
});

it("reports a name that goes back and forth each time, as facts of their own", async () => {
  let user = makeUser("7", "acme");
  const world = await setup(watchOf("profile", { accounts: ["id:7"] }));
  world.upstream.on("info-batch", () => ({ users: [user] }));
  const harness = await world.start();
  for (const name of ["B", "A", "B"]) {
    user = { ...user, display_name: name };
    await world.poll();
  }
  const events = await harness.events();
  expect(
    events.map(({ body }) => [
      (body["previous"] as JsonObject)["display_name"],
      body.user?.display_name,
    ]),
  ).toEqual([
    ["A", "B"],
    ["B", "A"],
    ["ACME", "B"],
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
});

const statuses = async ({ store }: EngineHarness) =>
  (await store.listWatches()).flatMap(({ targets }) => targets.map(({ status }) => status));

const deletable = () => watchOf("tweet", { tweets: ["100", "200"] });

it("reports a tweet gone after two answers without it, over a restart, and again only when it was back in between", async () => {
  let tweets = [makeTweet("100"), makeTweet("200")];
  const world = await setup(deletable());
  world.upstream.on("tweet-info-bulk", () => ({ tweets }));
  const harness = await world.start();
  tweets = [makeTweet("200")];
  await world.poll();
  expect(await world.alerted()).toEqual([]);
  await harness.restart();
  await world.poll();
  await world.poll();
  expect(await world.alerted()).toEqual(["tweet.deleted 100"]);
  expect(await statuses(harness)).toEqual(["gone", "ok"]);
  tweets = [makeTweet("100"), makeTweet("200")];
  await world.poll();
  expect(await statuses(harness)).toEqual(["ok", "ok"]);
  tweets = [makeTweet("200")];
  await world.poll();
  tweets = [makeTweet("100"), makeTweet("200")];
  await world.poll();
  expect(await world.alerted()).toEqual(["tweet.deleted 100"]);
});

it("calls a tweet gone, and no trouble, where its end is not reported", async () => {
  let tweets = [makeTweet("100"), makeTweet("200")];
  const world = await setup(
    watchOf("tweet", {
      tweets: ["100", "200", "300"],
      deleted: false,
      when: { likes_count: ">= 1000" },
    }),
  );
  world.upstream.on("tweet-info-bulk", () => ({ tweets }));
  const harness = await world.start();
  tweets = [makeTweet("200")];
  for (let poll = 0; poll < 3; poll += 1) await world.poll();
  expect(await world.alerted()).toEqual([]);
  // The third account never existed, so somebody should check its id.
  expect(await statuses(harness)).toEqual(["gone", "ok", "unavailable"]);
  expect(harness.opsAlerts).toMatchObject([
    { type: "target.unavailable", facts: { target: "300" } },
  ]);
});

it("takes a failure for no answer: nothing is gone, nothing crossed", async () => {
  const world = await setup(deletable());
  world.upstream.on("tweet-info-bulk", () => ({ tweets: [makeTweet("100"), makeTweet("200")] }));
  await world.start();
  for (const kind of ["transient", "rate_limited", "transient"] as const) {
    world.upstream.trouble = () => {
      throw failure(kind);
    };
    await world.poll();
  }
  world.upstream.trouble = undefined;
  await world.poll();
  expect(await world.alerted()).toEqual([]);
});

it.each([
  ["is empty", () => ({ tweets: [] })],
  [
    "is a 404",
    () => {
      throw failure("not_found");
    },
  ],
])(
  "takes an answer about several tweets that %s for the service's own trouble, for a day",
  async (_, answer) => {
    const all = ["100", "200", "300"].map((id) => makeTweet(id));
    const HALF_HOUR = 30 * MINUTE;
    const every = { schedule: { kind: "every" as const, intervalMs: HALF_HOUR } };
    const world = await setup(watchOf("tweet", { tweets: ["100", "200", "300"] }, every));
    const show = (ids: readonly string[]) =>
      world.upstream.on("tweet-info-bulk", () => ({
        tweets: all.filter(({ id }) => ids.includes(id)),
      }));
    show(["100", "200", "300"]);
    const harness = await world.start();
    world.upstream.on("tweet-info-bulk", answer);
    await world.clock.advance(46 * HALF_HOUR);
    show(["200", "300"]);
    await world.clock.advance(HALF_HOUR);
    expect(await world.alerted()).toEqual([]);
    expect(await statuses(harness)).toEqual(["ok", "ok", "ok"]);
    await world.clock.advance(HALF_HOUR);
    expect(await world.alerted()).toEqual(["tweet.deleted 100"]);
    show(["100", "200", "300"]);
    await world.clock.advance(HALF_HOUR);
    world.upstream.on("tweet-info-bulk", answer);
    await world.clock.advance(46 * HALF_HOUR);
    expect(await world.alerted()).toHaveLength(1);
    await world.clock.advance(4 * HALF_HOUR);
    expect((await world.alerted()).toSorted()).toEqual(
      ["100", "100", "200", "300"].map((id) => `tweet.deleted ${id}`),
    );
    expect(harness.opsAlerts).toEqual([]);
  },
);

it("asks about no profile when an answer has none of several", async () => {
  const users = ["7", "8", "9"].map((id) => makeUser(id));
  const world = await setup(watchOf("profile", { accounts: ["id:7", "id:8", "id:9"] }));
  world.upstream.on("info-batch", () => ({ users }));
  const harness = await world.start();
  world.upstream.on("info-batch", () => ({ users: [] }));
  for (let i = 0; i < 5; i += 1) await world.poll();
  expect(world.upstream.callsOf("id-to-username")).toEqual([]);
  expect(harness.opsAlerts).toEqual([]);
});

/** Answers as the service does when it does not accept one of the entries. */
const refusing = (bad: string) => (request: UpstreamRequest) => {
  const asked = Object.values(request.params).flat();
  if (asked.includes(bad)) throw failure("bad_request", `invalid: ${bad}`);
  return undefined;
};

it("goes on with the tweets of all watches beside one that the service refuses, says so once, and takes it as soon as it is taken", async () => {
  const all = Array.from({ length: 60 }, (_, i) => String(100 + i));
  const world = await setup(watchOf("tweet", { tweets: all.slice(0, 30) }));
  let gone = "";
  world.upstream.on("tweet-info-bulk", ({ params }) => ({
    tweets: (params["tweet_links"] as string[])
      .filter((id) => id !== gone)
      .map((id) => makeTweet(id)),
  }));
  world.upstream.trouble = refusing("123");
  const harness = await world.start();
  await harness.setWatches([
    watchOf("tweet", { tweets: all.slice(0, 30) }),
    makeWatch("v", "tweet", { tweets: all.slice(30) }),
  ]);
  await world.poll();
  const asked = () => world.upstream.callsOf("tweet-info-bulk").length;
  const before = asked();
  gone = "150";
  await world.clock.advance(30 * MINUTE);
  expect(await world.alerted()).toEqual(["tweet.deleted 150"]);
  expect(asked() - before).toBeLessThanOrEqual(30 + 3);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: 123 cannot be read: the service refuses the request: invalid: 123",
  ]);
  const misread = async () =>
    (await harness.store.listWatches()).flatMap(({ targets }) =>
      targets.filter(({ status }) => status === "misconfigured"),
    );
  expect((await misread()).map(({ name }) => name)).toEqual(["123"]);
  world.upstream.trouble = undefined;
  await world.clock.advance(HOUR);
  expect(await misread()).toEqual([]);
});

it.each([
  ["never there", () => undefined],
  ["refused", refusing("200")],
])("leaves the reserve alone where one of the tweets is %s", async (_, trouble) => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("tweet-info-bulk", () => ({ tweets: [makeTweet("100"), makeTweet("300")] }));
  upstream.trouble = trouble;
  const watches = [watchOf("tweet", { tweets: ["100", "200", "300"] })];
  harness = await startEngineHarness({
    clock,
    upstream,
    watches,
    monthly: 100,
    reserve: 0.5,
    onExhausted: "pause",
  });
  await clock.advance(2 * HOUR);
  expect(upstream.calls).toHaveLength(50);
});

it("reports no tweet as deleted that the service refuses to be asked for from some moment on", async () => {
  const world = await setup(watchOf("tweet", { tweets: ["100", "200", "300"] }));
  world.upstream.on("tweet-info-bulk", ({ params }) => ({
    tweets: (params["tweet_links"] as string[]).map((id) => makeTweet(id)),
  }));
  const harness = await world.start();
  world.upstream.trouble = refusing("200");
  await world.clock.advance(3 * HOUR);
  expect(await world.alerted()).toEqual([]);
  expect(await statuses(harness)).toEqual(["ok", "misconfigured", "ok"]);
});

it("goes on with profiles beside one that the service refuses, and asks nobody what became of it", async () => {
  const users = ["7", "8", "9"].map((id) => makeUser(id));
  const world = await setup(watchOf("profile", { accounts: ["id:7", "id:8", "id:9"] }), users);
  world.upstream.trouble = refusing("8");
  const harness = await world.start();
  users[0] = { ...makeUser("7"), description: "new" };
  await world.poll();
  await world.poll();
  expect(await world.alerted()).toEqual(["profile.changed 7"]);
  expect(world.upstream.callsOf("id-to-username")).toEqual([]);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: id:8 cannot be read: the service refuses the request: invalid: 8",
  ]);
});

it("takes a 404 of the only tweet for an answer without it, and asks for it as before", async () => {
  const world = await setup(watchOf("tweet", { tweets: ["100"] }));
  world.upstream.on("tweet-info-bulk", () => ({ tweets: [makeTweet("100")] }));
  const harness = await world.start();
  world.upstream.trouble = () => {
    throw failure("not_found");
  };
  for (let poll = 0; poll < 4; poll += 1) await world.poll();
  expect(await world.alerted()).toEqual(["tweet.deleted 100"]);
  expect(harness.opsAlerts).toEqual([]);
});

it("names the tweets that were never there in one word", async () => {
  const world = await setup(watchOf("tweet", { tweets: ["100", "200", "300"] }));
  world.upstream.on("tweet-info-bulk", () => ({ tweets: [makeTweet("100")] }));
  const harness = await world.start();
  await world.poll();
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: 200, 300 cannot be read: the service does not know it",
  ]);
});

it("reports a crossing once, whatever step it crashes at", async () => {
  let likes = 10;
  const world = await setup(watchOf("tweet", { tweets: ["100"], when: { likes_count: ">= 100" } }));
  world.upstream.on("tweet-info-bulk", () => ({
    tweets: [{ ...makeTweet("100"), likes_count: likes }],
  }));
  const harness = await world.start();
  likes = 100;
  for (let steps = 1; steps < 24 && (await world.alerted()).length === 0; steps += 1) {
    harness.killSwitch.killAfter(steps);
    await world.poll();
    await harness.crash();
  }
  for (let i = 0; i < 4; i += 1) await world.poll();
  expect(await world.alerted()).toEqual(["tweet.threshold 100"]);
});

it("evaluates again after a conflict, and reports once", async () => {
  let likes = 10;
  let conflicts = 0;
  const once = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name !== "commitPoll") return Reflect.get(target, name) as unknown;
        return async (commit: Parameters<Store["commitPoll"]>[0]) =>
          likes > 10 && conflicts++ === 0 ? { status: "conflict" } : target.commitPoll(commit);
      },
    });
  const watch = watchOf("tweet", { tweets: ["100"], when: { likes_count: ">= 100" } });
  const world = await setup(watch, [], once);
  world.upstream.on("tweet-info-bulk", () => ({
    tweets: [{ ...makeTweet("100"), likes_count: likes }],
  }));
  await world.start();
  likes = 100;
  await world.poll();
  await world.poll();
  expect(conflicts).toBeGreaterThan(1);
  expect(await world.alerted()).toEqual(["tweet.threshold 100"]);
});

it("does not take an empty list of trends for all of them gone, nor one answer without a name", async () => {
  let names = ["a", "b", "c"];
  const world = await setup(
    watchOf("trends", { woeid: 1, top: 3, tell: ["entered", "left", "moved"], move_by: 2 }),
  );
  world.upstream.on("trends", () => ({
    record: { trends: names.map((name) => ({ name, query: name, url: "" })) },
  }));
  const harness = await world.start();
  for (const list of [[], ["a", "b", "d"], ["a", "b", "c"], ["c", "a", "b"]]) {
    names = list;
    await world.poll();
  }
  expect(await world.alerted()).toEqual(["trend.entered 1/d", "trend.moved 1/c", "trend.left 1/d"]);
  names = ["a", "b"];
  await world.poll();
  await harness.restart();
  await world.poll();
  await world.poll();
  expect(await world.alerted()).toEqual([
    "trend.entered 1/d",
    "trend.moved 1/c",
    "trend.left 1/d",
    "trend.left 1/c",
  ]);
});

it("reads pages of retweets until the answer is yes, and says nothing while some are unread or the account is protected", async () => {
  let yesOnPage = Number.POSITIVE_INFINITY;
  let isProtected = false;
  const watch = watchOf(
    "membership",
    { check: "retweet", accounts: ["id:7"], tweet: "100" },
    { maxPages: 3 },
  );
  const world = await setup(watch);
  let pages = 3;
  world.upstream.on("check-retweet", ({ cursor }) => {
    const page = Number(cursor ?? 0);
    const retweet = page === yesOnPage;
    return {
      record: { retweet, user_protected: isProtected },
      ...(page + 1 < pages ? { nextCursor: String(page + 1) } : {}),
    };
  });
  await world.start();
  yesOnPage = 2;
  isProtected = true;
  await world.poll();
  expect(await world.alerted()).toEqual([]);
  isProtected = false;
  await world.poll();
  expect(await world.alerted()).toEqual(["membership.changed 7"]);
  // There are far more retweets than are read, so it is unknown whether this one was taken back.
  pages = 9;
  yesOnPage = 7;
  for (let i = 0; i < 3; i += 1) await world.poll();
  expect(await world.alerted()).toEqual(["membership.changed 7"]);
});

it("takes a country or a date that an answer lacks for unknown, and reports each change of the handle once", async () => {
  let record: JsonObject = {
    country: "Germany",
    username_change_count: 1,
    last_username_change_at: "2026-01-01T00:00:00.000Z",
  };
  const world = await setup(watchOf("about", { accounts: ["id:7"] }));
  world.upstream.on("about", () => ({ record }));
  await world.start();
  const known = record;
  for (const answer of [
    { ...known, country: "" },
    { country: "", username_change_count: 0, last_username_change_at: "" },
    known,
  ]) {
    record = answer;
    await world.poll();
  }
  expect(await world.alerted()).toEqual([]);
  record = { ...known, country: "Japan", username_change_count: 2 };
  await world.poll();
  record = { ...known, country: "Japan", username_change_count: 1 };
  await world.poll();
  record = { ...known, country: "Japan", username_change_count: 2 };
  await world.poll();
  expect(await world.alerted()).toEqual(["about.changed 7"]);
});

it("reports a community that was renamed, with its old name; a count that was not sent is none", async () => {
  let record: JsonObject = {
    name: "Builders",
    description: "We build.",
    banner_url: "",
    member_count: 1_200,
    creator: { ...makeUser("9", "bob") },
  };
  const world = await setup(
    watchOf("community_info", { community: "55", when: { member_count: "< 500" } }),
  );
  world.upstream.on("community-info", () => ({ record }));
  const harness = await world.start();
  record = { ...record, member_count: 0 };
  await world.poll();
  expect(await world.alerted()).toEqual([]);
  record = { ...record, name: "Makers" };
  await world.poll();
  await world.poll();
  const [renamed, ...more] = await harness.events();
  expect(more).toEqual([]);
  expect(renamed).toMatchObject({
    type: "community.changed",
    subject: "55",
    labels: { author: "bob" },
  });
  expect(renamed?.body).toMatchObject({
    community: { name: "Makers", member_count: 1_200 },
    previous: { name: "Builders" },
    changed: ["name"],
  });
});

it("takes a score of 0 for no score", async () => {
  let score: number | null = 4_100.5;
  const world = await setup(watchOf("score", { accounts: ["id:7"], when: { score: "< 4000" } }));
  world.upstream.on("score", () => ({ record: { score } }));
  await world.start();
  for (const next of [0, null, 4_050, 0]) {
    score = next;
    await world.poll();
  }
  expect(await world.alerted()).toEqual([]);
  score = 3_999.5;
  await world.poll();
  expect(await world.alerted()).toEqual(["score.changed 7"]);
});
