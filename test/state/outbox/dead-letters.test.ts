/**
 * Dead letters in the store: what sending them again leaves of them, down to the groups they came
 * from.
 */
import { expect, test } from "vitest";
import type { DeadCause, DeadSelection } from "../../../src/model/dead-letters.ts";
import type { NewMessage } from "../../../src/model/outbox.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

const Database = loadDriver();

async function commit(
  store: OpenedStore,
  subject: string,
  groupKey?: string,
  sink = "hook",
): Promise<void> {
  const event = makeEvent(subject);
  const delivery = {
    eventId: event.id,
    sink,
    groupKey: groupKey ?? event.id,
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
}

const due = (store: OpenedStore, nowMs: number) =>
  store.dueWork({ nowMs, sinks: ["hook", "chat"], busy: new Set(), limit: 100 });

/** Seals what is due, a message for each group, and gives it up. */
async function die(
  store: OpenedStore,
  cause: DeadCause,
  body: NewMessage["body"] = "sealed",
  atMs = T0,
): Promise<readonly string[]> {
  const { groups } = await due(store, T0 + 100);
  const messages = groups.map(
    (group, index): NewMessage => ({
      id: `${group.sink === "hook" ? "" : `${group.sink}-`}${cause}-${index}`,
      sink: group.sink,
      groupKey: group.groupKey,
      sealedAtMs: T0,
      body,
      deliveryIds: group.members.map(({ deliveryId }) => deliveryId),
      throttleKey: null,
    }),
  );
  await store.seal(messages);
  const result = { kind: "dead", atMs, error: "no", cause, countAttempt: true } as const;
  await store.record(messages.map(({ id: messageId }) => ({ messageId, ...result })));
  return messages.map(({ id }) => id);
}

test("what expired is due again as the same message, with no attempts behind it", async () => {
  const store = await openTemp(memoryStatePath());
  await commit(store, "1");
  await die(store, "expired");
  expect((await due(store, T0 + 10)).messages).toEqual([]);
  expect(await store.resendDead({ sinks: ["hook"] }, T0 + 10, "alice")).toEqual({
    messages: 1,
    alerts: 1,
  });
  const { messages, groups } = await due(store, T0 + 10);
  expect(messages).toMatchObject([
    { id: "expired-0", body: "sealed", attempts: 0, firstAttemptAtMs: null, sealedAtMs: T0 + 10 },
  ]);
  expect(groups).toEqual([]);
  expect(await store.groupDead(0)).toEqual([]);
  expect(await store.resendDead({}, T0 + 11, "alice")).toEqual({ messages: 0, alerts: 0 });
});

test("what is given up without an attempt has no time of a first one, and keeps the one it has", async () => {
  const path = memoryStatePath();
  const store = await openTemp(path);
  for (const subject of ["1", "2"]) await commit(store, subject);
  const messages = (await due(store, T0)).groups.map(
    ({ sink, groupKey, members }, index): NewMessage => {
      const deliveryIds = members.map(({ deliveryId }) => deliveryId);
      return {
        id: `m${index}`,
        sink,
        groupKey,
        sealedAtMs: T0,
        body: "sealed",
        deliveryIds,
        throttleKey: null,
      };
    },
  );
  await store.seal(messages);
  const retry = {
    kind: "retry",
    atMs: T0 + 1,
    nextAttemptAtMs: T0 + 5,
    error: "503",
    countAttempt: true,
  } as const;
  await store.record([{ messageId: "m0", ...retry }]);
  const dead = {
    kind: "dead",
    atMs: T0 + 9,
    error: "no",
    cause: "expired",
    countAttempt: false,
  } as const;
  await store.record(messages.map(({ id: messageId }) => ({ messageId, ...dead })));
  const file = new Database(path, { readonly: true });
  const rows = file
    .prepare("select id, first_attempt_at, attempts from messages order by id")
    .all();
  file.close();
  expect(rows).toEqual([
    { id: "m0", first_attempt_at: T0 + 1, attempts: 1 },
    { id: "m1", first_attempt_at: null, attempts: 0 },
  ]);
});

test.each(["refused 400", "unrendered"] as const)(
  "what was given up as %s waits as if it had never been sealed, with its group",
  async (cause) => {
    const store = await openTemp(memoryStatePath());
    await commit(store, "1", "team");
    await commit(store, "2", "team");
    await commit(store, "3");
    expect(await die(store, cause)).toHaveLength(2);
    await store.resendDead({}, T0 + 10, "alice");
    const { messages, groups } = await due(store, T0 + 10);
    expect(messages).toEqual([]);
    expect(groups.map(({ members }) => members.map(({ event }) => event.subject))).toEqual([
      ["1", "2"],
      ["3"],
    ]);
    expect(await store.groupDead(0)).toEqual([]);
    await die(store, cause === "unrendered" ? "expired" : "unrendered");
    expect((await store.groupDead(0)).map(({ alerts }) => alerts)).toEqual([3]);
  },
);

test("what is sent again finds its group, although the group's timer was forgotten in the meantime", async () => {
  const store = await openTemp(memoryStatePath());
  await commit(store, "1", "team");
  await die(store, "refused 400", "sealed", T0 + 5_000);
  await store.prune(T0 + 6_000, 3_000, new Set());
  await store.resendDead({}, T0 + 7_000, "alice");
  expect(
    (await due(store, T0 + 7_000)).groups.map(({ members }) =>
      members.map(({ event }) => event.subject),
    ),
  ).toEqual([["1"]]);
});

test("what expired without ever having been rendered is rendered when it is sent again", async () => {
  const store = await openTemp(memoryStatePath());
  await commit(store, "1");
  await die(store, "expired", null);
  await store.resendDead({}, T0 + 10, "alice");
  expect(await due(store, T0 + 10)).toMatchObject({
    messages: [],
    groups: [{ members: [{ event: { subject: "1" } }] }],
  });
});

test("groups them by sink and cause, and knows when the operator was last notified of each", async () => {
  const store = await openTemp(memoryStatePath());
  await commit(store, "1");
  await commit(store, "2");
  const ids = await die(store, "refused 400");
  await commit(store, "3");
  await die(store, "expired");
  await commit(store, "4", undefined, "chat");
  const ofChat = await die(store, "refused 400");
  expect(await store.unreportedDead()).toMatchObject([
    { sink: "hook", cause: "refused 400", messageIds: ids, alerts: 2, reportedAtMs: null },
    { sink: "hook", cause: "expired", messageIds: ["expired-0"], alerts: 1, reportedAtMs: null },
    { sink: "chat", cause: "refused 400", messageIds: ofChat, alerts: 1, reportedAtMs: null },
  ]);
  await store.markDeadReported(ids.slice(0, 1), T0 + 5);
  expect(await store.unreportedDead()).toMatchObject([
    { cause: "refused 400", messageIds: ids.slice(1), reportedAtMs: T0 + 5 },
    { cause: "expired", reportedAtMs: null },
    { sink: "chat", reportedAtMs: null },
  ]);
  expect(await store.groupDead(T0 + 1)).toEqual([]);
});

test("lists those of some sinks or some ids, each with its own alerts in order; of no sinks or ids, none", async () => {
  const store = await openTemp(memoryStatePath());
  for (const [subject, group] of [["1", "team"], ["3"], ["2", "team"]] as const)
    await commit(store, subject, group);
  await commit(store, "4", undefined, "chat");
  await die(store, "refused 400");
  const listed = async (selection: DeadSelection, limit = 10) =>
    (await store.listDead(selection, limit)).map(({ sink, events }) => [
      sink,
      ...events.map(({ subject }) => subject),
    ]);
  const [ofTeam, ofThree, ofChat] = [
    ["hook", "1", "2"],
    ["hook", "3"],
    ["chat", "4"],
  ];
  expect(await listed({})).toEqual([ofTeam, ofThree, ofChat]);
  expect(await listed({}, 2)).toEqual([ofTeam, ofThree]);
  expect(await listed({ sinks: ["chat"] })).toEqual([ofChat]);
  const [, three = "", four = ""] = (await store.listDead({}, 10)).map(
    ({ messageId }) => messageId,
  );
  expect(await listed({ sinks: ["hook"], messageIds: [three, four] })).toEqual([ofThree]);
  expect([await listed({ sinks: [] }), await listed({ messageIds: [] })]).toEqual([[], []]);
});

test("the operator was notified when the last of them was reported", async () => {
  const store = await openTemp(memoryStatePath());
  for (const subject of ["1", "2", "3"]) await commit(store, subject);
  const [first = "", second = "", third = ""] = await die(store, "refused 400");
  await store.markDeadReported([second], T0 + 5);
  await store.markDeadReported([first], T0 + 9);
  await store.acknowledgeDead({ messageIds: [first] }, T0 + 10);
  expect(await store.unreportedDead()).toMatchObject([
    { messageIds: [third], reportedAtMs: T0 + 9 },
  ]);
});

test("what is acknowledged is listed no more, what is not still is", async () => {
  const store = await openTemp(memoryStatePath());
  for (const subject of ["1", "2"]) await commit(store, subject);
  const [first = "", second = ""] = await die(store, "refused 400");
  expect(await store.acknowledgeDead({ messageIds: [first] }, T0 + 10)).toBe(1);
  expect((await store.listDead({}, 10)).map(({ messageId }) => messageId)).toEqual([second]);
  expect(await store.acknowledgeDead({ messageIds: [first] }, T0 + 11)).toBe(0);
});

test("writes down what operators did", async () => {
  const path = memoryStatePath();
  const store = await openTemp(path);
  await commit(store, "1");
  await die(store, "expired");
  await store.resendDead({ sinks: ["hook"] }, T0 + 10, "alice");
  await store.resendDead({ sinks: ["hook"] }, T0 + 11, "alice");
  await store.record([
    {
      messageId: "expired-0",
      kind: "dead",
      atMs: T0 + 12,
      error: "no",
      cause: "expired",
      countAttempt: true,
    },
  ]);
  await store.acknowledgeDead({}, T0 + 20);
  await store.acknowledgeDead({}, T0 + 21);
  const file = new Database(path, { readonly: true });
  const rows = file.prepare("select at, action, detail from audit order by id").all();
  file.close();
  expect(rows).toEqual([
    {
      at: T0 + 10,
      action: "replay dead",
      detail: '{"sinks":["hook"],"messages":1,"alerts":1,"by":"alice"}',
    },
    { at: T0 + 20, action: "dead ack", detail: '{"sinks":null,"messages":1}' },
  ]);
});

test("an alert like one that was given up waits by itself, whatever becomes of that one", async () => {
  const store = await openTemp(memoryStatePath());
  const ofWatch = async (watch: string, nowMs: number) => {
    const event = makeEvent("1", { watch });
    const delivery = {
      eventId: event.id,
      sink: "hook",
      groupKey: event.id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: T0,
    };
    const once = { key: "tweet:1", withinMs: 86_400_000 };
    await store.commitPoll({
      atMs: nowMs,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries: [{ ...delivery, once }],
    });
    return event.id;
  };
  await ofWatch("a", T0);
  const [messageId = ""] = await die(store, "expired");
  const second = await ofWatch("b", T0 + 1);
  const stateOfSecond = async () =>
    (await store.recentRecords(2)).find(({ event }) => event.id === second)?.deliveries[0]?.state;
  expect(await stateOfSecond()).toBe("waiting");
  await store.resendDead({}, T0 + 2, "alice");
  await store.record([{ messageId, kind: "sent", atMs: T0 + 3 }]);
  expect(await stateOfSecond()).toBe("waiting");
});
