import { expect, it } from "vitest";
import { createFeedStates } from "../../../src/groups/single/feed-states.ts";
import type { FeedRead } from "../../../src/groups/single/feed-pacers.ts";
import { createFeedPacers } from "../../../src/groups/single/feed-pacers.ts";
import type { ServiceClock } from "../../../src/requests/service-clock.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import type { Freshness } from "../../../src/model/schedule.ts";
import { firstRate } from "../../../src/plan/rates/rates.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };

const pollOf = (freshness: Freshness): Poll =>
  ({
    key: "k",
    priority: "normal",
    intervalMs: 2 * MIN,
    timing: { kind: "freshness", freshness },
  }) as unknown as Poll;

function setup() {
  const clock = createVirtualClock(START);
  const store = createLearnedInMemory();
  let factor = 1;
  const serviceClock = {
    now: () => clock.now(),
    fromLocal: (localMs: number) => localMs,
  } as ServiceClock;
  const open = () => {
    const feedStates = createFeedStates(store, clock);
    return {
      feedStates,
      pacerOf: createFeedPacers({ feedStates, clock, serviceClock, slowDownOf: () => factor }),
    };
  };
  let { feedStates, pacerOf } = open();
  const read = (agoMs: readonly number[], changes: Partial<FeedRead> = {}, freshness = MEAN) =>
    pacerOf(pollOf(freshness)).after({
      startedAtMs: clock.now(),
      postedMs: agoMs.map((ms) => clock.now() - ms),
      firstRate: (nowMs) => firstRate([START - 3 * HOUR, START - 2 * HOUR, START - HOUR], nowMs),
      isWhole: true,
      ...changes,
    });
  return {
    clock,
    read,
    slowDownBy: (by: number) => void (factor = by),
    worth: () => feedStates.get("k")?.feed.pace.worth,
    rate: () => feedStates.get("k")?.feed.rate.posts,
    nextDueMs: () => pacerOf(pollOf(MEAN)).nextDueMs(),
    async restart() {
      await feedStates.close();
      ({ feedStates, pacerOf } = open());
      await feedStates.load();
    },
  };
}

const LATE = [90_000, 95_000, 100_000, 110_000];

it("learns from posts that were late because no poll came, and keeps that over a restart", async () => {
  const { clock, read, worth, restart } = setup();
  await read([]);
  await clock.advance(2 * MIN);
  await read(LATE);
  const learned = worth();
  expect(learned).toBeLessThan(1);
  await restart();
  expect(worth()).toBe(learned);
});

it.each([
  [
    "appeared late",
    async ({ read }: ReturnType<typeof setup>) => read(LATE.map((ms) => ms + HOUR)),
  ],
  [
    "were found by a read that was cut",
    async ({ read }: ReturnType<typeof setup>) => read(LATE, { isWhole: false }),
  ],
  [
    "were found after an outage",
    async ({ clock, read }: ReturnType<typeof setup>) => {
      await clock.advance(HOUR);
      return read(LATE.map((ms) => ms + 30 * MIN));
    },
  ],
  [
    "were found after an outage that was shorter than the longest wait",
    async ({ clock, read }: ReturnType<typeof setup>) => {
      await clock.advance(6 * MIN);
      return read(LATE.map((ms) => ms + 4 * MIN));
    },
  ],
  [
    "were found by a read that waited for its answer",
    async ({ clock, read }: ReturnType<typeof setup>) => {
      const startedAtMs = clock.now();
      await clock.advance(HOUR);
      return read(
        LATE.map((ms) => ms + 30 * MIN),
        { startedAtMs },
      );
    },
  ],
  [
    "waited while the quota was short",
    async ({ clock, read, slowDownBy }: ReturnType<typeof setup>) => {
      slowDownBy(4);
      await read([]);
      await clock.advance(8 * MIN);
      slowDownBy(1);
      return read(LATE.map((ms) => ms + 4 * MIN));
    },
  ],
  [
    "were found late because the quota is short",
    async ({ read, slowDownBy }: ReturnType<typeof setup>) => {
      slowDownBy(2);
      return read(LATE);
    },
  ],
])("learns nothing of the pace from posts that %s", async (_, act) => {
  const one = setup();
  await one.read([]);
  await one.clock.advance(2 * MIN);
  await act(one);
  expect(one.worth()).toBe(1);
});

it("counts posts of an outage as posts, and those that were there before as none", async () => {
  const { clock, read, rate } = setup();
  await read([]);
  const first = rate() ?? 0;
  await clock.advance(HOUR);
  await read([30 * MIN, 3 * HOUR]);
  expect(rate()).toBeGreaterThan(first + 0.9);
  expect(rate()).toBeLessThan(first + 1.1);
});

it("goes slower while the quota is short, and at once faster when it is not", async () => {
  const { clock, read, slowDownBy, nextDueMs } = setup();
  expect(nextDueMs()).toBeUndefined();
  slowDownBy(4);
  const slow = ((await read([])) ?? 0) - clock.now();
  expect(slow).toBeGreaterThan(6 * MIN);
  slowDownBy(1);
  expect((nextDueMs() ?? 0) - clock.now()).toBeLessThan(slow / 3);
});

it("begins anew where a mean was asked for and a p95 is now, and keeps what it knows of the posts", async () => {
  const { clock, read, worth, rate } = setup();
  await read([]);
  await clock.advance(2 * MIN);
  await read(LATE);
  const known = rate() ?? 0;
  await clock.advance(2 * MIN);
  const p95: Freshness = { kind: "p95", p95Ms: MIN };
  const nextDueMs = (await read([], {}, p95)) ?? 0;
  expect(worth()).toBe(1);
  expect(rate()).toBeCloseTo(known);
  expect(nextDueMs - clock.now()).toBeGreaterThanOrEqual(MIN);
});
