/**
 * How many statements a delivery takes on its way, and how many rows they return. Counts do not
 * depend on the machine, and on a server each statement is a way there and back.
 */
import type { KyselyPlugin } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { NewMessage } from "../../../src/model/outbox.ts";
import type { Store } from "../../../src/model/store.ts";
import { configure, kyselyOver, openHandle } from "../../../src/state/db/sqlite.ts";
import { createStore } from "../../../src/state/store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { memoryStatePath, START_MS as T0 } from "../temp-state.ts";

const SINK = "hook";

interface Counted {
  readonly statements: number;
  readonly rows: number;
}

interface Bench {
  readonly store: Store;
  /** Returns what the work took, without the statements that begin and end its transaction. */
  counted(work: () => Promise<unknown>): Promise<Counted>;
}

function createBench(): Bench {
  let [statements, rows] = [0, 0];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1;
      rows += result.rows.length;
      return result;
    },
  };
  const handle = openHandle(memoryStatePath(), { readonly: false, mustExist: true });
  configure(handle);
  const clock = createVirtualClock(T0);
  const db = kyselyOver(handle, clock).withPlugin(counting);
  onTestFinished(() => db.destroy());
  const deps = { clock, random: createSeededRandom(1) };
  return {
    store: createStore(db, deps, async () => {}),
    async counted(work) {
      [statements, rows] = [0, 0];
      await work();
      return { statements, rows };
    },
  };
}

const deliver = async (store: Store, from: number, to: number) => {
  const events = Array.from({ length: to - from }, (_, n) => makeEvent(`t${from + n}`));
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  const deliveries = events.map(({ id }) => ({ eventId: id, sink: SINK, groupKey: id, ...timing }));
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
};

const asked = { nowMs: T0, sinks: [SINK], busy: new Set<string>(), limit: 400 };

async function messagesOf(store: Store): Promise<readonly NewMessage[]> {
  return (await store.dueWork(asked)).groups.map(({ groupKey, throttleKey, members }, number) => ({
    id: `m${number}`,
    sink: SINK,
    groupKey,
    throttleKey,
    sealedAtMs: T0,
    body: "text",
    deliveryIds: members.map(({ deliveryId }) => deliveryId),
  }));
}

/** Delivers so many at once, and returns what each step took. */
async function way(deliveries: number) {
  const { store, counted } = createBench();
  await deliver(store, 0, deliveries);
  const next = await counted(() => store.nextDueAt([SINK]));
  const read = await counted(() => store.dueWork(asked));
  const messages = await messagesOf(store);
  const sealed = await counted(() => store.seal(messages));
  const results = messages.map(({ id }) => ({ messageId: id, kind: "sent", atMs: T0 }) as const);
  const recorded = await counted(() => store.record(results));
  return { next, read, sealed, recorded };
}

test("a delivery takes few statements, and many take hardly more than one", async () => {
  expect(await way(1)).toEqual({
    next: { statements: 1, rows: 1 },
    read: { statements: 4, rows: 2 },
    sealed: { statements: 2, rows: 1 },
    recorded: { statements: 1, rows: 1 },
  });
  // The list of 200 deliveries is read in one part of 256.
  expect(await way(200)).toEqual({
    next: { statements: 1, rows: 1 },
    read: { statements: 4, rows: 400 },
    sealed: { statements: 2, rows: 200 },
    recorded: { statements: 1, rows: 200 },
  });
});

test("messages that the caller has in hand are not read again, whatever else becomes due", async () => {
  const { store, counted } = createBench();
  await deliver(store, 0, 50);
  const messages = await messagesOf(store);
  await store.seal(messages);
  await deliver(store, 50, 51);
  const busy = new Set(messages.map(({ groupKey }) => `${SINK}\n${groupKey}`));
  const beside = { ...asked, busy, inHand: messages.length };
  const { rows } = await counted(() => store.dueWork(beside));
  expect(rows).toBe(2);
  // If one more message is open than the caller has, it is found among the others.
  const [last] = messages.slice(-1);
  busy.delete(`${SINK}\n${last?.groupKey}`);
  const found = await store.dueWork({ ...beside, inHand: messages.length - 1 });
  expect(found.messages.map(({ id }) => id)).toEqual([last?.id]);
  expect(found.groups).toHaveLength(1);
});

test("an alert that somebody acknowledged is found as such, in no further statement", async () => {
  const { store, counted } = createBench();
  await deliver(store, 0, 2);
  const what = makeEvent("t1").id;
  await store.mark({ kind: "acknowledged", what, isUndo: false, by: "ann", from: "API", atMs: T0 });
  expect(await counted(() => store.dueWork(asked))).toEqual({ statements: 4, rows: 4 });
  const { groups } = await store.dueWork(asked);
  expect(groups.flatMap(({ members }) => members.map((one) => one.acknowledged?.by))).toEqual([
    undefined,
    "ann",
  ]);
});
