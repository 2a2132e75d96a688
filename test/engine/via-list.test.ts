import { afterEach, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Store } from "../../src/model/store.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { tweetIdAt } from "../../src/model/id.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeTweet, makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import {
  createScriptedUpstream,
  failure,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const LIST = "900";

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/**
 * Sets up three accounts in one watch that reads through a list. `members` are the members of that
 * list.
 */
async function setup(intervalMs = MINUTE, storeFilter?: (store: Store) => Store) {
  const clock = createVirtualClock(START);
  const users = ["1", "2", "3"].map((id) => makeUser(id, `user${id}`));
  const upstream = createScriptedUpstream(clock, users);
  const posts: Tweet[] = [];
  const members = new Set(["1", "2", "9"]);
  const newestFirst = (wanted: (tweet: Tweet) => boolean) => ({
    tweets: posts.filter(wanted).toReversed().slice(0, 20),
  });
  const slowness = new Map<string, number>();
  const slowly =
    (endpoint: string, wanted: (tweet: Tweet, params: JsonObject) => boolean) =>
    async ({ params }: UpstreamRequest) => {
      await sleep(clock, slowness.get(endpoint) ?? 0);
      return newestFirst((tweet) => wanted(tweet, params));
    };
  upstream.on(
    "list-tweets",
    slowly("list-tweets", ({ user }) => members.has(user.id)),
  );
  upstream.on("list-members", () => ({ users: [...members].map((id) => makeUser(id)) }));
  upstream.on(
    "user-tweets",
    slowly("user-tweets", ({ user }, params) => user.id === params["user_id"]),
  );
  const post = (userId: string, agoMs = 0): string => {
    const timeMs = clock.now() - agoMs + posts.length;
    const id = tweetIdAt(timeMs);
    posts.push({
      ...makeTweet(id),
      created_at: new Date(timeMs).toISOString(),
      user: makeUser(userId, `user${userId}`),
    });
    return id;
  };
  for (const id of ["1", "2", "3", "9"]) post(id, 60 * MINUTE);
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts: users.map(({ username }) => username), via_list: LIST },
    { schedule: { kind: "every", intervalMs } },
  );
  const begin = async () =>
    (harness = await startEngineHarness({
      clock,
      upstream,
      watches: [watch],
      ...(storeFilter === undefined ? {} : { storeFilter }),
    }));
  return { clock, upstream, members, slowness, posts, post, watch, begin };
}

const alerted = async (from: EngineHarness) =>
  (await from.events()).map(({ subject, labels }) => `${labels["target"]} ${subject}`).reverse();

it("reads the accounts through the list with one request a tick, reports nothing of others on it, and the missing one from its timeline", async () => {
  const { clock, upstream, post, begin } = await setup();
  const harness = await begin();
  await clock.advance(2 * MINUTE);
  const before = {
    list: upstream.callsOf("list-tweets").length,
    own: upstream.callsOf("user-tweets").length,
  };
  post("9");
  const expected = [`user1 ${post("1")}`, `user2 ${post("2")}`, `user3 ${post("3")}`];
  await clock.advance(10 * MINUTE);
  expect((await alerted(harness)).toSorted()).toEqual(expected.toSorted());
  expect(upstream.callsOf("list-tweets").length - before.list).toBe(10);
  expect(upstream.callsOf("user-tweets").length - before.own).toBe(10);
  expect(upstream.callsOf("user-tweets").every(({ params }) => params["user_id"] === "3")).toBe(
    true,
  );
  expect(upstream.callsOf("list-members").length).toBe(1);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: the list 900 does not contain user3; they are read from their own timelines, which costs up to one request per tick and account",
  ]);
});

it("reports nothing of what an account posted before the watch began, though it is not on the list and the list was read first", async () => {
  const { clock, upstream, members, post, begin } = await setup();
  upstream.on("list-members", async () => {
    await sleep(clock, 2_000);
    return { users: [...members].map((id) => makeUser(id)) };
  });
  post("3", 40 * MINUTE);
  post("3", 20 * MINUTE);
  const harness = await begin();
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("user-tweets").length).toBeGreaterThan(0);
  expect(await alerted(harness)).toEqual([]);
  const news = post("3");
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual([`user3 ${news}`]);
});

it("writes down who is missing although a poll was committed at the same moment, and does not wait for the next day", async () => {
  let conflicts = 0;
  const { clock, upstream, post, begin } = await setup(MINUTE, (store) => ({
    ...store,
    async commitPoll(commit) {
      const isCheck =
        commit.targets.some(({ memory }) => memory?.["list"] !== undefined) &&
        commit.verdicts.length === 0;
      return isCheck && conflicts++ === 0 ? { status: "conflict" } : store.commitPoll(commit);
    },
  }));
  const harness = await begin();
  await clock.advance(2 * MINUTE);
  expect(conflicts).toBeGreaterThan(1);
  const news = post("3");
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual([`user3 ${news}`]);
  expect(upstream.callsOf("list-members").length).toBe(1);
});

it("reads back to the last check of an account that was taken off the list, and names it", async () => {
  const { clock, members, post, begin } = await setup(30 * MINUTE);
  const harness = await begin();
  await clock.advance(6 * HOUR);
  members.delete("2");
  const unseen = post("2");
  await clock.advance(DAY);
  expect(await alerted(harness)).toEqual([`user2 ${unseen}`]);
  expect(harness.opsAlerts.at(-1)?.message).toContain("does not contain user2, user3");
});

it("goes back to the list when it holds the account again, and reports nothing twice", async () => {
  const { clock, upstream, members, post, begin } = await setup(30 * MINUTE);
  const harness = await begin();
  await clock.advance(HOUR);
  const first = post("3");
  await clock.advance(HOUR);
  members.add("3");
  await clock.advance(DAY + HOUR);
  const before = upstream.callsOf("user-tweets").length;
  const second = post("3");
  await clock.advance(HOUR);
  await harness.restart();
  await clock.advance(HOUR);
  expect(await alerted(harness)).toEqual([`user3 ${first}`, `user3 ${second}`]);
  expect(upstream.callsOf("user-tweets").length).toBe(before);
});

it("asks the list again at a reload while it lacks somebody, and only then", async () => {
  const { clock, upstream, members, watch, begin } = await setup();
  const harness = await begin();
  await clock.advance(2 * MINUTE);
  members.add("3");
  await harness.setWatches([watch]);
  await clock.advance(2 * MINUTE);
  expect(upstream.callsOf("list-members").length).toBe(2);
  const before = upstream.callsOf("user-tweets").length;
  await harness.setWatches([watch]);
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("list-members").length).toBe(2);
  expect(upstream.callsOf("user-tweets").length).toBe(before);
});

it("reads everyone from their own timelines when the list is gone, and misses nothing of the change", async () => {
  const { clock, upstream, post, begin } = await setup(30 * MINUTE);
  const harness = await begin();
  await clock.advance(HOUR);
  upstream.trouble = ({ endpoint }) => {
    if (endpoint.startsWith("list-")) throw failure("not_found");
    return undefined;
  };
  const unseen = post("1");
  await clock.advance(2 * HOUR);
  expect(await alerted(harness)).toEqual([`user1 ${unseen}`]);
  expect(harness.opsAlerts.at(-1)?.message).toContain("does not contain user1, user2, user3");
});

/** Makes the service serve a list of two pages. */
function onTwoPages(upstream: ScriptedUpstream, members: ReadonlySet<string>): void {
  upstream.on("list-members", ({ cursor }) => {
    const all = [...members].map((id) => makeUser(id));
    return cursor === undefined
      ? { users: all.slice(0, 1), nextCursor: "more" }
      : { users: all.slice(1) };
  });
}

it("asks less and less often for a list whose second page fails", async () => {
  const { clock, upstream, members, begin } = await setup(30 * MINUTE);
  onTwoPages(upstream, members);
  upstream.trouble = ({ endpoint, cursor }) => {
    if (endpoint === "list-members" && cursor !== undefined) throw failure("transient");
    return undefined;
  };
  await begin();
  await clock.advance(12 * HOUR);
  // Each read consists of a page that arrives, and one that fails twice.
  expect(upstream.callsOf("list-members").length).toBeLessThan(3 * 18);
  upstream.trouble = undefined;
  await clock.advance(HOUR + MINUTE);
  const before = upstream.callsOf("user-tweets").length;
  await clock.advance(HOUR);
  expect(
    upstream
      .callsOf("user-tweets")
      .slice(before)
      .every(({ params }) => params["user_id"] === "3"),
  ).toBe(true);
});

it("reads a list from the top where its cursor has expired, and believes nobody to be missing for that", async () => {
  const { clock, upstream, members, begin } = await setup(30 * MINUTE);
  onTwoPages(upstream, members);
  let refusals = 0;
  upstream.trouble = ({ endpoint, cursor }) => {
    if (endpoint === "list-members" && cursor !== undefined && refusals++ === 0)
      throw failure("bad_request");
    return undefined;
  };
  const harness = await begin();
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("list-members").map(({ cursor }) => cursor)).toEqual([
    undefined,
    "more",
    undefined,
    "more",
  ]);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w: the list 900 does not contain user3; they are read from their own timelines, which costs up to one request per tick and account",
  ]);
});

it("asks once who is on a list that several watches read through", async () => {
  const { clock, upstream, watch } = await setup(30 * MINUTE);
  const other = {
    ...makeWatch("v", "timeline", { accounts: ["user1", "user3"], via_list: LIST }),
    timing: watch.timing,
  };
  harness = await startEngineHarness({ clock, upstream, watches: [watch, other] });
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("list-members")).toHaveLength(1);
  expect(harness.opsAlerts.map(({ message }) => message.slice(0, 37))).toEqual([
    "w: the list 900 does not contain user",
    "v: the list 900 does not contain user",
  ]);
  await clock.advance(DAY);
  expect(upstream.callsOf("list-members")).toHaveLength(2);
});

it("asks for the list once when all handles were looked up, however many requests that takes", async () => {
  const clock = createVirtualClock(START);
  const users = Array.from({ length: 250 }, (_, index) =>
    makeUser(String(index + 1), `user${index + 1}`),
  );
  const upstream = createScriptedUpstream(clock, users);
  upstream.on("list-tweets", () => ({ tweets: [] }));
  upstream.on("list-members", () => ({ users }));
  let answers = 0;
  upstream.on("info-batch", async ({ params }) => {
    await sleep(clock, 1_000 * ++answers);
    const names = new Set(params["usernames"] as string[]);
    return { users: users.filter(({ username }) => names.has(username)) };
  });
  const accounts = users.map(({ username }) => username);
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [makeWatch("w", "timeline", { accounts, via_list: LIST })],
  });
  await clock.advance(5 * MINUTE);
  expect(answers).toBe(3);
  expect(upstream.callsOf("list-members")).toHaveLength(1);
  expect(upstream.callsOf("user-tweets")).toEqual([]);
});

it("asks once a day, also when the daemon was restarted or reloaded in between", async () => {
  const { clock, upstream, members, watch, begin } = await setup(30 * MINUTE);
  members.add("3");
  const harness = await begin();
  await clock.advance(20 * HOUR);
  await harness.restart();
  await clock.advance(2 * HOUR);
  await harness.setWatches([watch]);
  expect(upstream.callsOf("list-members")).toHaveLength(1);
  await clock.advance(2 * HOUR + MINUTE);
  expect(upstream.callsOf("list-members")).toHaveLength(2);
});

it("checks those whose handles were looked up at a later try", async () => {
  const { clock, upstream, begin } = await setup(30 * MINUTE);
  upstream.trouble = ({ endpoint }) => {
    if (endpoint === "info-batch") throw failure("transient");
    return undefined;
  };
  const harness = await begin();
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("list-members")).toEqual([]);
  upstream.trouble = undefined;
  await clock.advance(10 * MINUTE);
  expect(upstream.callsOf("list-members")).toHaveLength(1);
  expect(harness.opsAlerts.at(-1)?.message).toContain("does not contain user3");
});

it("ends at a cursor that leads in a circle", async () => {
  const { clock, upstream, members, begin } = await setup(30 * MINUTE);
  const all = [...members].map((id) => makeUser(id));
  upstream.on("list-members", ({ cursor }) => ({
    users: all,
    nextCursor: cursor === "a" ? "b" : "a",
  }));
  await begin();
  await clock.advance(5 * MINUTE);
  expect(upstream.callsOf("list-members").map(({ cursor }) => cursor)).toEqual([
    undefined,
    "a",
    "b",
  ]);
});

it("reads a list to its end although further pages are short: its first would be paid for again", async () => {
  const { clock, upstream, members, watch } = await setup(30 * MINUTE);
  onTwoPages(upstream, members);
  const through = (id: string, list: string) => ({
    ...makeWatch(id, "timeline", { accounts: ["user1", "user2"], via_list: list }),
    timing: watch.timing,
  });
  const watches = ["901", "902", "903", "904"].map((list) => through(`w${list}`, list));
  harness = await startEngineHarness({
    clock,
    upstream,
    watches,
    monthly: 2_000,
    isGoverned: true,
    onExhausted: "degrade",
  });
  await clock.advance(2 * HOUR);
  expect(upstream.callsOf("list-members")).toHaveLength(8);
});

it.each([
  ["list-members", "a 404", failure("not_found")],
  ["list-members", "an empty answer", undefined],
  ["list-tweets", "a 404", failure("not_found")],
])(
  "does not believe /%s at once that the list is gone: %s that passes costs no account a request",
  async (endpoint, _, error) => {
    const { clock, upstream, members, post, begin } = await setup(30 * MINUTE);
    members.add("3");
    const harness = await begin();
    await clock.advance(23 * HOUR + 59 * MINUTE);
    upstream.trouble = (request) => {
      if (request.endpoint !== endpoint) return undefined;
      if (error !== undefined) throw error;
      return { users: [] };
    };
    await clock.advance(3 * MINUTE);
    const unseen = post("1");
    upstream.trouble = undefined;
    await clock.advance(HOUR);
    expect(upstream.callsOf("user-tweets")).toEqual([]);
    expect(await alerted(harness)).toEqual([`user1 ${unseen}`]);
    expect(harness.opsAlerts).toEqual([]);
  },
);

it("reads back to the last check of who left the list while the watch was paused, although the list is being read at that moment", async () => {
  const { clock, slowness, members, post, begin } = await setup(30 * MINUTE);
  const harness = await begin();
  await clock.advance(HOUR);
  await harness.pause("w", true);
  await clock.advance(HOUR);
  const unseen = post("2");
  members.delete("2");
  await clock.advance(3 * DAY);
  slowness.set("list-tweets", 1_000).set("user-tweets", 2_000);
  await harness.pause("w", false);
  await clock.advance(2 * HOUR);
  expect(await alerted(harness)).toEqual([`user2 ${unseen}`]);
});

it("reads the list back to the last own read of an account that is on it again, over pages that are known of others", async () => {
  const { clock, upstream, members, posts, post, watch, begin } = await setup(30 * MINUTE);
  upstream.on("list-tweets", ({ cursor }) => {
    const from = Number(cursor ?? 0);
    const shown = posts.toReversed().filter(({ user }) => members.has(user.id));
    const nextCursor = from + 20 < shown.length ? { nextCursor: String(from + 20) } : {};
    return { tweets: shown.slice(from, from + 20), ...nextCursor };
  });
  for (let i = 0; i < 60; i += 1) post("9", 30 * MINUTE);
  const harness = await begin();
  await clock.advance(HOUR + 5 * MINUTE);
  upstream.trouble = ({ endpoint }) => {
    if (endpoint === "user-tweets") throw failure("transient");
    return undefined;
  };
  const unseen = post("3");
  await clock.advance(10 * MINUTE);
  for (let i = 0; i < 30; i += 1) post("9");
  await clock.advance(HOUR);
  members.add("3");
  const before = upstream.callsOf("list-tweets").length;
  await harness.setWatches([watch]);
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual([`user3 ${unseen}`]);
  expect(upstream.callsOf("list-tweets")).toHaveLength(before + 2);
  await clock.advance(HOUR);
  expect(upstream.callsOf("list-tweets")).toHaveLength(before + 4);
});
