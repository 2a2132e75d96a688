/**
 * Tests what is remembered of whom messages called, for how long, and what becomes of it when an
 * operator has them sent again.
 */
import { expect, test } from "vitest";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const DAY = 86_400_000;
const due = (store: OpenedStore, nowMs = T0 + 10) =>
  store.dueWork({ nowMs, sinks: ["chat"], busy: new Set(), limit: 100 });

/** Seals an alert that calls them. */
async function call(
  store: OpenedStore,
  id: string,
  mentions: readonly string[],
  sealedAtMs = T0,
): Promise<void> {
  const event = makeEvent(id);
  const delivery = {
    eventId: event.id,
    sink: "chat",
    groupKey: event.id,
    groupWaitMs: 0,
    groupIntervalMs: 0,
    notBeforeMs: T0,
  };
  await store.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  const [group] = (await due(store)).groups;
  const deliveryIds = group?.members.map(({ deliveryId }) => deliveryId) ?? [];
  await store.seal([
    {
      id,
      sink: "chat",
      groupKey: event.id,
      throttleKey: null,
      sealedAtMs,
      body: id,
      deliveryIds,
      mentions,
    },
  ]);
}

const give = (store: OpenedStore, messageId: string) =>
  store.record([
    { messageId, kind: "dead", atMs: T0, error: "no", cause: "expired", countAttempt: true },
  ]);

test("the last time counts, for each of them by itself, and not of what was given up", async () => {
  const store = await openTemp(memoryStatePath());
  await call(store, "1", ["a", "b", "a"], T0);
  await call(store, "2", ["b"], T0 + 5);
  await call(store, "3", ["a"], T0 + 7);
  await give(store, "3");
  expect(Object.fromEntries(await store.lastMentions("chat"))).toEqual({ a: T0, b: T0 + 5 });
  expect([...(await store.lastMentions("other"))]).toEqual([]);
});

test("it is known for as long as there may have to be from one to the next, whatever is kept of messages", async () => {
  const store = await openTemp(memoryStatePath());
  await call(store, "1", ["a"]);
  await store.record([{ messageId: "1", kind: "sent", atMs: T0 }]);
  await store.prune(T0 + 30 * DAY, DAY, new Set());
  expect([...(await store.lastMentions("chat"))]).toEqual([["a", T0]]);
  await store.prune(T0 + 31 * DAY, DAY, new Set());
  expect([...(await store.lastMentions("chat"))]).toEqual([]);
});

test("its time moves with a clock that is set back", async () => {
  const store = await openTemp(memoryStatePath());
  await call(store, "1", ["a"]);
  await store.setTimesBack(1_000);
  expect([...(await store.lastMentions("chat"))]).toEqual([["a", T0 - 1_000]]);
});

test("a dead letter that called somebody is rendered anew when it is sent again, as a replay", async () => {
  const store = await openTemp(memoryStatePath());
  await call(store, "1", ["a"]);
  await call(store, "2", []);
  for (const id of ["1", "2"]) await give(store, id);
  await store.resendDead({}, T0 + 1, "alice");
  const { groups, messages } = await due(store);
  expect(messages.map(({ id }) => id)).toEqual(["2"]);
  expect(
    groups.map(({ members }) => members.map(({ event, isReplay }) => [event.subject, isReplay])),
  ).toEqual([[["1", true]]]);
});
