/** What a clock that was set back by an hour does to the times in the state. */
import { expect, test } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import { CLOCK_SEEN_NOTE } from "../../../src/model/store.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const deliver = (store: OpenedStore, subject: string, changes: Partial<NewDelivery>, atMs = T0) => {
  const event = makeEvent(subject);
  const delivery = {
    eventId: event.id,
    sink: "hook",
    groupKey: event.id,
    groupWaitMs: 0,
    groupIntervalMs: 0,
    notBeforeMs: atMs,
    ...changes,
  };
  return store.commitPoll({
    atMs,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
};

const dueAt = async (store: OpenedStore, nowMs: number) =>
  (await store.dueWork({ nowMs, sinks: ["hook"], busy: new Set(), limit: 10 })).groups.map(
    ({ members }) => members.map(({ event }) => event.subject).join("+"),
  );

test("what a time interval holds back stays until the interval ends, alone or in a group; what waits for its group does not wait longer", async () => {
  const store = await openTemp(memoryStatePath());
  const untilMs = T0 + 20 * MINUTE;
  await deliver(store, "1", { notBeforeMs: untilMs, heldBy: "nights" });
  await deliver(store, "2", {
    notBeforeMs: untilMs,
    heldBy: "nights",
    groupKey: "held",
    groupWaitMs: MINUTE,
  });
  await deliver(store, "3", { groupKey: "waits", groupWaitMs: 30 * MINUTE });
  await deliver(store, "4", {
    notBeforeMs: untilMs,
    heldBy: "nights",
    groupKey: "waits",
    groupWaitMs: 30 * MINUTE,
  });
  await store.setTimesBack(HOUR);
  expect(await store.nextDueAt(["hook"])).toBe(T0 - 30 * MINUTE);
  expect(await dueAt(store, T0 - 30 * MINUTE - 1)).toEqual([]);
  expect(await dueAt(store, T0 - 30 * MINUTE)).toEqual(["3"]);
  expect(await dueAt(store, untilMs - 1)).toEqual(["3"]);
  expect(await dueAt(store, untilMs)).toEqual(["1", "2", "3+4"]);
});

test("a digest with a schedule is due at its time of day, however far the clock was set back", async () => {
  const store = await openTemp(memoryStatePath());
  await deliver(store, "1", {
    groupKey: digestGroup("schedule", "sink:hook"),
    digestAtMs: T0 + 20 * MINUTE,
  });
  await store.setTimesBack(HOUR);
  expect(await dueAt(store, T0 + 20 * MINUTE - 1)).toEqual([]);
  expect(await dueAt(store, T0 + 20 * MINUTE)).toEqual(["1"]);
});

test("why and how long an alert waits is shown by the new time", async () => {
  const store = await openTemp(memoryStatePath());
  await deliver(store, "1", { groupKey: "team", groupWaitMs: 5 * MINUTE });
  await store.setTimesBack(HOUR);
  const nowMs = T0 - HOUR;
  expect(await store.countWaiting(nowMs)).toEqual([
    { sink: "hook", count: 1, cause: "grouped", untilMs: nowMs + 5 * MINUTE, about: "team" },
  ]);
  expect(await store.outboxStats()).toMatchObject([
    { sink: "hook", waiting: 1, oldestAtMs: nowMs },
  ]);
});

test("a message that waits for its next attempt has as much of retry_for left as before, and is woken with its sink", async () => {
  const store = await openTemp(memoryStatePath());
  await deliver(store, "1", {});
  const { groups } = await store.dueWork({ nowMs: T0, sinks: ["hook"], busy: new Set(), limit: 1 });
  const deliveryIds = groups.flatMap(({ members }) => members.map(({ deliveryId }) => deliveryId));
  const message = {
    id: "m",
    sink: "hook",
    groupKey: groups[0]?.groupKey ?? "",
    sealedAtMs: T0,
    body: "text",
    throttleKey: null,
  };
  await store.seal([{ ...message, deliveryIds }]);
  await store.record([
    {
      messageId: "m",
      kind: "retry",
      atMs: T0 + MINUTE,
      nextAttemptAtMs: T0 + 9 * MINUTE,
      error: "503",
      countAttempt: true,
    },
  ]);
  await store.setTimesBack(HOUR);
  expect(await store.nextDueAt(["hook"])).toBe(T0 + 9 * MINUTE - HOUR);
  await store.wakeSink("hook", T0 + 2 * MINUTE - HOUR);
  const { messages } = await store.dueWork({
    nowMs: T0 + 2 * MINUTE - HOUR,
    sinks: ["hook"],
    busy: new Set(),
    limit: 1,
  });
  expect(messages).toMatchObject([
    { id: "m", sealedAtMs: T0 - HOUR, firstAttemptAtMs: T0 + MINUTE - HOUR },
  ]);
});

test("a message that waits to be published to followers does so as soon, and is given up as soon", async () => {
  const store = await openTemp(memoryStatePath());
  await deliver(store, "1", {});
  const [group] = (await store.dueWork({ nowMs: T0, sinks: ["hook"], busy: new Set(), limit: 1 }))
    .groups;
  const deliveryIds = (group?.members ?? []).map(({ deliveryId }) => deliveryId);
  await store.seal([
    {
      id: "m",
      sink: "hook",
      groupKey: group?.groupKey ?? "",
      sealedAtMs: T0,
      body: "text",
      throttleKey: null,
      deliveryIds,
    },
  ]);
  await store.record([{ messageId: "m", kind: "sent", atMs: T0, ref: "r", crosspost: true }]);
  await store.setTimesBack(HOUR);
  expect(await store.crosspostOutlook("hook")).toMatchObject({
    dueAtMs: T0 - HOUR,
    oldestAtMs: T0 - HOUR,
  });
});

test("what the state knows of a failing sink's times goes back, and nothing becomes of times that there are none of", async () => {
  const store = await openTemp(memoryStatePath());
  const open = {
    breaker: "open",
    cause: "transient",
    reason: "503",
    hint: "",
    goneFrom: null,
    isReported: true,
  } as const;
  await store.saveSinkHealth({
    sink: "hook",
    ...open,
    openedAtMs: T0,
    probeAtMs: T0 + MINUTE,
    reportedAtMs: null,
  });
  await store.setTimesBack(HOUR);
  expect(await store.loadSinkHealth()).toEqual([
    {
      sink: "hook",
      ...open,
      openedAtMs: T0 - HOUR,
      probeAtMs: T0 + MINUTE - HOUR,
      reportedAtMs: null,
    },
  ]);
});

test("a poll that began before it has to ask again since when its target is registered", async () => {
  const store = await openTemp(memoryStatePath());
  const [watch] = await store.registerWatches(
    [{ id: "w", type: "search", targets: [{ key: "q", name: "q" }] }],
    T0,
  );
  const [target] = watch?.targets ?? [];
  await store.setTimesBack(HOUR);
  const ref = { watchKey: watch?.key ?? "", targetKey: "q" };
  const change = { ...ref, expectedRevision: target?.revision ?? 0, memory: { birth: "1" } };
  const commit = { atMs: T0, targets: [change], verdicts: [], events: [], deliveries: [] };
  expect(await store.commitPoll(commit)).toMatchObject({ status: "conflict" });
  expect(await store.loadTargets([ref])).toMatchObject([{ registeredAtMs: T0 - HOUR }]);
});

test("the time at which the clock was last seen goes back too: the next start does not set the times back again", async () => {
  const state = await openTemp(memoryStatePath());
  await state.setTimesBack(HOUR);
  expect(await state.readNote(CLOCK_SEEN_NOTE)).toBeNull();
  await state.writeNote(CLOCK_SEEN_NOTE, T0);
  await state.setTimesBack(HOUR);
  expect(await state.readNote(CLOCK_SEEN_NOTE)).toBe(T0 - HOUR);
});
