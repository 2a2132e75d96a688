/** Which transactions on SQLite wait for the disk. */
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import { configure, kyselyOver, openHandle, waitByClock } from "../../../src/state/db/sqlite.ts";
import { type Executor, transact, transactUnsynced } from "../../../src/state/db/statement.ts";
import { createStore } from "../../../src/state/store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { memoryStatePath, START_MS as T0, tempFolder } from "../temp-state.ts";

const [NORMAL, FULL] = [1, 2];

function open(path: string) {
  const handle = openHandle(path, { readonly: false, mustExist: false });
  configure(handle);
  waitByClock(handle);
  const clock = createVirtualClock(T0);
  const db = kyselyOver(handle, clock);
  onTestFinished(() => db.destroy());
  const synchronous = () => handle.pragma("synchronous", { simple: true });
  return { handle, clock, db, synchronous };
}

test("only an unsynced transaction does not wait, and the next one waits again", async () => {
  const { db, synchronous } = open(join(tempFolder(), "state.db"));
  const work = async () => synchronous();
  expect(await transactUnsynced(db, work)).toBe(NORMAL);
  expect(synchronous()).toBe(FULL);
  expect(await transact(db, work)).toBe(FULL);
});

test("after an unsynced transaction that failed, everything waits again", async () => {
  const { db, synchronous } = open(join(tempFolder(), "state.db"));
  const fail = async (on: Executor) => sql`select * from nothing`.execute(on);
  await expect(transactUnsynced(db, fail)).rejects.toThrow("nothing");
  expect(synchronous()).toBe(FULL);
});

test("while an unsynced transaction waits for a lock, others wait for the disk", async () => {
  const path = join(tempFolder(), "state.db");
  const { db, clock, synchronous } = open(path);
  const other = openHandle(path, { readonly: false, mustExist: true });
  onTestFinished(() => void other.close());
  other.exec("begin immediate");
  const waiting = transactUnsynced(db, async () => synchronous());
  // A read by another caller uses the connection during the pause.
  await sql`select 1`.execute(db);
  expect(synchronous()).toBe(FULL);
  other.exec("rollback");
  await clock.advance(100);
  expect(await waiting).toBe(NORMAL);
  expect(synchronous()).toBe(FULL);
});

test("a poll whose alerts are sealed next does not wait for the disk, any other poll and the seal do", async () => {
  const { handle, clock, db } = open(memoryStatePath());
  const store = createStore(db, { clock, random: createSeededRandom(1) }, async () => {});
  const settings: string[] = [];
  const pragma = handle.pragma.bind(handle);
  handle.pragma = (text, options) => {
    settings.push(text);
    return pragma(text, options);
  };
  const poll = async (deliveries: readonly NewDelivery[]) => {
    settings.length = 0;
    const events = [makeEvent(`t${deliveries.length}`)];
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
    return [...settings];
  };
  expect(await poll([])).toEqual([]);
  const [eventId, sink] = [makeEvent("t1").id, "hook"];
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  expect(await poll([{ eventId, sink, groupKey: eventId, ...timing }])).toEqual([
    "synchronous = NORMAL",
    "synchronous = FULL",
  ]);
  settings.length = 0;
  await store.seal([
    {
      id: "m1",
      sink,
      groupKey: eventId,
      throttleKey: null,
      sealedAtMs: T0,
      body: "text",
      deliveryIds: ["1"],
    },
  ]);
  expect(settings).toEqual([]);
});
