/** Which transactions of two replicas run side by side on Postgres, and which in turn: one is held before its COMMIT while the other runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Reservation } from "../../src/model/ledger.ts";
import type { Store } from "../../src/model/store.ts";
import { StoreError } from "../../src/model/store-error.ts";
import type { Ownership } from "../../src/state/db/postgres.ts";
import { connectSession, lockName } from "../../src/state/db/postgres-sessions.ts";
import { connectReplica, presenceText } from "../../src/state/membership/postgres-replicas.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { makeEvent } from "../support/make-event.ts";
import { until } from "../support/until.ts";
import { PostgresStates } from "./postgres-states.ts";
import { START_MS as T0 } from "./temp-state.ts";

let server: PostgresServer;
let states: PostgresStates;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
  states = await PostgresStates.on(server);
});
afterAll(() => server.remove());
async function reset(): Promise<void> {
  store = await states.empty();
  await fillOutbox();
}
beforeEach(reset);

type Work = (on: Store) => Promise<unknown>;

/** How `second` runs while `first` has done everything but its COMMIT. Both succeed in the end. */
async function runBoth(first: Work, second: Work, owner?: Ownership): Promise<"side by side" | "in turn"> {
  const held = await states.openHeld(owner);
  const one = first(held.store);
  await Promise.race([held.reached, one]);
  let isDone = false;
  const two = second(store).then(() => (isDone = true));
  await until("the other one to end, or to wait", async () => isDone || (await states.waiting()) > 0);
  const seen = isDone ? "side by side" : "in turn";
  held.release();
  await Promise.all([one, two]);
  return seen;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const RESERVATION: Reservation = {
  endpoint: "s",
  watch: "w",
  billed: true,
  atMs: T0,
  rate: { count: 9, intervalMs: 1_000 },
  holdMs: 9_000,
};
const reserve: Work = (on) => on.reserve(RESERVATION);

/** Messages that wait, one of each sink, and deliveries that do, of which each sink has two. */
async function fillOutbox(): Promise<void> {
  for (const sink of ["a", "b"]) {
    const events = ["sealed", "waiting", "late"].map((name) => makeEvent(`${sink} ${name}`));
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0, throttleKey: "t" };
    const deliveries = events.map(({ id }) => ({ eventId: id, sink, groupKey: id, ...timing }));
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
    await seal(sink, "sealed")(store);
  }
}

const seal =
  (sink: string, name: string): Work =>
  async (on) => {
    const { groups } = await on.dueWork({ nowMs: T0, sinks: [sink], busy: new Set(), limit: 9 });
    const own = groups.find(({ members }) => members.some(({ event }) => event.id === makeEvent(`${sink} ${name}`).id));
    const deliveryIds = own?.members.map(({ deliveryId }) => deliveryId) ?? [];
    const message = { sink, groupKey: own?.groupKey ?? "", throttleKey: "t", sealedAtMs: T0, body: {}, deliveryIds };
    await on.seal([{ id: `${sink} ${name}`, ...message }]);
  };
const record =
  (sink: string): Work =>
  (on) =>
    on.record([{ messageId: `${sink} sealed`, kind: "sent", atMs: T0 }]);
const gather =
  (sink: string): Work =>
  (on) =>
    on.gather({ sink, throttleKey: "t", nowMs: T0, digestKey: "digest:t", digestDueAtMs: T0 + 9 });

type Both = readonly [name: string, one: Work, other: Work];
const IN_TURN: readonly Both[] = [
  ["two reservations", reserve, reserve],
  ["two messages of one sink that are sealed", seal("a", "waiting"), seal("a", "late")],
  ["the result of a message and another one of its sink that is sealed", record("a"), seal("a", "waiting")],
  ["a digest that gathers and a message of its sink that is sealed", gather("a"), seal("a", "waiting")],
];
const SIDE_BY_SIDE: readonly Both[] = [
  ["messages of two sinks that are sealed", seal("a", "waiting"), seal("b", "waiting")],
  ["results of two sinks", record("a"), record("b")],
  ["digests of two sinks", gather("a"), gather("b")],
  ["a reservation and a message that is sealed", reserve, seal("a", "waiting")],
];

describe("in turn:", () => {
  test.each(IN_TURN)("%s", async (_, one, other) => {
    expect(await runBoth(one, other)).toBe("in turn");
  });

  const rare: Work = (on) => on.writeNote("n", 1);
  test.each(IN_TURN)("one of %s, and what names no scope, whichever comes first", async (_, one) => {
    expect(await runBoth(one, rare)).toBe("in turn");
    await reset();
    expect(await runBoth(rare, one)).toBe("in turn");
  });
});

describe("side by side:", () => {
  test.each(SIDE_BY_SIDE)("%s", async (_, one, other) => {
    expect(await runBoth(one, other)).toBe("side by side");
    await reset();
    expect(await runBoth(other, one)).toBe("side by side");
  });
});

describe("a replica that is declared dead", () => {
  const owner: Ownership = {
    held: async () => undefined,
    fence: {
      text: presenceText("r"),
      check: (present) => {
        if (present !== 1) throw new StoreError("STORE_REPLACED", "replaced", { retry: "no" });
      },
    },
  };
  beforeEach(() => states.ask("insert into replicas (id, host, config, leads, joined_at) values ('r', '', '', 0, 0)"));

  test("is removed once the transaction that it has under way in a scope is committed, and writes nothing more", async () => {
    const leader = await connectReplica(states.address(), "leader");
    onTestFinished(() => leader.end());
    expect(await runBoth(reserve, () => leader.remove(["r"]), owner)).toBe("in turn");
    expect((await store.spentSince(0)).total).toBe(1);
    const { store: dead, release } = await states.openHeld(owner);
    release();
    await expect(reserve(dead)).rejects.toMatchObject({ code: "STORE_REPLACED" });
    expect((await store.spentSince(0)).total).toBe(1);
  });

  test("writes nothing in a transaction that began to wait before it was removed", async () => {
    const leader = await connectSession(states.address());
    onTestFinished(() => leader.end());
    await leader.query(`begin; select pg_advisory_xact_lock(${lockName("writers")}); delete from replicas`);
    const { store: dead, release } = await states.openHeld(owner);
    release();
    const failing = failureOf(reserve(dead));
    await until("it to wait", async () => (await states.waiting()) > 0);
    await leader.query("commit");
    expect(await failing).toMatchObject({ code: "STORE_REPLACED" });
    expect((await store.spentSince(0)).total).toBe(0);
  });
});

test("a connection whose wait for the lock was ended by the server writes again", async () => {
  const other = await connectSession(states.address());
  onTestFinished(() => other.end());
  await other.query(`begin; select pg_advisory_xact_lock(${lockName("writers")})`);
  const failing = failureOf(store.writeNote("n", 1));
  await until("it to wait", async () => (await states.waiting()) > 0);
  await states.ask("select pg_cancel_backend(pid) from pg_locks where not granted");
  expect(await failing).toBeInstanceOf(StoreError);
  await other.query("rollback");
  await store.writeNote("n", 2);
  expect(await store.readNote("n")).toBe(2);
});
