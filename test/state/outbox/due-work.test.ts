/** Which of the outbox's work is offered while some of it is under way. */
import { expect, test } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import type { NewMessage } from "../../../src/model/outbox.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

/** Alerts for a sink: of a group by its key, or each alone. */
async function commit(
  store: OpenedStore,
  sink: string,
  subjects: readonly string[],
  groupKey?: string,
): Promise<void> {
  const events = subjects.map((subject) => makeEvent(subject));
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  const deliveries = events.map(({ id }) => ({
    eventId: id,
    sink,
    groupKey: groupKey ?? id,
    ...timing,
  }));
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
}

async function work(store: OpenedStore, busy: readonly string[] = [], limit = 100) {
  const { messages, groups } = await store.dueWork({
    nowMs: T0 + 10,
    sinks: ["hook", "chat"],
    busy: new Set(busy),
    limit,
  });
  return [
    ...messages.map(({ sink, id }) => `${sink} ${id}`),
    ...groups.map(
      ({ sink, members }) => `${sink} ${members.map(({ event }) => event.subject).join("+")}`,
    ),
  ];
}

async function sealAll(store: OpenedStore): Promise<void> {
  const { groups } = await store.dueWork({
    nowMs: T0 + 10,
    sinks: ["hook", "chat"],
    busy: new Set(),
    limit: 100,
  });
  const sealed = groups.map(
    ({ sink, groupKey, members }): NewMessage => ({
      id: `of ${members.map(({ event }) => event.subject).join("+")}`,
      sink,
      groupKey,
      sealedAtMs: T0 + 1,
      body: "sealed",
      deliveryIds: members.map(({ deliveryId }) => deliveryId),
      throttleKey: null,
    }),
  );
  await store.seal(sealed);
}

test("a group under way is offered neither as a group nor as a message; the same group of another sink is, and the others too", async () => {
  const store = await openTemp(memoryStatePath());
  const alone = makeEvent("5").id;
  const all = ["hook 1+2", "hook 5", "hook 6", "chat 3+4"];
  await commit(store, "hook", ["1", "2"], "team");
  await commit(store, "chat", ["3", "4"], "team");
  await commit(store, "hook", ["5", "6"]);
  expect((await work(store)).sort()).toEqual([...all].sort());
  const busy = ["hook\nteam", `hook\n${alone}`];
  expect((await work(store, busy)).sort()).toEqual(["chat 3+4", "hook 6"]);
  await sealAll(store);
  expect((await work(store)).sort()).toEqual([
    "chat of 3+4",
    "hook of 1+2",
    "hook of 5",
    "hook of 6",
  ]);
  expect((await work(store, busy)).sort()).toEqual(["chat of 3+4", "hook of 6"]);
});

test("the oldest is offered first, alone or in a group, and a group stands where its oldest alert does", async () => {
  const store = await openTemp(memoryStatePath());
  await commit(store, "hook", ["1"]);
  await commit(store, "hook", ["2"], "team");
  await commit(store, "hook", ["3"]);
  await commit(store, "hook", ["4"], "others");
  await commit(store, "hook", ["5"], "team");
  expect(await work(store)).toEqual(["hook 1", "hook 2+5", "hook 3", "hook 4"]);
});

test("a group is offered a thousand alerts at a time, a digest whole", async () => {
  const store = await openTemp(memoryStatePath());
  const subjects = Array.from({ length: 1_001 }, (_, i) => String(i));
  await commit(store, "hook", subjects, "team");
  await commit(
    store,
    "chat",
    subjects.map((subject) => `c${subject}`),
    digestGroup("return", "w"),
  );
  const { groups } = await store.dueWork({
    nowMs: T0 + 10,
    sinks: ["hook", "chat"],
    busy: new Set(),
    limit: 100,
  });
  expect(groups.map(({ sink, members }) => [sink, members.length])).toEqual([
    ["hook", 1_000],
    ["chat", 1_001],
  ]);
  expect(groups.map(({ members }) => members[0]?.event.subject)).toEqual(["0", "c0"]);
});

test("what is under way takes no place of what is free: as much as was asked for is offered, and no more", async () => {
  const store = await openTemp(memoryStatePath());
  const subjects = ["1", "2", "3", "4", "5"];
  await commit(store, "hook", subjects);
  const busy = subjects.slice(0, 3).map((subject) => `hook\n${makeEvent(subject).id}`);
  expect(await work(store, busy, 2)).toEqual(["hook 4", "hook 5"]);
  expect(await work(store, busy.slice(0, 2), 2)).toEqual(["hook 3", "hook 4"]);
  for (const group of ["a", "b", "c"])
    await commit(store, "chat", [`${group}1`, `${group}2`], group);
  expect(await work(store, ["chat\na", ...busy], 1)).toEqual(["hook 4"]);
  expect(
    await work(
      store,
      ["chat\na", ...busy, ...subjects.map((subject) => `hook\n${makeEvent(subject).id}`)],
      1,
    ),
  ).toEqual(["chat b1+b2"]);
});
