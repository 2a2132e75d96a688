/** Tests a daemon that is killed between a probe and the read that would have explained it. */
import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Store } from "../../src/model/store.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createAccountsWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const SECOND = 1_000;
const MIN = 60_000;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/** Sets up accounts with three old posts each, and one timeline watch on all of them. */
async function setup(
  intervalMs: number,
  count = 10,
  storeFilter: (store: Store) => Store = (store) => store,
) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`account_${i}`);
    for (let day = 1; day <= 3; day += 1) world.post(account, START - day * 86_400_000 + i);
  }
  const asked: string[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      asked.push(request.endpoint);
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    { schedule: { kind: "every", intervalMs }, strategy: "probe", fullPollEveryMs: 12 * 60 * MIN },
  );
  const harness = await startEngineHarness({ clock, upstream, watches: [watch], storeFilter });
  harnesses.push(harness);
  const alerted = async () => (await harness.events()).map(({ subject }) => subject);
  return {
    clock,
    world,
    harness,
    alerted,
    asked,
    account: (index: number) => world.accounts[index] as WorldAccount,
  };
}

describe("after a crash, a post that the feed shows late", () => {
  it("is found on the usual ticks where the accounts had been read but once before", async () => {
    const { clock, world, harness, alerted, account } = await setup(2 * MIN);
    await clock.advance(20 * SECOND);
    const post = world.post(account(3), clock.now() + SECOND, { searchLagMs: 10 * MIN });
    await clock.advance(10 * SECOND);
    await harness.crash();
    await clock.advance(8 * MIN);
    expect(await alerted()).toEqual([post.id]);
  });

  it("is found on the usual ticks where the interval is long and the crash came before the second run", async () => {
    const { clock, world, harness, alerted, account } = await setup(60 * MIN);
    await clock.advance(20 * MIN);
    const post = world.post(account(3), clock.now() + SECOND, { searchLagMs: 120 * MIN });
    await clock.advance(10 * MIN);
    await harness.crash();
    await clock.advance(62 * MIN);
    expect(await alerted()).toEqual([post.id]);
  });

  it("is found on the usual ticks where the counter fell back before the next probe", async () => {
    const { clock, world, harness, alerted, account } = await setup(20 * SECOND);
    await clock.advance(2 * MIN + 30 * SECOND);
    const other = world.post(account(5), clock.now() + SECOND);
    await clock.advance(20 * SECOND);
    const postedMs = clock.now() + SECOND;
    const post = world.post(account(3), postedMs, { visibleLagMs: 90 * SECOND });
    // The counter shows the post before the timeline does.
    account(3).flaps.push({ fromMs: postedMs, untilMs: postedMs + 90 * SECOND, by: 1 });
    await clock.advance(20 * SECOND);
    await harness.crash();
    world.delete(account(3), 0, clock.now());
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([post.id, other.id]);
  });
});

it("keeps at a stop what its last reads found: nothing is read again for it", async () => {
  const { clock, world, harness, alerted, asked, account } = await setup(20 * SECOND);
  await clock.advance(2 * MIN + 30 * SECOND);
  const other = world.post(account(5), clock.now() + SECOND);
  await clock.advance(20 * SECOND);
  const post = world.post(account(3), clock.now() + SECOND);
  await clock.advance(20 * SECOND);
  expect(await alerted()).toEqual([post.id, other.id]);
  await harness.restart();
  asked.length = 0;
  await clock.advance(2 * MIN);
  expect(new Set(asked)).toEqual(new Set(["info-batch"]));
});

it("reads nothing again for a crash after what was reported before it", async () => {
  const { clock, world, harness, alerted, asked, account } = await setup(20 * SECOND);
  await clock.advance(7 * MIN + 30 * SECOND);
  const ids: string[] = [];
  for (let crash = 0; crash < 5; crash += 1) {
    ids.push(world.post(account(crash), clock.now() + SECOND).id);
    await clock.advance(60 * SECOND);
    expect(await alerted()).toHaveLength(ids.length);
    await harness.crash();
    asked.length = 0;
    await clock.advance(2 * MIN);
    expect(new Set(asked)).toEqual(new Set(["info-batch"]));
  }
});

it("writes what a probe saw and what reads showed once a run each, however many there are", async () => {
  let writes = 0;
  const { clock, world, account, harness } = await setup(2 * SECOND, 60, (store) => ({
    ...store,
    saveLearned: async (scope, changes) => {
      if (scope === "accounts") writes += 1;
      await store.saveLearned(scope, changes);
    },
  }));
  await clock.advance(2 * MIN);
  const post = (seconds: number) =>
    world.post(account(seconds % 60), clock.now() + seconds * SECOND);
  for (let seconds = 1; seconds < 60; seconds += 1) post(seconds);
  writes = 0;
  await clock.advance(MIN + 4 * SECOND);
  expect(await harness.events()).toHaveLength(59);
  expect(writes).toBeLessThanOrEqual(2 * 32);
});

it.each([
  ["while the first reads run", 5 * SECOND],
  ["a minute after them", 75 * SECOND],
])("reads hardly any account again for a crash %s", async (_, crashMs) => {
  const { clock, harness, asked } = await setup(2 * MIN, 200);
  await clock.advance(crashMs);
  await harness.crash();
  await clock.advance(5 * MIN);
  expect(asked.filter((endpoint) => endpoint === "user-tweets").length).toBeLessThanOrEqual(
    200 + 40,
  );
});
