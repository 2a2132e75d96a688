import { afterEach, expect, it } from "vitest";
import type { User } from "../../src/model/user.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

async function setup(watch: Watch) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock, [makeUser("7", "acme")]);
  const start = async () =>
    (harness = await startEngineHarness({ clock, upstream, watches: [watch] }));
  return { clock, upstream, start };
}

const followers = (source: string, changes: WatchChanges = {}) =>
  makeWatch("w", "new_followers", { accounts: ["acme"], source }, changes);
const followedAt = (id: number, ms: number): User => ({
  ...makeUser(String(id)),
  followerDate: new Date(ms).toISOString(),
});
const alerted = async (from: EngineHarness) =>
  (await from.events()).map(({ body }) => body.user?.id ?? "").reverse();

it("fault 31: who leaves the 7-day window has not unfollowed, and who comes back is not new", async () => {
  const { clock, upstream, start } = await setup(followers("indexed"));
  let window = [
    followedAt(3, START - HOUR),
    followedAt(2, START - 2 * DAY),
    followedAt(1, START - 6 * DAY),
  ];
  upstream.on("new-followers-7d", () => ({ users: window }));
  const harness = await start();
  await clock.advance(2 * MINUTE);
  window = [followedAt(4, START + 2 * MINUTE), ...window.slice(0, 2)];
  await clock.advance(2 * MINUTE);
  window = [];
  await clock.advance(2 * MINUTE);
  window = [
    followedAt(4, START + 2 * MINUTE),
    followedAt(3, START - HOUR),
    followedAt(1, START + 5 * MINUTE),
  ];
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual(["4"]);
  expect((await harness.events())[0]?.type).toBe("follower.added");
  expect((await harness.events())[0]?.body.target?.username).toBe("acme");
});

/** Returns the follower list, newest first, in pages of 200. */
const listPages =
  (list: () => readonly User[], pageSize = 200) =>
  ({ cursor }: { readonly cursor?: string | undefined }) => {
    const from = Number(cursor ?? 0);
    const users = list().slice(from, from + pageSize);
    return {
      users,
      ...(from + pageSize < list().length ? { nextCursor: String(from + pageSize) } : {}),
    };
  };

it("falls back from the window to the whole list when the account is not indexed, silently at first", async () => {
  const { clock, upstream, start } = await setup(followers("auto"));
  let list = Array.from({ length: 450 }, (_, i) => makeUser(String(1_000 - i)));
  upstream.on(
    "followers",
    listPages(() => list),
  );
  upstream.on("info", () => ({ record: { ...makeUser("7", "acme") } }));
  const harness = await start();
  await clock.advance(3 * MINUTE);
  expect(upstream.callsOf("new-followers-7d").length).toBe(1);
  expect(upstream.callsOf("followers").length).toBeGreaterThanOrEqual(3);
  expect(await alerted(harness)).toEqual([]);
  expect(harness.opsAlerts).toEqual([]);
  list = [makeUser("2001"), makeUser("2000"), ...list];
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual(["2000", "2001"]);
  await harness.restart();
  list = [makeUser("2002"), ...list];
  await clock.advance(3 * MINUTE);
  expect(await alerted(harness)).toEqual(["2000", "2001", "2002"]);
  expect(upstream.callsOf("new-followers-7d").length).toBe(1);
});

it("does not leave the window for a 404 that passes, and loses nothing meanwhile", async () => {
  const { clock, upstream, start } = await setup(followers("auto"));
  let window: readonly User[] = [followedAt(1, START - HOUR)];
  let isGone = false;
  upstream.on("new-followers-7d", () => {
    if (isGone) throw failure("not_found");
    return { users: window };
  });
  upstream.on("info", () => ({ record: { ...makeUser("7", "acme") } }));
  upstream.on("followers", () => ({ users: window }));
  const harness = await start();
  await clock.advance(2 * MINUTE);
  isGone = true;
  window = [followedAt(2, START + 2 * MINUTE), ...window];
  await clock.advance(2 * MINUTE);
  isGone = false;
  await clock.advance(7 * MINUTE);
  expect(await alerted(harness)).toEqual(["2"]);
  expect(upstream.callsOf("followers")).toEqual([]);
  // An absence that lasts is reported.
  isGone = true;
  await clock.advance(20 * MINUTE);
  expect(upstream.callsOf("followers").length).toBeGreaterThan(0);
  expect(harness.opsAlerts).toEqual([]);
});

it("goes on with a whole list over several polls and a restart, and reports nothing before it is complete", async () => {
  const { clock, upstream, start } = await setup(followers("all", { maxPages: 2 }));
  let list = Array.from({ length: 1_900 }, (_, i) => makeUser(String(9_000 - i)));
  upstream.on(
    "followers",
    listPages(() => list),
  );
  const harness = await start();
  await clock.advance(2 * MINUTE);
  await harness.crash();
  await clock.advance(8 * MINUTE);
  expect(await alerted(harness)).toEqual([]);
  const [watch] = await harness.store.listWatches();
  expect(watch?.targets[0]?.baselineAtMs).not.toBeNull();
  expect(watch?.knownItems).toBe(1_900);
  list = [makeUser("9500"), ...list];
  const before = upstream.callsOf("followers").length;
  await clock.advance(2 * MINUTE);
  expect(await alerted(harness)).toEqual(["9500"]);
  expect(upstream.callsOf("followers").length - before).toBeLessThanOrEqual(4);
});

it("fault 30: a follower list that is empty for a while is no storm when it is back", async () => {
  const { clock, upstream, start } = await setup(
    followers("all", { schedule: { kind: "every", intervalMs: HOUR } }),
  );
  const list = Array.from({ length: 300 }, (_, i) => makeUser(String(9_000 - i)));
  let isEmpty = false;
  upstream.on("followers", (request) => (isEmpty ? { users: [] } : listPages(() => list)(request)));
  const harness = await start();
  await clock.advance(3 * MINUTE);
  isEmpty = true;
  await clock.advance(2 * DAY);
  isEmpty = false;
  await clock.advance(3 * HOUR);
  expect(await alerted(harness)).toEqual([]);
});

const score = () =>
  makeWatch("w", "score_delta", { accounts: ["acme"], when: { week_delta: ">= 25" } });

it("fault 32: null, NaN, a flip of sign or an account without a score make no event; crossing fires once and re-arms", async () => {
  const { clock, upstream, start } = await setup(score());
  let record: Record<string, unknown> = { week_delta: 30, month_delta: 1 };
  upstream.on("score-changes", () => ({ record: record as never }));
  const harness = await start();
  const events = async () => (await harness.events()).length;
  const show = async (weekDelta: unknown) => {
    record = { week_delta: weekDelta, month_delta: 1 };
    await clock.advance(MINUTE + 10_000);
    return events();
  };
  await clock.advance(10_000);
  expect(await events()).toBe(0);
  for (const quiet of [null, Number.NaN, undefined, -30, 24, -1]) expect(await show(quiet)).toBe(0);
  expect(await show(25)).toBe(1);
  // The value flaps around the threshold, but stays above 22.5, where the threshold re-arms.
  for (const flapping of [24, 26, 23, 27]) expect(await show(flapping)).toBe(1);
  expect(await show(22)).toBe(1);
  expect(await show(40)).toBe(2);
  const [newest] = await harness.events();
  expect(newest?.body).toMatchObject({
    score: { week_delta: 40 },
    previous: { week_delta: 22 },
    crossed: ["week_delta"],
  });
});

it("fault 32: a 404 of an account that exists is a status, asked about now and then, and no notice", async () => {
  const { clock, upstream, start } = await setup(score());
  upstream.on("info", () => ({ record: { ...makeUser("7", "acme") } }));
  const harness = await start();
  await clock.advance(5 * HOUR);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("not_indexed");
  expect(harness.opsAlerts).toEqual([]);
  expect(upstream.calls.length).toBeLessThanOrEqual(14);
  upstream.on("score-changes", () => ({ record: { week_delta: 1, month_delta: 1 } }));
  await clock.advance(2 * HOUR);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("ok");
});

it("does not take a service failure for an account that is not indexed", async () => {
  const { clock, upstream, start } = await setup(followers("auto"));
  upstream.on("new-followers-7d", () => {
    throw failure("not_found");
  });
  upstream.on("info", () => {
    throw failure("transient");
  });
  upstream.on("followers", () => ({ users: [] }));
  const harness = await start();
  await clock.advance(10 * MINUTE);
  expect(upstream.callsOf("followers")).toEqual([]);
  expect(await alerted(harness)).toEqual([]);
});
