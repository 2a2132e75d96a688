/**
 * Deliveries that are made again: which there are, and what becomes of what was sent, dropped,
 * given up or is under way.
 */
import { beforeEach, expect, test } from "vitest";
import type { DeliveryResult } from "../../src/model/outbox.ts";
import type { NewDelivery } from "../../src/model/poll-store.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { makeEvent, makeOpsAlert } from "../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "./temp-state.ts";

const HOUR = 3_600_000;
let store: OpenedStore;
beforeEach(async () => {
  store = await openTemp(memoryStatePath());
});

const timing = (atMs: number) => ({ groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: atMs });

async function commit(
  event: ReturnType<typeof makeEvent>,
  changes: Partial<NewDelivery> = {},
  atMs = T0,
): Promise<string> {
  const delivery = {
    eventId: event.id,
    sink: "hook",
    groupKey: event.id,
    ...timing(atMs),
    ...changes,
  };
  await store.commitPoll({
    atMs,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  return event.id;
}

const members = async (nowMs: number) =>
  (await store.dueWork({ nowMs, sinks: ["hook"], busy: new Set(), limit: 99 })).groups.flatMap(
    (group) => group.members,
  );

/** Seals all that is due in one message. */
async function sealDue(id: string, atMs: number): Promise<void> {
  const deliveryIds = (await members(atMs)).map(({ deliveryId }) => deliveryId);
  await store.seal([
    {
      id,
      sink: "hook",
      groupKey: id,
      sealedAtMs: atMs,
      body: "{}",
      deliveryIds,
      throttleKey: null,
    },
  ]);
}

const dead = { kind: "dead", error: "refused", cause: "refused 400", countAttempt: true } as const;
const finish = (messageId: string, atMs: number, how: "sent" | "dead" = "sent") =>
  store.record([
    (how === "sent"
      ? { messageId, kind: "sent", atMs }
      : { messageId, atMs, ...dead }) as DeliveryResult,
  ]);

const fates = async (selection: Parameters<OpenedStore["findReplayable"]>[0]) =>
  (await store.findReplayable(selection)).map(({ eventId, fate }) => [
    eventId.split("-").at(-1),
    fate,
  ]);

const replayAll = async (atMs: number) => {
  const deliveryIds = (await store.findReplayable({ sinceMs: T0 })).map(
    ({ deliveryId }) => deliveryId,
  );
  return store.replay({ deliveryIds, added: [], atMs, detail: { by: "alice" } });
};

test("what was sent or dropped since then is found with its fate; the daemon's own alerts by their id only", async () => {
  await commit(makeEvent("old"));
  await sealDue("m0", T0);
  await finish("m0", T0 + 1);
  await commit(makeEvent("sent"), {}, T0 + HOUR);
  await commit(
    makeEvent("sent", { watch: "other" }),
    { once: { key: "o", withinMs: HOUR } },
    T0 + HOUR,
  );
  await commit(makeEvent("again"), { once: { key: "o", withinMs: HOUR } }, T0 + HOUR);
  await sealDue("m1", T0 + HOUR);
  await finish("m1", T0 + HOUR + 1);
  await commit(makeEvent("muted"), { mutedBy: "night" }, T0 + HOUR);
  await commit(makeEvent("silenced"), { silencedBy: "1" }, T0 + HOUR);
  await commit(makeEvent("open"), {}, T0 + HOUR);
  await sealDue("m2", T0 + HOUR);
  await commit(makeEvent("waits"), {}, T0 + HOUR);
  const ops = await commit(makeOpsAlert("sink.failing"), { mutedBy: "night" }, T0 + HOUR);
  expect(await fates({ sinceMs: T0 + HOUR })).toEqual([
    ["sent", "done"],
    ["sent", "done"],
    ["again", "joined"],
    ["muted", "done"],
    ["silenced", "silenced"],
    ["open", "under_way"],
    ["waits", "under_way"],
  ]);
  expect(await store.findReplayable({ eventId: ops })).toMatchObject([{ fate: "done" }]);
});

test("what was sent long after it was found counts from when it was sent", async () => {
  await commit(makeEvent("held"));
  await sealDue("m", T0 + 5 * HOUR);
  await finish("m", T0 + 5 * HOUR);
  expect(await fates({ sinceMs: T0 + 4 * HOUR })).toEqual([["held", "done"]]);
});

test("what is replayed is due at once, past mutes and silences; what is under way is not made twice", async () => {
  await commit(makeEvent("sent"));
  await sealDue("m", T0);
  await finish("m", T0);
  await commit(makeEvent("muted"), { mutedBy: "night" });
  await commit(makeEvent("open"));
  await sealDue("open", T0);
  expect(await replayAll(T0 + HOUR)).toBe(2);
  expect(
    (await members(T0 + HOUR)).map(({ event, canBeSilenced }) => [event.subject, canBeSilenced]),
  ).toEqual([
    ["sent", false],
    ["muted", false],
  ]);
  expect(await replayAll(T0 + HOUR)).toBe(0);
  expect((await store.explainItem("sent"))[0]?.deliveries).toMatchObject([
    { state: "held", messageId: null, wait: { untilMs: T0 + HOUR } },
  ]);
  expect(await store.auditRecords(9)).toMatchObject([
    { atMs: T0 + HOUR, action: "replay since", detail: { by: "alice", alerts: 2 } },
  ]);
});

test("a dead letter is dealt with once the last of its alerts is sent again", async () => {
  const ids = [await commit(makeEvent("1")), await commit(makeEvent("2"))];
  await sealDue("m", T0);
  await finish("m", T0, "dead");
  const deadAfter = async (eventId: string) => {
    const deliveryIds = (await store.findReplayable({ eventId })).map(
      ({ deliveryId }) => deliveryId,
    );
    await store.replay({ deliveryIds, added: [], atMs: T0, detail: { eventId } });
    return (await store.listDead({}, 9)).map(({ events }) => events.map(({ subject }) => subject));
  };
  expect(await deadAfter(ids[0] ?? "")).toEqual([["2"]]);
  expect(await deadAfter(ids[1] ?? "")).toEqual([]);
});

test("what a throttle moved into a digest goes back to its own group", async () => {
  await commit(makeEvent("1"), { throttleKey: "sink:hook", groupKey: "of-one" });
  await store.gather({
    sink: "hook",
    throttleKey: "sink:hook",
    nowMs: T0,
    digestKey: "digest\nthrottle\nsink:hook",
    digestDueAtMs: T0 + 1,
  });
  await sealDue("m", T0 + 1);
  await finish("m", T0 + 1);
  expect(await replayAll(T0 + HOUR)).toBe(1);
  const { groups } = await store.dueWork({
    nowMs: T0 + HOUR,
    sinks: ["hook"],
    busy: new Set(),
    limit: 9,
  });
  expect(groups).toMatchObject([{ groupKey: "of-one", members: [{ event: { subject: "1" } }] }]);
});

test("an event gets a delivery to another sink once", async () => {
  const eventId = await commit(makeEvent("1"));
  const added = [{ eventId, sink: "other", groupKey: eventId, ...timing(T0) }];
  expect(await store.replay({ deliveryIds: [], added, atMs: T0, detail: { eventId } })).toBe(1);
  expect(await store.replay({ deliveryIds: [], added, atMs: T0, detail: { eventId } })).toBe(0);
});
