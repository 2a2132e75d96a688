/**
 * What sealing does to the timers of groups, and what the outbox says of what waits, over several
 * sinks.
 */
import { expect, test } from "vitest";
import type { NewDelivery } from "../../src/model/poll-store.ts";
import type { NewMessage } from "../../src/model/outbox.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { digestGroup } from "../../src/model/digest.ts";
import { makeEvent } from "../support/make-event.ts";
import { openTemp, START_MS as T0, tempStatePath } from "./temp-state.ts";

const THROTTLE = "sink:hook";

const deliver = async (
  store: OpenedStore,
  subjects: readonly string[],
  changes: Partial<NewDelivery> = {},
  atMs = T0,
) => {
  const events = subjects.map((subject) =>
    makeEvent(subject, { id: `${changes.sink ?? "hook"} ${subject}` }),
  );
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: atMs };
  const deliveries = events.map(({ id }) => ({
    eventId: id,
    sink: "hook",
    groupKey: id,
    ...timing,
    ...changes,
  }));
  await store.commitPoll({ atMs, targets: [], verdicts: [], events, deliveries });
};

const dueGroups = async (store: OpenedStore, nowMs: number, sink = "hook") =>
  (await store.dueWork({ nowMs, sinks: [sink], busy: new Set(), limit: 100 })).groups;

/** Seals each group that is due as a message named after it. */
async function seal(store: OpenedStore, nowMs: number, sink = "hook"): Promise<readonly string[]> {
  const messages = (await dueGroups(store, nowMs, sink)).map(
    ({ groupKey, throttleKey, members }): NewMessage => ({
      id: `${groupKey} at ${nowMs - T0}`,
      sink,
      groupKey,
      throttleKey,
      sealedAtMs: nowMs,
      body: "text",
      deliveryIds: members.map(({ deliveryId }) => deliveryId),
    }),
  );
  await store.seal(messages);
  return messages.map(({ id }) => id);
}

const sent = (store: OpenedStore, ids: readonly string[], atMs: number) =>
  store.record(ids.map((messageId) => ({ messageId, kind: "sent", atMs })));

test("a group of which several wait for different times is due by the earliest of what is left, each time", async () => {
  const store = await openTemp(tempStatePath());
  for (const [subject, dueMs] of [
    ["1", T0],
    ["2", T0 + 3_000],
    ["3", T0 + 2_000],
    ["4", T0 + 4_000],
  ] as const)
    await deliver(store, [subject], { groupKey: "team", notBeforeMs: dueMs, heldBy: "nights" });
  const times: (number | null)[] = [];
  for (const nowMs of [T0, T0 + 2_000, T0 + 3_000, T0 + 4_000]) {
    await sent(store, await seal(store, nowMs), nowMs);
    times.push(await store.nextDueAt(["hook"]));
  }
  expect(times).toEqual([T0 + 2_000, T0 + 3_000, T0 + 4_000, null]);
});

test("a group whose alerts went out in a digest waits its interval from the digest on", async () => {
  const store = await openTemp(tempStatePath());
  const digestKey = digestGroup("throttle", THROTTLE);
  const grouped = { groupKey: "team", groupIntervalMs: 60_000, throttleKey: THROTTLE };
  await deliver(store, ["1", "2"], grouped);
  await store.gather({
    sink: "hook",
    throttleKey: THROTTLE,
    nowMs: T0,
    digestKey,
    digestDueAtMs: T0 + 5_000,
  });
  await sent(store, await seal(store, T0 + 5_000), T0 + 5_000);
  await deliver(store, ["3"], grouped, T0 + 6_000);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 65_000);
});

test("a group whose alerts were gathered waits no more by itself: the next thing to do is their digest", async () => {
  const store = await openTemp(tempStatePath());
  const digestKey = digestGroup("throttle", THROTTLE);
  await deliver(store, ["1", "2"], { groupKey: "team", throttleKey: THROTTLE });
  await deliver(store, ["3"], { throttleKey: THROTTLE });
  await store.gather({
    sink: "hook",
    throttleKey: THROTTLE,
    nowMs: T0,
    digestKey,
    digestDueAtMs: T0 + 5_000,
  });
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 5_000);
  expect(
    (await dueGroups(store, T0 + 5_000)).map(({ groupKey, members }) => [groupKey, members.length]),
  ).toEqual([[digestKey, 3]]);
});

test("the next thing to do is the earliest of all: what waits alone, in a group, or for its next attempt, over all sinks asked for", async () => {
  const store = await openTemp(tempStatePath());
  const at = (ms: number) => ({ notBeforeMs: T0 + ms, heldBy: "nights" });
  await deliver(store, ["alone"], at(5_000));
  await deliver(store, ["grouped"], { groupKey: "team", ...at(3_000) });
  await deliver(store, ["elsewhere"], { sink: "chat", ...at(2_000) });
  await deliver(store, ["tried"]);
  const [messageId = ""] = await seal(store, T0);
  await store.record([
    {
      messageId,
      kind: "retry",
      atMs: T0,
      nextAttemptAtMs: T0 + 4_000,
      error: "503",
      countAttempt: true,
    },
  ]);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 3_000);
  expect(await store.nextDueAt(["chat", "hook"])).toBe(T0 + 2_000);
  expect(await store.nextDueAt(["hook", "chat"])).toBe(T0 + 2_000);
  expect(await store.nextDueAt(["other"])).toBeNull();
});

test("an alert that joins one of its group that waits goes out with it, at its time", async () => {
  const store = await openTemp(tempStatePath());
  const once = { key: "tweet 1", withinMs: 86_400_000 };
  const grouped = { groupKey: "team", groupWaitMs: 10_000, once };
  await deliver(store, ["1"], grouped);
  await deliver(store, ["2"], grouped, T0 + 9_000);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 10_000);
  const [group] = await dueGroups(store, T0 + 10_000);
  expect(group?.members.map(({ event }) => event.subject)).toEqual(["1"]);
});

test("a message that names what does not wait any more is refused for good, and nothing of it is stored", async () => {
  const store = await openTemp(tempStatePath());
  await deliver(store, ["1", "2"]);
  const ids = (await dueGroups(store, T0)).flatMap(({ members }) =>
    members.map(({ deliveryId }) => deliveryId),
  );
  const message = {
    sink: "hook",
    groupKey: "team",
    throttleKey: null,
    sealedAtMs: T0,
    body: "text",
  };
  await store.seal([{ ...message, id: "first", deliveryIds: ids.slice(0, 1) }]);
  const refused = {
    code: "STORE_WRITE_FAILED",
    retry: "no",
    message: expect.stringContaining("second"),
  };
  await expect(store.seal([{ ...message, id: "second", deliveryIds: ids }])).rejects.toMatchObject(
    refused,
  );
  await expect(
    store.seal([{ ...message, id: "second", deliveryIds: [], summarisedIds: ids }]),
  ).rejects.toMatchObject(refused);
  expect(await dueGroups(store, T0)).toHaveLength(1);
});

test("says of each sink, by name, since when the oldest waits, unsealed or not yet sent, and what became of the others", async () => {
  const store = await openTemp(tempStatePath());
  await deliver(store, ["0"], { sink: "archive" });
  await sent(store, await seal(store, T0, "archive"), T0);
  await deliver(store, ["1"], { sink: "hook" }, T0 + 1_000);
  await deliver(store, ["2"], { sink: "hook" }, T0 + 2_000);
  for (const [subject, atMs] of [
    ["1", T0],
    ["2", T0 + 500],
    ["3", T0 + 900],
  ] as const) {
    await deliver(store, [subject], { sink: "chat" }, atMs);
    await seal(store, atMs, "chat");
  }
  await deliver(store, ["4"], { sink: "chat" }, T0 + 5_000);
  const [first] = (await store.dueWork({ nowMs: T0, sinks: ["chat"], busy: new Set(), limit: 1 }))
    .messages;
  await sent(store, [first?.id ?? ""], T0 + 1_000);
  expect(await store.outboxStats()).toEqual([
    { sink: "archive", waiting: 0, oldestAtMs: null, sent: 1, dead: 0 },
    { sink: "chat", waiting: 3, oldestAtMs: T0 + 500, sent: 1, dead: 0 },
    { sink: "hook", waiting: 2, oldestAtMs: T0 + 1_000, sent: 0, dead: 0 },
  ]);
  const dead = {
    messageId: `chat 2 at 500`,
    kind: "dead",
    atMs: T0,
    error: "no",
    cause: "refused 400",
    countAttempt: true,
  } as const;
  await store.record([dead]);
  expect(await store.outboxStats()).toMatchObject([
    { sink: "archive" },
    { sink: "chat", waiting: 2, oldestAtMs: T0 + 900, sent: 1, dead: 1 },
    { sink: "hook" },
  ]);
});

test("knows of a sink what was saved last, and of each its own", async () => {
  const store = await openTemp(tempStatePath());
  const closed = {
    breaker: "closed",
    cause: "transient",
    reason: "",
    hint: "",
    openedAtMs: null,
    probeAtMs: null,
    goneFrom: null,
  } as const;
  const open = {
    breaker: "open",
    cause: "destination",
    reason: "gone",
    hint: "invite it",
    openedAtMs: T0,
    probeAtMs: T0 + 1,
    goneFrom: null,
  } as const;
  await store.saveSinkHealth({ sink: "hook", ...open, isReported: true, reportedAtMs: T0 });
  await store.saveSinkHealth({ sink: "chat", ...closed, isReported: false, reportedAtMs: null });
  await store.saveSinkHealth({ sink: "hook", ...closed, isReported: false, reportedAtMs: T0 });
  await store.saveSinkHealth({ sink: "chat", ...open, isReported: true, reportedAtMs: T0 + 2 });
  expect(await store.loadSinkHealth()).toEqual([
    { sink: "chat", ...open, isReported: true, reportedAtMs: T0 + 2 },
    { sink: "hook", ...closed, isReported: false, reportedAtMs: T0 },
  ]);
});
