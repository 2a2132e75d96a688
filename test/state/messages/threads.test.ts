/**
 * Threads in the store: how long the first message of one is kept, and what an operator sends
 * again.
 */
import { expect, test } from "vitest";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const DAY = 86_400_000;
const due = (store: OpenedStore, nowMs = T0 + 10) =>
  store.dueWork({ nowMs, sinks: ["chat"], busy: new Set(), limit: 100 });

/** Seals an alert of one conversation. */
async function seal(store: OpenedStore, id: string, sealedAtMs = T0, key = "c"): Promise<void> {
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
  const [group] = (await due(store, sealedAtMs)).groups;
  const deliveryIds = group?.members.map(({ deliveryId }) => deliveryId) ?? [];
  const thread = { key, windowMs: DAY };
  await store.seal([
    {
      id,
      sink: "chat",
      groupKey: event.id,
      throttleKey: null,
      sealedAtMs,
      body: id,
      deliveryIds,
      thread,
    },
  ]);
}

const sent = (store: OpenedStore, messageId: string) =>
  store.record([{ messageId, kind: "sent", atMs: T0, ref: `ref-${messageId}` }]);
const dead = (store: OpenedStore, messageId: string) =>
  store.record([
    { messageId, kind: "dead", atMs: T0, error: "no", cause: "expired", countAttempt: true },
  ]);
const shown = async (store: OpenedStore, nowMs?: number) =>
  (await due(store, nowMs)).messages.map(({ id, threadRef }) => [id, threadRef]);

test("the first message of an open thread is kept, whatever is kept of messages", async () => {
  const store = await openTemp(memoryStatePath());
  await seal(store, "1");
  await sent(store, "1");
  await store.prune(T0 + DAY - 1, 1_000, new Set());
  await seal(store, "2", T0 + DAY - 1);
  expect(await shown(store, T0 + DAY)).toEqual([["2", "ref-1"]]);
  await store.prune(T0 + DAY + 1, 1_000, new Set());
  expect(await shown(store, T0 + DAY)).toEqual([["2", undefined]]);
});

test("its window ends by a clock that was set back, as the clock does", async () => {
  const store = await openTemp(memoryStatePath());
  await seal(store, "1");
  await sent(store, "1");
  await store.setTimesBack(1_000);
  await seal(store, "2", T0 + DAY - 1_001);
  await seal(store, "3", T0 + DAY - 1_000);
  expect(await shown(store, T0 + DAY)).toEqual([
    ["2", "ref-1"],
    ["3", undefined],
  ]);
});

test("dead letters sent again do not wait for each other: below a message that was sent, or in the channel", async () => {
  const store = await openTemp(memoryStatePath());
  for (const id of ["1", "2"]) await seal(store, id);
  await seal(store, "3", T0, "d");
  await sent(store, "3");
  await seal(store, "4", T0, "d");
  // The second first: it passes nothing on.
  for (const id of ["2", "1", "4"]) await dead(store, id);
  await store.resendDead({}, T0 + 1, "alice");
  expect((await shown(store)).sort(([a = ""], [b = ""]) => a.localeCompare(b))).toEqual([
    ["1", undefined],
    ["2", undefined],
    ["4", "ref-3"],
  ]);
});
