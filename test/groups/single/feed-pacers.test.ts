/** Which pacer a feed gets. */
import { expect, it } from "vitest";
import { createFeedPacers, type FeedPacerDeps } from "../../../src/groups/single/feed-pacers.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MIN = 60_000;
const DEPS = { clock: createVirtualClock(0), slowDownOf: () => 1, feedStates: { get: () => undefined } } as unknown as FeedPacerDeps;
const pacerOf = createFeedPacers(DEPS);
const pollOf = (timing: Poll["timing"]) => ({ key: "k", priority: "normal", intervalMs: 2 * MIN, timing }) as unknown as Poll;

it("reads a feed with a schedule at its ticks, whatever a read found", async () => {
  const pacer = pacerOf(pollOf({ kind: "schedule", schedules: [] }));
  const read = { startedAtMs: 0, postedMs: [1, 2, 3], firstRate: () => ({ posts: 100, days: 1, excited: 0, atMs: 0 }), isWhole: true };
  expect(await pacer.after(read)).toBeUndefined();
  expect(pacer.nextDueMs()).toBeUndefined();
  expect([pacer.leastMs, pacer.mostMs]).toEqual([2 * MIN, 2 * MIN]);
});

it("leaves the interval of a feed under freshness between its least and its most wait", () => {
  const pacer = pacerOf(pollOf({ kind: "freshness", freshness: { kind: "mean", meanMs: MIN, maxMs: 10 * MIN } } as Poll["timing"]));
  expect([pacer.leastMs, pacer.mostMs]).toEqual([20_000, 10 * MIN]);
});
