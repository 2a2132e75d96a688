/**
 * All that a sink has in the outbox goes with it to its new name: what was counted, promised and
 * opened under the old one counts on.
 */
import { expect, it } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const MINUTE = 60_000;

/**
 * A sink whose first message was sent, mentions somebody, begins a thread and opened a value; its
 * second one waits.
 */
async function setUp(throttleKey: string) {
  const store = await openTemp(memoryStatePath());
  const levels = { level: { repeatMs: MINUTE, sendResolved: true } };
  const deliver = (subject: string, changes: Partial<NewDelivery> = {}) => {
    const event = makeEvent(subject);
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
    const delivery = {
      eventId: event.id,
      sink: "old",
      groupKey: event.id,
      throttleKey,
      ...timing,
      ...changes,
    };
    return store.commitPoll({
      atMs: T0,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries: [delivery],
    });
  };
  await deliver("1", levels);
  const [group] = (await store.dueWork({ nowMs: T0, sinks: ["old"], busy: new Set(), limit: 10 }))
    .groups;
  const deliveryIds = group?.members.map(({ deliveryId }) => deliveryId) ?? [];
  const thread = { key: "channel\nwatch\nw", windowMs: MINUTE };
  const sealed = {
    sink: "old",
    groupKey: group?.groupKey ?? "",
    sealedAtMs: T0,
    body: "b",
    footer: "",
    deliveryIds,
    throttleKey,
  };
  await store.seal([
    { id: "m1", sealedFor: "slack", mentions: ["@team"], thread, ...sealed } as never,
  ]);
  await store.record([{ messageId: "m1", kind: "sent", atMs: T0, ref: "r1" } as never]);
  await deliver("2");
  return { store, deliver };
}

it.each([
  ["sink:old", "sink:new"],
  ["route:0.1:old", "route:0.1:new"],
])("with the throttle %s", async (before, after) => {
  const { store } = await setUp(before);
  const sealedUnder = async (sink: string, throttleKey: string) =>
    (
      await store.throttleState({
        sink,
        throttleKey,
        digestKey: digestGroup("throttle", throttleKey),
        sinceMs: T0 - MINUTE,
      })
    ).sealed;
  expect(await sealedUnder("old", before)).toBe(1);
  for (const count of [3, 0]) expect(await store.moveSink({ from: "old", to: "new" })).toBe(count);
  expect(await sealedUnder("new", after)).toBe(1);
  const { groups } = await store.dueWork({ nowMs: T0, sinks: ["new"], busy: new Set(), limit: 10 });
  expect(
    groups.map(({ throttleKey, members }) => [
      throttleKey,
      members.map(({ event }) => event.subject),
    ]),
  ).toEqual([[after, ["2"]]]);
  expect([...(await store.lastMentions("new"))]).toEqual([["@team", T0]]);
  expect((await store.openLevels()).map(({ sink, isSent }) => [sink, isSent])).toEqual([
    ["new", true],
  ]);
  expect((await store.dueRepeats()).map(({ sink }) => sink)).toEqual(["new"]);
  // A second move of the same name finds what came since, and the counts of before.
  expect(await store.moveSink({ from: "new", to: "third" })).toBeGreaterThan(0);
  expect(await sealedUnder("third", after.replace("new", "third"))).toBe(1);
});

it("with the lines below its messages", async () => {
  const { store } = await setUp("sink:old");
  const ada = { by: "Ada", from: "page", atMs: T0 };
  await store.mark({ kind: "acknowledged", what: "m1", isUndo: false, ...ada });
  expect(await store.nextFooterAt("old")).toBe(T0);
  await store.moveSink({ from: "old", to: "new" });
  expect([await store.nextFooterAt("old"), await store.nextFooterAt("new")]).toEqual([null, T0]);
});

it("with the steps of escalations, each once", async () => {
  const { store } = await setUp("sink:old");
  const work = await store.dueWork({ nowMs: T0, sinks: ["old"], busy: new Set(), limit: 10 });
  const deliveryIds = work.groups.flatMap(({ members }) => members.map((one) => one.deliveryId));
  const message = { id: "m2", sink: "old", groupKey: "g", sealedAtMs: T0, throttleKey: null };
  await store.seal([{ ...message, body: "b", deliveryIds }]);
  await store.record([{ messageId: "m2", kind: "sent", atMs: T0 }], new Set(["old"]));
  const [due] = await store.dueEscalations(T0);
  if (due === undefined) throw new Error("an escalation is due");
  const step = { sink: "old", nth: 1, afterMs: MINUTE };
  const { deliveryId, revision } = due;
  const change = { deliveryId, revision, baseAtMs: T0, isAtOnce: false, ended: "" as const };
  const taken = [{ ...step, kind: "passed" as const, atMs: T0 }];
  await store.commitEscalations({
    ...{ atMs: T0, forgottenIds: [], events: [], deliveries: [] },
    changes: [{ ...change, plan: [{ ...step, nth: 2 }], taken, dueAtMs: T0 }],
  });
  for (const _ of [1, 2]) await store.moveSink({ from: "old", to: "new" });
  expect(await store.dueEscalations(T0)).toMatchObject([
    { plan: [{ sink: "new", nth: 2 }], taken: [{ sink: "new", nth: 1 }], revision: 3 },
  ]);
});
