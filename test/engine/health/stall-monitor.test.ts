import { afterEach, expect, it } from "vitest";
import type { Tweet } from "../../../src/model/tweet.ts";
import { createAccountsWorld, serveWorld } from "../../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../../support/engine-harness.ts";
import { makeTweet, makeUser } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../../support/scripted-upstream.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 3_600_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/**
 * Sets up the timelines of accounts 1 to `count`, each read on its own. `lists` holds the present
 * content of each.
 */
async function setup(count: number, intervalMs = MINUTE) {
  const clock = createVirtualClock(START);
  const users = Array.from({ length: count }, (_, i) => makeUser(String(i + 1), `user${i + 1}`));
  const upstream = createScriptedUpstream(clock, users);
  const lists = new Map<string, readonly Tweet[]>(
    users.map(({ id }) => [id, [tweetAt(START - HOUR, Number(id))]]),
  );
  upstream.on("user-tweets", ({ params }) => ({
    tweets: lists.get(params["user_id"] as string) ?? [],
  }));
  const watches = users.map(({ username }) =>
    makeWatch(
      `w-${username}`,
      "timeline",
      { accounts: [username] },
      { strategy: "single", schedule: { kind: "every", intervalMs } },
    ),
  );
  harness = await startEngineHarness({ clock, upstream, watches });
  return { clock, upstream, lists, harness };
}

const tweetAt = (ms: number, number: number): Tweet => ({
  ...makeTweet(String(((BigInt(ms) - 1288834974657n) << 22n) + BigInt(number))),
  created_at: new Date(ms).toISOString(),
});

const alerted = (from: EngineHarness) =>
  from.opsAlerts.map(({ type, subject }) => `${type} ${subject}`);

it("reports once that a watch is stalled when one source keeps failing while others answer, and again after it had recovered", async () => {
  const { clock, upstream, harness } = await setup(2);
  const fail = () => {
    upstream.trouble = ({ params }) => {
      if (params["user_id"] === "1") throw failure("transient");
      return undefined;
    };
  };
  await clock.advance(5 * MINUTE);
  fail();
  await clock.advance(10 * MINUTE);
  expect(alerted(harness)).toEqual([]);
  await clock.advance(HOUR);
  expect(alerted(harness)).toEqual(["watch.stalled w-user1"]);
  expect(harness.opsAlerts[0]?.message).toContain(
    "its polls have been failing since 2026-03-02T12:0",
  );
  await harness.restart();
  await clock.advance(HOUR);
  expect(alerted(harness)).toEqual(["watch.stalled w-user1"]);
  upstream.trouble = undefined;
  await clock.advance(HOUR);
  fail();
  await clock.advance(2 * HOUR);
  expect(alerted(harness)).toEqual(["watch.stalled w-user1", "watch.stalled w-user1"]);
});

it("reports that a list came back empty three times although it held items, of the one watch it is about", async () => {
  const { clock, lists, harness } = await setup(3);
  await clock.advance(5 * MINUTE);
  lists.set("2", []);
  await clock.advance(10 * MINUTE);
  expect(alerted(harness)).toEqual(["watch.stalled w-user2"]);
});

it("reports the service as down, once, when most lists come back empty, and recovered when they are filled again", async () => {
  const { clock, lists, harness } = await setup(4);
  await clock.advance(5 * MINUTE);
  const before = new Map(lists);
  for (const id of lists.keys()) lists.set(id, []);
  await clock.advance(2 * HOUR);
  expect(alerted(harness)).toEqual(["upstream.dark upstream"]);
  expect(harness.opsAlerts[0]?.message).toContain("empty lists");
  for (const [id, tweets] of before) lists.set(id, [tweetAt(clock.now(), Number(id)), ...tweets]);
  await clock.advance(10 * MINUTE);
  expect(alerted(harness)).toEqual(["upstream.dark upstream", "upstream.recovered upstream"]);
});

it("reports the service as recovered when probed accounts have news again, though others that were read in vain have none yet", async () => {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < 4; i += 1) world.post(world.add(`a${i}`), START - HOUR);
  const { upstream } = serveWorld(world, clock);
  let isEmpty = false;
  const service: typeof upstream = {
    call: (request) =>
      isEmpty && request.endpoint !== "info-batch"
        ? Promise.resolve({ tweets: [] })
        : upstream.call(request),
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  harness = await startEngineHarness({
    clock,
    upstream: service,
    watches: [
      makeWatch("w", "timeline", { accounts }, { strategy: "probe", fullPollEveryMs: 10 * HOUR }),
    ],
  });
  await clock.advance(5 * MINUTE);
  isEmpty = true;
  for (const account of world.accounts) world.post(account, clock.now() + MINUTE);
  await clock.advance(HOUR);
  expect(alerted(harness)).toContain("upstream.dark upstream");
  isEmpty = false;
  for (const account of world.accounts.slice(0, 1)) world.post(account, clock.now() + MINUTE);
  await clock.advance(10 * MINUTE);
  expect(alerted(harness)).toContain("upstream.recovered upstream");
});

it("reports the service as recovered once lists show again what they held, however long they were empty, and not for a restart", async () => {
  const { clock, lists, harness } = await setup(2);
  await clock.advance(5 * MINUTE);
  const held = new Map(lists);
  for (const id of held.keys()) lists.set(id, []);
  await clock.advance(HOUR);
  await harness.restart();
  await clock.advance(10 * MINUTE);
  expect(alerted(harness)).toEqual(["upstream.dark upstream"]);
  for (const [id, tweets] of held) lists.set(id, tweets);
  await clock.advance(2 * MINUTE);
  expect(alerted(harness)).toEqual(["upstream.dark upstream", "upstream.recovered upstream"]);
});

it("reports the service as down when nothing is new for far longer than the pace it had, without an error and without empty lists", async () => {
  const { clock, lists, harness } = await setup(2, 5 * MINUTE);
  const post = (id: string) =>
    lists.set(id, [tweetAt(clock.now(), Number(id)), ...(lists.get(id) ?? [])].slice(0, 20));
  for (let round = 0; round < 8 * 12; round += 1) {
    await clock.advance(5 * MINUTE);
    post("1");
    post("2");
  }
  await clock.advance(2 * HOUR);
  expect(alerted(harness)).toEqual([]);
  await clock.advance(4 * HOUR);
  expect(alerted(harness)).toEqual(["upstream.dark upstream"]);
  expect(harness.opsAlerts[0]?.message).toContain("has returned nothing new for any watch since");
  post("1");
  await clock.advance(10 * MINUTE);
  expect(alerted(harness).at(-1)).toBe("upstream.recovered upstream");
});

it("takes neither a quiet account nor a paused daemon for a silent service", async () => {
  const { clock, lists, harness } = await setup(2, 5 * MINUTE);
  for (let round = 0; round < 8 * 12; round += 1) {
    await clock.advance(5 * MINUTE);
    lists.set("1", [tweetAt(clock.now(), 1), ...(lists.get("1") ?? [])].slice(0, 20));
  }
  await harness.pause("w-user1", true);
  await clock.advance(12 * HOUR);
  expect(alerted(harness)).toEqual([]);
});

it("does not take what a reported outage left behind for a stalled watch", async () => {
  const { clock, upstream, harness } = await setup(3);
  await clock.advance(5 * MINUTE);
  upstream.trouble = () => {
    throw failure("transient");
  };
  await clock.advance(2 * HOUR);
  upstream.trouble = undefined;
  await clock.advance(30 * MINUTE);
  expect(alerted(harness)).toEqual(["upstream.dark upstream", "upstream.recovered upstream"]);
});
