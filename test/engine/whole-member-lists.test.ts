/**
 * Tests lists whose leaving is reported, on a scripted service: each join and leave is reported
 * once, despite shortened, flickering or false answers and crashes.
 */
import { afterEach, expect, it } from "vitest";
import type { User } from "../../src/model/user.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import {
  createScriptedUpstream,
  failure,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const PAGE = 200;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const crowd = (count: number, from = 1_000): User[] =>
  Array.from({ length: count }, (_, i) => makeUser(String(from + i)));

/** Serves the list in pages of 200, as it is at the moment of each request. */
function serve(upstream: ScriptedUpstream, list: () => readonly User[]): void {
  upstream.on("followers", ({ cursor }) => {
    const from = Number(cursor ?? 0);
    const next = from + PAGE < list().length ? { nextCursor: String(from + PAGE) } : {};
    return { users: list().slice(from, from + PAGE), ...next };
  });
}

/** A list that is read whatever the account's counter does. The counters here never move. */
const SINGLE = { strategy: "single" } as const;

/** Sets up a `followers` watch of a list that a test replaces, polled every minute. */
async function setup(count: number, changes: WatchChanges = {}, settings = {}) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock, [makeUser("7", "acme")]);
  const shown = { list: crowd(count) };
  serve(upstream, () => shown.list);
  const watch = makeWatch(
    "w",
    "followers",
    { accounts: ["acme"], ...settings },
    { ...SINGLE, ...changes },
  );
  const started = await startEngineHarness({ clock, upstream, watches: [watch] });
  harness = started;
  const alerted = async () =>
    (await started.events()).map(({ type, body }) => `${type} ${body.user?.id}`).reverse();
  const minutes = (number: number) => clock.advance(number * MINUTE);
  const join = (...ids: string[]) =>
    (shown.list = [...ids.map((id) => makeUser(id)), ...shown.list]);
  const leave = (...ids: string[]) =>
    (shown.list = shown.list.filter(({ id }) => !ids.includes(id)));
  return { clock, upstream, harness: started, shown, alerted, minutes, join, leave };
}

it("reports who joins, leaves and joins again, each time once", async () => {
  const { alerted, minutes, join, leave, harness } = await setup(5);
  await minutes(3);
  expect(await alerted()).toEqual([]);
  join("1");
  await minutes(3);
  leave("1", "1002");
  await minutes(4);
  join("1");
  await minutes(3);
  expect(await alerted()).toEqual([
    "follower.added 1",
    "follower.removed 1",
    "follower.removed 1002",
    "follower.added 1",
  ]);
  const events = await harness.events();
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  leave("1");
  await minutes(4);
  expect((await alerted()).slice(4)).toEqual(["follower.removed 1"]);
});

it("says of who left what was last seen of them, and nothing that it does not know", async () => {
  const { minutes, leave, harness } = await setup(3);
  await minutes(2);
  leave("1001");
  await minutes(4);
  const [event] = await harness.events();
  expect(event?.body.user).toEqual({
    id: "1001",
    username: "user1001",
    display_name: "USER1001",
    followers_count: 10,
    profile_image_url: "",
  });
  expect(event?.body.target?.username).toBe("acme");
});

it("reports nobody as left by a read that is cut over several polls and a restart", async () => {
  const { alerted, minutes, join, leave, harness } = await setup(1_500, { maxPages: 2 });
  await minutes(6);
  expect(await alerted()).toEqual([]);
  expect((await harness.store.listWatches())[0]?.targets[0]?.baselineAtMs).not.toBeNull();
  join("1");
  leave("2400");
  for (let poll = 0; poll < 12; poll += 1) {
    await minutes(1);
    if (poll % 3 === 1) await harness.restart();
    if (poll % 3 === 2) await harness.crash();
  }
  await minutes(12);
  expect(await alerted()).toEqual(["follower.added 1", "follower.removed 2400"]);
});

it("reports nobody as left by a read that an error cuts, and goes on where it was", async () => {
  const { alerted, minutes, upstream } = await setup(900);
  await minutes(3);
  const before = upstream.callsOf("followers").length;
  let isBroken = true;
  upstream.trouble = ({ cursor }) => {
    if (cursor === "400" && isBroken) throw failure("transient");
    return undefined;
  };
  await minutes(6);
  isBroken = false;
  await minutes(3);
  const cursors = upstream.callsOf("followers").slice(before);
  const firstFailure = cursors.findIndex(({ cursor }) => cursor === "400");
  const goneOn = cursors.findIndex(({ cursor }) => cursor === "600");
  expect(goneOn - firstFailure).toBeGreaterThan(3);
  expect(cursors.slice(firstFailure, goneOn).every(({ cursor }) => cursor === "400")).toBe(true);
  expect(await alerted()).toEqual([]);
});

it("starts over when the service refuses the cursor of a read under way, and reports nobody as left", async () => {
  const { alerted, minutes, upstream } = await setup(900, { maxPages: 2 });
  await minutes(4);
  let refusals = 0;
  upstream.trouble = ({ cursor }) => {
    if (cursor !== "400" || refusals >= 2) return undefined;
    refusals += 1;
    throw failure("bad_request");
  };
  await minutes(8);
  expect(refusals).toBe(2);
  expect(await alerted()).toEqual([]);
  expect((await harness?.store.listWatches())?.[0]?.targets[0]?.status).toBe("ok");
});

it("goes on where it was after half an hour in which the service refused the whole list", async () => {
  const { minutes, upstream } = await setup(2_000, { maxPages: 2 });
  let isDown = false;
  upstream.trouble = () => {
    if (isDown) throw failure("bad_request");
    return undefined;
  };
  await minutes(2);
  isDown = true;
  const before = upstream.callsOf("followers").length;
  await minutes(30);
  isDown = false;
  const during = upstream.callsOf("followers").length;
  await minutes(60);
  const [cursors, [refused]] = [
    upstream.callsOf("followers").slice(during),
    upstream.callsOf("followers").slice(before),
  ];
  expect(refused?.cursor).toBeDefined();
  expect(cursors[0]?.cursor).toBe(refused?.cursor);
});

it("fault 30: a list that is empty, or lost most of its members in one read, makes nobody leave", async () => {
  const { alerted, minutes, shown } = await setup(600);
  await minutes(3);
  const whole = shown.list;
  shown.list = [];
  await minutes(10);
  shown.list = whole.slice(0, 30);
  await minutes(1);
  shown.list = whole;
  await minutes(5);
  expect(await alerted()).toEqual([]);
});

it("fault 30: most members gone from two complete reads in a row did leave", async () => {
  const { alerted, minutes, shown } = await setup(60);
  await minutes(3);
  shown.list = shown.list.slice(0, 10);
  await minutes(5);
  expect((await alerted()).length).toBe(50);
  await minutes(5);
  expect((await alerted()).length).toBe(50);
});

it("fault 33: a list that comes from two places, one behind the other, reports the newcomer once and nobody as left", async () => {
  const { alerted, minutes, upstream } = await setup(10);
  await minutes(3);
  const ahead = [makeUser("1"), ...crowd(10)];
  const behind = crowd(10);
  let reads = 0;
  upstream.on("followers", () => ({ users: (reads += 1) % 2 === 0 ? ahead : behind }));
  await minutes(20);
  expect(await alerted()).toEqual(["follower.added 1"]);
});

it("fault 15: an answer that is no list is no empty list", async () => {
  const { alerted, minutes, upstream } = await setup(30);
  await minutes(3);
  upstream.trouble = () => {
    throw failure("transient", 'the answer has no "users"');
  };
  await minutes(10);
  upstream.trouble = undefined;
  await minutes(5);
  expect(await alerted()).toEqual([]);
});

it("keeps who is a member although a filter did not report them, and asks the filter again when they leave", async () => {
  const where = {
    text: "user.followers_count > 100",
    matches: (body: { user?: User }) => (body.user?.followers_count ?? 0) > 100,
  };
  const { alerted, minutes, shown, leave } = await setup(5, { where });
  await minutes(3);
  shown.list = [{ ...makeUser("1"), followers_count: 500 }, makeUser("2"), ...shown.list];
  await minutes(3);
  leave("1", "2");
  await minutes(4);
  expect(await alerted()).toEqual(["follower.added 1", "follower.removed 1"]);
});

it("reports an account that was renamed neither as one who left nor as one who came", async () => {
  const { alerted, minutes, shown } = await setup(5);
  await minutes(3);
  shown.list = shown.list.map((user) =>
    user.id === "1002" ? { ...user, username: "another" } : user,
  );
  await minutes(4);
  expect(await alerted()).toEqual([]);
});

it("keeps what a whole read costs, for the plan", async () => {
  const { minutes, harness, shown } = await setup(900, { maxPages: 3 });
  await minutes(5);
  expect((await harness.store.listWatches())[0]?.targets[0]?.memory).toMatchObject({ pages: 5 });
  shown.list = shown.list.slice(0, 500);
  await minutes(6);
  expect((await harness.store.listWatches())[0]?.targets[0]?.memory).toMatchObject({ pages: 3 });
});

it("serves a watch of newcomers and one of members from the same requests", async () => {
  const { minutes, harness, join, leave, upstream } = await setup(300);
  await harness.setWatches([
    makeWatch("w", "followers", { accounts: ["acme"] }, SINGLE),
    makeWatch("news", "new_followers", { accounts: ["acme"], source: "all" }, SINGLE),
  ]);
  await minutes(4);
  join("1");
  leave("1002");
  const before = upstream.callsOf("followers").length;
  await minutes(4);
  expect(upstream.callsOf("followers").length - before).toBeLessThanOrEqual(4 * 2);
  const alerted = (await harness.events()).map(
    ({ watch, type, body }) => `${watch} ${type} ${body.user?.id}`,
  );
  expect(alerted.sort()).toEqual([
    "news follower.added 1",
    "w follower.added 1",
    "w follower.removed 1002",
  ]);
});

it("reports nobody when a watch is made to read another list, and goes on from there", async () => {
  const { minutes, harness, alerted, shown, upstream, join } = await setup(0);
  shown.list = crowd(300);
  upstream.on("verified-followers", () => ({ users: shown.list.slice(0, 20) }));
  const newcomers = (settings: object) =>
    makeWatch("news", "new_followers", { accounts: ["acme"], source: "all", ...settings });
  await harness.setWatches([newcomers({ verified_only: true })]);
  await minutes(3);
  await harness.setWatches([newcomers({})]);
  await minutes(3);
  expect(await alerted()).toEqual([]);
  join("1");
  await minutes(3);
  await harness.setWatches([newcomers({ verified_only: true })]);
  await minutes(3);
  expect(await alerted()).toEqual(["follower.added 1"]);
});

it("reports nobody when the type of a watch is changed", async () => {
  const { minutes, harness, alerted, join } = await setup(300);
  await harness.setWatches([
    makeWatch("w", "new_followers", { accounts: ["acme"], source: "all" }, SINGLE),
  ]);
  await minutes(3);
  join("1");
  await minutes(3);
  await harness.setWatches([makeWatch("w", "followers", { accounts: ["acme"] }, SINGLE)]);
  await minutes(3);
  join("2");
  await minutes(3);
  expect(await alerted()).toEqual(["follower.added 1", "follower.added 2"]);
});

it("reports nobody when an account is no longer indexed and its whole list is read instead", async () => {
  const { minutes, harness, alerted, upstream, shown } = await setup(300);
  upstream.on("info", () => ({ record: { ...makeUser("7", "acme") } }));
  upstream.on("new-followers-7d", () => ({ users: shown.list.slice(0, 3) }));
  await harness.setWatches([makeWatch("news", "new_followers", { accounts: ["acme"] })]);
  await minutes(3);
  upstream.on("new-followers-7d", () => {
    throw failure("not_found");
  });
  // The same answer three times within some minutes is believed.
  await minutes(12);
  expect(upstream.callsOf("followers").length).toBeGreaterThan(2);
  expect(await alerted()).toEqual([]);
});
