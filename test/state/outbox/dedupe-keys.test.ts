/**
 * Facts that several watches find, or that undo each other, where mutes, groups and a corrected
 * clock take part.
 */
import { beforeEach, expect, test } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const FACT = { once: { key: "fact", withinMs: DAY_MS } };
const ADDED = {
  once: { key: "added", withinMs: DAY_MS, undo: { key: "removed", summaryGroup: "summary" } },
};
const REMOVED = {
  once: { key: "removed", withinMs: DAY_MS, undo: { key: "added", summaryGroup: "summary" } },
};

let store: OpenedStore;
beforeEach(async () => {
  store = await openTemp(memoryStatePath());
});

type Found = readonly [watch: string, to: Partial<NewDelivery>];

/** Each watch finds the same item, of which it raises its own alert. */
async function commit(atMs: number, ...found: readonly Found[]): Promise<void> {
  const events = found.map(([watch]) => makeEvent("7", { watch }));
  const deliveries = found.map(([watch, to], i): NewDelivery => {
    const eventId = events[i]?.id ?? watch;
    return {
      eventId,
      sink: "hook",
      groupKey: eventId,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: atMs,
      ...to,
    };
  });
  await store.commitPoll({ atMs, targets: [], verdicts: [], events, deliveries });
}

const heldUntil = (untilMs: number) => ({ heldBy: "nights", notBeforeMs: untilMs });

/** What is due: the watches of each alert. */
const due = async (atMs: number) =>
  (await store.dueWork({ nowMs: atMs, sinks: ["hook"], busy: new Set(), limit: 100 })).groups.map(
    ({ members }) => members.map(({ watches }) => watches),
  );

/** Sends what is due, and says how many messages that are. */
async function send(atMs: number): Promise<number> {
  const { groups } = await store.dueWork({
    nowMs: atMs,
    sinks: ["hook"],
    busy: new Set(),
    limit: 100,
  });
  for (const { sink, groupKey, members } of groups) {
    const [first] = members;
    const id = `m${first?.deliveryId}`;
    const deliveryIds = members.map(({ deliveryId }) => deliveryId);
    await store.seal([
      { id, sink, groupKey, throttleKey: null, sealedAtMs: atMs, body: "text", deliveryIds },
    ]);
    await store.record([{ messageId: id, kind: "sent", atMs }]);
  }
  return groups.length;
}

/** What `explain` shows: watch, state and detail of each alert. */
const explained = async () =>
  (await store.explainItem("7")).map(({ watch, deliveries: [delivery] }) => [
    watch,
    delivery?.state,
    delivery?.detail,
  ]);

test("explain says which alert went out, which joined it, and which came when it was sent", async () => {
  await commit(T0, ["a", FACT], ["b", FACT]);
  await send(T0);
  await commit(T0 + 1, ["c", FACT]);
  expect(await explained()).toEqual([
    ["a", "sent", ""],
    ["b", "sent", "delivered together with another watch"],
    ["c", "duplicate", "delivered already"],
  ]);
});

test("an alert that the same mute holds as long joins the one that waits", async () => {
  await commit(T0, ["a", { ...FACT, ...heldUntil(T0 + DAY_MS) }]);
  await commit(T0 + 1, ["b", { ...FACT, ...heldUntil(T0 + DAY_MS) }]);
  expect((await explained()).map(([watch, , detail]) => [watch, detail])).toEqual([
    ["a", ""],
    ["b", "delivered together with another watch"],
  ]);
});

test("what undoes an alert that nothing holds stays in its group", async () => {
  await commit(T0, ["a", ADDED]);
  await send(T0);
  await commit(
    T0 + 1,
    ["b", { ...REMOVED, groupKey: "g", groupWaitMs: HOUR_MS }],
    ["c", { groupKey: "g" }],
  );
  expect(await due(T0 + 1)).toEqual([]);
  expect(await due(T0 + 1 + HOUR_MS)).toEqual([[["b"], ["c"]]]);
});

test("the line about changes there and back waits for the end of a mute that holds the last of them", async () => {
  await commit(T0, ["a", ADDED]);
  await send(T0);
  await commit(T0 + 1, ["b", REMOVED]);
  await send(T0 + 1);
  await commit(T0 + 2, ["c", { ...ADDED, ...heldUntil(T0 + 2 * DAY_MS) }]);
  await commit(T0 + 3, ["d", REMOVED]);
  expect(await due(T0 + 2 * DAY_MS - 1)).toEqual([]);
  expect(await due(T0 + 2 * DAY_MS)).toEqual([[["c"]], [["d"]]]);
});

test("an alert that another watch sent in place of a held one counts once among changes there and back", async () => {
  await commit(T0, ["a", ADDED]);
  await send(T0);
  await commit(T0 + 1, ["b", REMOVED]);
  await send(T0 + 1);
  await commit(T0 + 2, ["c", { ...ADDED, ...heldUntil(T0 + DAY_MS / 2) }]);
  // The third change goes out by itself, the fourth in the line of the day.
  await commit(T0 + 3, ["d", ADDED], ["e", REMOVED]);
  expect(await due(T0 + 3)).toEqual([[["d", "c"]]]);
  expect(await due(T0 + DAY_MS)).toEqual([[["d", "c"]], [["e"]]]);
});

test("what was sent at the end of a mute is not sent again when the clock is set back before that end", async () => {
  await commit(T0, ["a", { ...FACT, ...heldUntil(T0 + DAY_MS / 2) }]);
  expect(await send(T0 + DAY_MS / 2)).toBe(1);
  await commit(T0 + HOUR_MS, ["b", FACT]);
  expect(await send(T0 + DAY_MS)).toBe(0);
});

test("what no mute holds is joined, not replaced, when the clock was set back by a second", async () => {
  await commit(T0 + 1_000, ["a", FACT]);
  await commit(T0, ["b", FACT]);
  expect(await due(T0 + 1_000)).toEqual([[["a", "b"]]]);
});

test("an alert that is like another in a written key says in what, and joins it while it waits", async () => {
  const alike = { once: { key: "author 7", withinMs: HOUR_MS, by: "author" } };
  await commit(T0, ["a", { ...alike, groupKey: "g", groupWaitMs: 60_000 }]);
  await commit(T0 + 1, ["b", alike]);
  expect(await due(T0 + 60_000)).toEqual([[["a", "b"]]]);
  await send(T0 + 60_000);
  await commit(T0 + 60_001, ["c", alike]);
  await commit(T0 + HOUR_MS + 1, ["d", alike]);
  expect(await explained()).toEqual([
    ["a", "sent", ""],
    ["b", "sent", "delivered together with another watch, with the same author"],
    ["c", "duplicate", "delivered already, with the same author"],
    ["d", "held", ""],
  ]);
});

test("an alert that goes out at once does not wait for the digest that gathers its like: the gathered one joins it", async () => {
  const digest = { groupKey: digestGroup("schedule", "sink:hook"), digestAtMs: T0 + DAY_MS };
  await commit(T0, ["a", { ...FACT, ...digest }]);
  await commit(T0 + 1, ["b", { ...FACT, ...digest }]);
  await commit(T0 + 2, ["c", FACT]);
  expect(await due(T0 + 2)).toEqual([[["c", "a", "b"]]]);
  await send(T0 + 2);
  expect(await due(T0 + DAY_MS)).toEqual([]);
});
