/** Tests which pacer a feed gets. */
import { expect, it } from "vitest";
import { readAlgorithm } from "../../../src/groups/single/feed-algorithms.ts";
import { startFeed } from "../../../src/groups/single/feed-pace.ts";
import { createFeedPacers, type FeedPacerDeps } from "../../../src/groups/single/feed-pacers.ts";
import type { FeedEntry } from "../../../src/groups/single/feed-states.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MIN = 60_000;
const DEPS = {
  clock: createVirtualClock(0),
  slowDownOf: () => 1,
  feedStates: { get: () => undefined },
} as unknown as FeedPacerDeps;
const pacerOf = createFeedPacers(DEPS);
const pollOf = (timing: Poll["timing"]) =>
  ({ key: "k", priority: "normal", intervalMs: 2 * MIN, timing }) as unknown as Poll;

it("reads a feed with a schedule at its ticks, whatever a read found", async () => {
  const pacer = pacerOf(pollOf({ kind: "schedule", schedules: [] }));
  const read = {
    startedAtMs: 0,
    postedMs: [1, 2, 3],
    firstRate: () => ({ posts: 100, days: 1, excited: 0, atMs: 0 }),
    isWhole: true,
  };
  expect(await pacer.after(read)).toBeUndefined();
  expect(pacer.nextDueMs()).toBeUndefined();
  expect([pacer.leastMs, pacer.mostMs]).toEqual([2 * MIN, 2 * MIN]);
});

it("leaves the interval of a feed under freshness between its least and its most wait", () => {
  const pacer = pacerOf(
    pollOf({
      kind: "freshness",
      freshness: { kind: "mean", meanMs: MIN, maxMs: 10 * MIN },
    } as Poll["timing"]),
  );
  expect([pacer.leastMs, pacer.mostMs]).toEqual([20_000, 10 * MIN]);
});

it("learns nothing of the pace from the first read after a start, nor from one that came late", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2));
  const freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN } as const;
  const rate = { posts: 50, days: 1, excited: 0, atMs: clock.now() };
  const feedStates = new Map([
    ["k", { feed: startFeed(rate, readAlgorithm(freshness), clock.now()), readAtMs: clock.now() }],
  ]);
  const states = {
    get: (key: string) => feedStates.get(key),
    put: (key: string, entry: FeedEntry) => feedStates.set(key, entry),
    load: async () => {},
    flush: async () => {},
  };
  const serviceClock = { now: () => clock.now(), fromLocal: (ms: number) => ms };
  const deps = {
    clock,
    serviceClock,
    slowDownOf: () => 1,
    feedStates: states,
  } as unknown as FeedPacerDeps;
  const pacer = createFeedPacers(deps)(pollOf({ kind: "freshness", freshness }));
  let dueMs: number | undefined = clock.now();
  const learn = async (lateMs: number) => {
    await clock.advance(Math.max(0, (dueMs ?? 0) - clock.now()) + lateMs);
    const { pace } = feedStates.get("k")?.feed ?? {};
    dueMs = await pacer.after({
      startedAtMs: clock.now(),
      postedMs: [clock.now() - MIN / 2],
      firstRate: () => rate,
      isWhole: true,
    });
    return feedStates.get("k")?.feed.pace !== pace;
  };
  expect(await learn(0)).toBe(false);
  expect(await learn(0)).toBe(true);
  expect(await learn(3 * MIN)).toBe(false);
  expect(await learn(0)).toBe(true);
});
