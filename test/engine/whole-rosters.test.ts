/** Lists whose leaving is told, on a scripted service: who comes and goes is told once, whatever cuts, flickers, crashes or lies. */
import { afterEach, expect, it } from "vitest";
import type { User } from "../../src/model/user.ts";
import { type EngineRig, startEngineRig } from "../support/engine-rig.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure, type ScriptedUpstream } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const PAGE = 200;

let rig: EngineRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const crowd = (count: number, from = 1_000): User[] => Array.from({ length: count }, (_, i) => makeUser(String(from + i)));

/** The list in pages of 200, as it is at the moment of each request. */
function serve(upstream: ScriptedUpstream, list: () => readonly User[]): void {
  upstream.on("followers", ({ cursor }) => {
    const from = Number(cursor ?? 0);
    const next = from + PAGE < list().length ? { nextCursor: String(from + PAGE) } : {};
    return { users: list().slice(from, from + PAGE), ...next };
  });
}

/** A `followers` watch of a list that a test replaces; polled every minute. */
async function house(count: number, changes: WatchChanges = {}, settings = {}) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock, [makeUser("7", "acme")]);
  const shown = { list: crowd(count) };
  serve(upstream, () => shown.list);
  const watch = makeWatch("w", "followers", { accounts: ["acme"], ...settings }, changes);
  const started = await startEngineRig({ clock, upstream, watches: [watch] });
  rig = started;
  const told = async () => (await started.events()).map(({ type, body }) => `${type} ${body.user?.id}`).reverse();
  const minutes = (number: number) => clock.advance(number * MINUTE);
  const join = (...ids: string[]) => (shown.list = [...ids.map((id) => makeUser(id)), ...shown.list]);
  const leave = (...ids: string[]) => (shown.list = shown.list.filter(({ id }) => !ids.includes(id)));
  return { clock, upstream, rig: started, shown, told, minutes, join, leave };
}

it("tells who joins, leaves and joins again, each time once", async () => {
  const { told, minutes, join, leave, rig } = await house(5);
  await minutes(3);
  expect(await told()).toEqual([]);
  join("1");
  await minutes(3);
  leave("1", "1002");
  await minutes(4);
  join("1");
  await minutes(3);
  expect(await told()).toEqual(["follower.added 1", "follower.removed 1", "follower.removed 1002", "follower.added 1"]);
  const events = await rig.events();
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  leave("1");
  await minutes(4);
  expect((await told()).slice(4)).toEqual(["follower.removed 1"]);
});

it("says of who left what was last seen of them, and nothing that it does not know", async () => {
  const { minutes, leave, rig } = await house(3);
  await minutes(2);
  leave("1001");
  await minutes(4);
  const [event] = await rig.events();
  expect(event?.body.user).toEqual({
    id: "1001",
    username: "user1001",
    display_name: "USER1001",
    followers_count: 10,
    profile_image_url: "",
  });
  expect(event?.body.target?.username).toBe("acme");
});

it("tells nobody left by a read that is cut over several polls and a restart", async () => {
  const { told, minutes, join, leave, rig } = await house(1_500, { maxPages: 2 });
  await minutes(6);
  expect(await told()).toEqual([]);
  expect((await rig.store.listWatches())[0]?.targets[0]?.baselineAtMs).not.toBeNull();
  join("1");
  leave("2400");
  for (let poll = 0; poll < 12; poll += 1) {
    await minutes(1);
    if (poll % 3 === 1) await rig.restart();
    if (poll % 3 === 2) await rig.crash();
  }
  await minutes(12);
  expect(await told()).toEqual(["follower.added 1", "follower.removed 2400"]);
});

it("tells nobody left by a read that an error cuts, and goes on where it was", async () => {
  const { told, minutes, upstream } = await house(900);
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
  expect(await told()).toEqual([]);
});

it("starts over when the service refuses the cursor of a read under way, and tells nobody left", async () => {
  const { told, minutes, upstream } = await house(900, { maxPages: 2 });
  await minutes(4);
  let refusals = 0;
  upstream.trouble = ({ cursor }) => {
    if (cursor !== "400" || refusals >= 2) return undefined;
    refusals += 1;
    throw failure("bad_request");
  };
  await minutes(8);
  expect(refusals).toBe(2);
  expect(await told()).toEqual([]);
  expect((await rig?.store.listWatches())?.[0]?.targets[0]?.status).toBe("ok");
});

it("goes on where it was after half an hour in which the service refused the whole list", async () => {
  const { minutes, upstream } = await house(2_000, { maxPages: 2 });
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
  const [cursors, [refused]] = [upstream.callsOf("followers").slice(during), upstream.callsOf("followers").slice(before)];
  expect(refused?.cursor).toBeDefined();
  expect(cursors[0]?.cursor).toBe(refused?.cursor);
});

it("fault 30: a list that is empty, or lost most of its members in one read, makes nobody leave", async () => {
  const { told, minutes, shown } = await house(600);
  await minutes(3);
  const whole = shown.list;
  shown.list = [];
  await minutes(10);
  shown.list = whole.slice(0, 30);
  await minutes(1);
  shown.list = whole;
  await minutes(5);
  expect(await told()).toEqual([]);
});

it("fault 30: most members gone from two complete reads in a row did leave", async () => {
  const { told, minutes, shown } = await house(60);
  await minutes(3);
  shown.list = shown.list.slice(0, 10);
  await minutes(5);
  expect((await told()).length).toBe(50);
  await minutes(5);
  expect((await told()).length).toBe(50);
});

it("fault 33: a list that comes from two places, one behind the other, tells the newcomer once and nobody left", async () => {
  const { told, minutes, upstream } = await house(10);
  await minutes(3);
  const ahead = [makeUser("1"), ...crowd(10)];
  const behind = crowd(10);
  let reads = 0;
  upstream.on("followers", () => ({ users: (reads += 1) % 2 === 0 ? ahead : behind }));
  await minutes(20);
  expect(await told()).toEqual(["follower.added 1"]);
});

it("fault 15: an answer that is no list is no empty list", async () => {
  const { told, minutes, upstream } = await house(30);
  await minutes(3);
  upstream.trouble = () => {
    throw failure("transient", 'the answer has no "users"');
  };
  await minutes(10);
  upstream.trouble = undefined;
  await minutes(5);
  expect(await told()).toEqual([]);
});

it("keeps who is a member although a filter did not tell them, and asks the filter again when they leave", async () => {
  const where = { text: "user.followers_count > 100", matches: (body: { user?: User }) => (body.user?.followers_count ?? 0) > 100 };
  const { told, minutes, shown, leave } = await house(5, { where });
  await minutes(3);
  shown.list = [{ ...makeUser("1"), followers_count: 500 }, makeUser("2"), ...shown.list];
  await minutes(3);
  leave("1", "2");
  await minutes(4);
  expect(await told()).toEqual(["follower.added 1", "follower.removed 1"]);
});

it("tells an account that was renamed neither as one who left nor as one who came", async () => {
  const { told, minutes, shown } = await house(5);
  await minutes(3);
  shown.list = shown.list.map((user) => (user.id === "1002" ? { ...user, username: "another" } : user));
  await minutes(4);
  expect(await told()).toEqual([]);
});

it("keeps what a whole read costs, for the plan", async () => {
  const { minutes, rig, shown } = await house(900, { maxPages: 3 });
  await minutes(5);
  expect((await rig.store.listWatches())[0]?.targets[0]?.memory).toMatchObject({ pages: 5 });
  shown.list = shown.list.slice(0, 500);
  await minutes(6);
  expect((await rig.store.listWatches())[0]?.targets[0]?.memory).toMatchObject({ pages: 3 });
});

it("serves a watch of newcomers and one of members from the same requests", async () => {
  const { minutes, rig, join, leave, upstream } = await house(300);
  await rig.setWatches([
    makeWatch("w", "followers", { accounts: ["acme"] }),
    makeWatch("news", "new_followers", { accounts: ["acme"], source: "all" }),
  ]);
  await minutes(4);
  join("1");
  leave("1002");
  const before = upstream.callsOf("followers").length;
  await minutes(4);
  expect(upstream.callsOf("followers").length - before).toBeLessThanOrEqual(4 * 2);
  const told = (await rig.events()).map(({ watch, type, body }) => `${watch} ${type} ${body.user?.id}`);
  expect(told.sort()).toEqual(["news follower.added 1", "w follower.added 1", "w follower.removed 1002"]);
});

it("tells nobody when a watch is made to read another list, and goes on from there", async () => {
  const { minutes, rig, told, shown, upstream, join } = await house(0);
  shown.list = crowd(300);
  upstream.on("verified-followers", () => ({ users: shown.list.slice(0, 20) }));
  const newcomers = (settings: object) => makeWatch("news", "new_followers", { accounts: ["acme"], source: "all", ...settings });
  await rig.setWatches([newcomers({ verified_only: true })]);
  await minutes(3);
  await rig.setWatches([newcomers({})]);
  await minutes(3);
  expect(await told()).toEqual([]);
  join("1");
  await minutes(3);
  await rig.setWatches([newcomers({ verified_only: true })]);
  await minutes(3);
  expect(await told()).toEqual(["follower.added 1"]);
});

it("tells nobody when the type of a watch is changed", async () => {
  const { minutes, rig, told, join } = await house(300);
  await rig.setWatches([makeWatch("w", "new_followers", { accounts: ["acme"], source: "all" })]);
  await minutes(3);
  join("1");
  await minutes(3);
  await rig.setWatches([makeWatch("w", "followers", { accounts: ["acme"] })]);
  await minutes(3);
  join("2");
  await minutes(3);
  expect(await told()).toEqual(["follower.added 1", "follower.added 2"]);
});

it("tells nobody when an account is no longer indexed and its whole list is read instead", async () => {
  const { minutes, rig, told, upstream, shown } = await house(300);
  upstream.on("info", () => ({ record: { ...makeUser("7", "acme") } }));
  upstream.on("new-followers-7d", () => ({ users: shown.list.slice(0, 3) }));
  await rig.setWatches([makeWatch("news", "new_followers", { accounts: ["acme"] })]);
  await minutes(3);
  upstream.on("new-followers-7d", () => {
    throw failure("not_found");
  });
  // Three times within some minutes, and it is believed.
  await minutes(12);
  expect(upstream.callsOf("followers").length).toBeGreaterThan(2);
  expect(await told()).toEqual([]);
});
