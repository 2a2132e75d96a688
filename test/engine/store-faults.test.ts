import { afterEach, expect, it } from "vitest";
import type { Store } from "../../src/model/store.ts";
import { STORE_HELD_MS } from "../../src/engine/health/store-monitor.ts";
import { StoreError } from "../../src/model/store-error.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** Sets up a store whose named methods throw while `failing` says so. */
async function setup(names: readonly (keyof Store)[]) {
  const clock = createVirtualClock(START);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  world.post(START - MINUTE);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", (request, nowMs) => world.answer(request, nowMs));
  const failing: { error: StoreError | undefined } = { error: undefined };
  const storeFilter = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || !names.includes(name as keyof Store)) return value;
        return (...args: unknown[]) =>
          failing.error === undefined ? value.apply(target, args) : Promise.reject(failing.error);
      },
    });
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [makeWatch("w", "search", { query: "acme" })],
    storeFilter,
  });
  await clock.advance(5_000);
  return { clock, world, upstream, harness, failing };
}

it.each([
  ["a full disk", ["commitPoll", "proveWritable", "reserve", "settle"]],
  ["a disk that fills between request and commit", ["commitPoll", "proveWritable"]],
] as const)(
  "fault 60: %s stops polling, is reported without the store, is tried every 5 s, and nothing is lost",
  async (_name, names) => {
    const { clock, world, upstream, harness, failing } = await setup(names);
    const tweet = world.post(START + 30_000);
    failing.error = new StoreError("STORE_FULL", "The disk is full.");
    await clock.advanceTo(START + 30 * MINUTE);
    expect(upstream.calls.length).toBeLessThanOrEqual(2);
    expect(harness.storeMonitor.trouble).toMatch(/disk is full/);
    expect(harness.direct).toEqual([expect.stringMatching(/stopped polling: The disk is full/)]);
    expect(harness.opsAlerts).toEqual([]);
    failing.error = undefined;
    await clock.advance(10_000 + STORE_HELD_MS);
    expect(harness.direct).toEqual([
      expect.anything(),
      expect.stringMatching(/can write its state again/),
    ]);
    expect((await harness.events()).map(({ subject }) => subject)).toEqual([tweet.id]);
  },
);

it("fault 61: a lock held by another process is waited for, and raises no ops alert", async () => {
  const { clock, world, harness, failing } = await setup(["commitPoll", "reserve"]);
  const tweet = world.post(START + 30_000);
  failing.error = new StoreError("STORE_BUSY", "The database is locked.");
  await clock.advanceTo(START + 2 * MINUTE);
  failing.error = undefined;
  await clock.advance(10_000);
  expect(harness.direct).toEqual([]);
  expect(harness.storeMonitor.trouble).toBeUndefined();
  expect((await harness.events()).map(({ subject }) => subject)).toEqual([tweet.id]);
});

it("gives the gate back after the ledger threw: the next request is served", async () => {
  const { clock, upstream, harness, failing } = await setup(["settle"]);
  failing.error = new StoreError("STORE_WRITE_FAILED", "The disk failed.");
  await clock.advanceTo(START + 70_000);
  failing.error = undefined;
  await clock.advanceTo(START + 4 * MINUTE);
  expect(harness.polled.at(-1)?.error).toBeUndefined();
  expect((await harness.store.spentSince(0)).total).toBe(upstream.calls.length);
});

it("leaves no timer behind when it stops", async () => {
  const { clock, harness } = await setup([]);
  await clock.advance(5 * MINUTE);
  harness.upstreamMonitor.stop();
  harness.quotaMonitor.stop();
  harness.storeMonitor.stop();
  await harness.engine.stop();
  expect(clock.pending()).toBe(0);
});

it("leaves no timer behind when it stops while its checks run", async () => {
  const { clock, harness, failing } = await setup(["commitPoll", "proveWritable"]);
  failing.error = new StoreError("STORE_FULL", "The disk is full.");
  await clock.advance(2 * MINUTE);
  harness.upstreamMonitor.stop();
  harness.quotaMonitor.stop();
  const stopped = harness.engine.stop();
  harness.storeMonitor.stop();
  await clock.advance(MINUTE);
  await stopped;
  expect(clock.pending()).toBe(0);
});
