/**
 * How many times a poll and a delivery wait for the server: each time costs a way there and back,
 * and a transaction holds its locks meanwhile.
 */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Store } from "../../src/model/store.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";
import { until } from "../support/until.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { PostgresStates } from "./postgres-states.ts";
import { START_MS as T0 } from "./temp-state.ts";

const MINUTE_MS = 60_000;

let server: PostgresServer;
let states: PostgresStates;
let proxy: PostgresProxy;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
  states = await PostgresStates.on(server);
});
afterAll(() => server.remove());
beforeEach(async () => {
  await states.empty();
  proxy = await PostgresProxy.start(server.port);
  onTestFinished(() => proxy.close());
  store = await states.open(proxy.port);
});

/** The round trips of the next poll and of what it leaves to be written. */
async function tripsOfNextPoll(harness: EngineHarness, clock: VirtualClock): Promise<number> {
  const before = { trips: proxy.roundTrips, polled: harness.polled.length };
  await until("the poll", async () => {
    await clock.advance(1_000);
    return harness.polled.length > before.polled;
  });
  return proxy.roundTrips - before.trips;
}

test("a poll without news takes at most 10 round trips, and one with an item that is new 14", async () => {
  const clock = createVirtualClock(T0);
  const tweets: Tweet[] = [makeTweet("100")];
  const upstream: Upstream = {
    call: async () => ({ tweets: [...tweets].reverse(), serviceTimeMs: clock.now() }),
  };
  const schedule = { kind: "every", intervalMs: MINUTE_MS } as const;
  const watch = makeWatch("w", "search", { query: "acme" }, { schedule, sinks: ["hook"] });
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    storeFilter: () => store,
  });
  onTestFinished(() => harness.close());
  for (let poll = 0; poll < 3; poll += 1) await tripsOfNextPoll(harness, clock);
  const without = await tripsOfNextPoll(harness, clock);
  tweets.push(makeTweet("200"));
  const withNews = await tripsOfNextPoll(harness, clock);
  expect(await store.recentEvents(9)).toHaveLength(1);
  expect(without).toBeLessThanOrEqual(10);
  expect(withNews).toBeLessThanOrEqual(14);
});

test("a delivery takes at most 7 round trips from when it is found until its result is stored", async () => {
  const event = makeEvent("1");
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
  const deliveries = [{ eventId: event.id, sink: "hook", groupKey: event.id, ...timing }];
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events: [event], deliveries });
  const before = proxy.roundTrips;
  const { groups } = await store.dueWork({ nowMs: T0, sinks: ["hook"], busy: new Set(), limit: 9 });
  const [group] = groups;
  await store.seal([
    {
      ...{
        id: "m1",
        sink: "hook",
        groupKey: event.id,
        throttleKey: null,
        sealedAtMs: T0,
        body: {},
      },
      deliveryIds: group?.members.map(({ deliveryId }) => deliveryId) ?? [],
    },
  ]);
  await store.record([{ messageId: "m1", kind: "sent", atMs: T0 }]);
  expect(proxy.roundTrips - before).toBeLessThanOrEqual(7);
});
