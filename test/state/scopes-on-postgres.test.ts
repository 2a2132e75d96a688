/**
 * Which transactions of two replicas run side by side on Postgres, and which in turn: one is held
 * before its COMMIT while the other runs.
 */
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
  await fill();
}
beforeEach(reset);

type Work = (on: Store) => Promise<unknown>;

/** How `second` runs while `first` has done everything but its COMMIT. Both succeed in the end. */
async function runBoth(
  first: Work,
  second: Work,
  owner?: Ownership,
): Promise<"side by side" | "in turn"> {
  const held = await states.openHeld(owner);
  const one = first(held.store);
  await Promise.race([held.reached, one]);
  let isDone = false;
  const two = second(store).then(() => (isDone = true));
  await until(
    "the other one to end, or to wait",
    async () => isDone || (await states.waiting()) > 0,
  );
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

/**
 * A request, messages that wait, one of each sink, and deliveries that do, of which each sink has
 * two.
 */
async function fill(): Promise<void> {
  await reserve(store);
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
    const own = groups.find(({ members }) =>
      members.some(({ event }) => event.id === makeEvent(`${sink} ${name}`).id),
    );
    const deliveryIds = own?.members.map(({ deliveryId }) => deliveryId) ?? [];
    const message = {
      sink,
      groupKey: own?.groupKey ?? "",
      throttleKey: "t",
      sealedAtMs: T0,
      body: {},
      deliveryIds,
    };
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

interface Found {
  readonly sink?: string;
  readonly group?: string;
  readonly once?: string;
  readonly source?: string;
}
let found = 0;
/** A poll of a watch that finds one event. */
const poll =
  (watchKey: string, { sink = "a", group, once, source }: Found = {}): Work =>
  async (on) => {
    const event = makeEvent(`${found++}`, { id: `event ${found}`, watchKey });
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
    const joined = once === undefined ? {} : { once: { key: once, withinMs: 9 } };
    const deliveries = [
      { eventId: event.id, sink, groupKey: group ?? event.id, ...timing, ...joined },
    ];
    const read =
      source === undefined
        ? {}
        : {
            source: {
              fingerprint: source,
              memory: {},
              expectedRevision: 0,
              polledAtMs: T0,
              ok: true,
            },
          };
    const result = await on.commitPoll({
      atMs: T0,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries,
      ...read,
    });
    expect(result).toEqual({ status: "committed", created: new Set([event.id]) });
  };
const manyWatches: Work = (on) =>
  on.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: Array.from({ length: 101 }, (_, at) =>
      makeEvent(`many ${found}`, { id: `many ${found++}`, watchKey: `many ${at}` }),
    ),
    deliveries: [],
  });
/** Stores the enrichment of an event that waits for none. It locks rows that it does not change. */
const enrich =
  (watchKey: string, { group }: Found = {}): Work =>
  (on) => {
    const event = makeEvent("a sealed", { watchKey });
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
    const deliveries = [{ eventId: event.id, sink: "a", groupKey: group ?? event.id, ...timing }];
    return on.storeEnrichments({
      atMs: T0,
      enriched: [{ event, deliveries, result: "ok", error: "", attempts: 1 }],
      postponed: [],
    });
  };
/** A request that was answered, and its answer with a poll. */
const paidPoll: Work = async (on) => {
  await on.settle("1", T0, 200);
  await poll("w")(on);
};

type Both = readonly [name: string, one: Work, other: Work];
const IN_TURN: readonly Both[] = [
  ["two reservations", reserve, reserve],
  ["two messages of one sink that are sealed", seal("a", "waiting"), seal("a", "late")],
  [
    "the result of a message and another one of its sink that is sealed",
    record("a"),
    seal("a", "waiting"),
  ],
  [
    "a digest that gathers and a message of its sink that is sealed",
    gather("a"),
    seal("a", "waiting"),
  ],
  ["two polls of one watch", poll("w"), poll("w")],
  [
    "two polls that deliver to one group of a sink",
    poll("w", { group: "g" }),
    poll("v", { group: "g" }),
  ],
  ["two polls of one fact for a sink", poll("w", { once: "o" }), poll("v", { once: "o" })],
  [
    "a poll that delivers to a group, and a message of that sink that is sealed",
    poll("w", { group: "g" }),
    seal("a", "waiting"),
  ],
  ["a poll and enrichments of one watch", poll("w"), enrich("w")],
  [
    "enrichments of a group, and a message of its sink that is sealed",
    enrich("w", { group: "g" }),
    seal("a", "waiting"),
  ],
  ["a poll of many watches, and any other one", manyWatches, poll("w")],
];
const SIDE_BY_SIDE: readonly Both[] = [
  ["messages of two sinks that are sealed", seal("a", "waiting"), seal("b", "waiting")],
  ["results of two sinks", record("a"), record("b")],
  ["digests of two sinks", gather("a"), gather("b")],
  ["a reservation and a message that is sealed", reserve, seal("a", "waiting")],
  ["polls of two watches and sources", poll("w", { source: "s" }), poll("v", { source: "t" })],
  [
    "polls that deliver to groups of two sinks",
    poll("w", { group: "g" }),
    poll("v", { group: "g", sink: "b" }),
  ],
  ["a poll that was paid for, and a reservation", paidPoll, reserve],
  ["enrichments of two watches", enrich("w"), enrich("v")],
  [
    "a poll whose alerts go by themselves, and a message of their sink that is sealed",
    poll("w"),
    seal("a", "waiting"),
  ],
];

describe("in turn:", () => {
  test.each(IN_TURN)("%s", async (_, one, other) => {
    expect(await runBoth(one, other)).toBe("in turn");
  });

  const rare: Work = (on) => on.writeNote("n", 1);
  test.each(IN_TURN)(
    "one of %s, and what names no scope, whichever comes first",
    async (_, one) => {
      expect(await runBoth(one, rare)).toBe("in turn");
      await reset();
      expect(await runBoth(rare, one)).toBe("in turn");
    },
  );
});

describe("side by side:", () => {
  test.each(SIDE_BY_SIDE)("%s", async (_, one, other) => {
    expect(await runBoth(one, other)).toBe("side by side");
    await reset();
    expect(await runBoth(other, one)).toBe("side by side");
  });
});

test("of one source only the first of two polls is committed", async () => {
  const held = await states.openHeld();
  const first = poll("w", { source: "s" })(held.store);
  await held.reached;
  const source = { fingerprint: "s", memory: {}, expectedRevision: 0, polledAtMs: T0, ok: true };
  const second = store.commitPoll({
    atMs: T0,
    source,
    targets: [],
    verdicts: [],
    events: [],
    deliveries: [],
  });
  await until("it to wait", async () => (await states.waiting()) > 0);
  held.release();
  await first;
  expect(await second).toEqual({ status: "conflict" });
});

test("an answer that a poll writes holds up no reservation of the same process", async () => {
  const held = await states.openHeld();
  const polling = paidPoll(held.store);
  await held.reached;
  const reserving = reserve(held.store);
  await until("both to come to their COMMIT", () => held.commits() === 2);
  held.release();
  await Promise.all([polling, reserving]);
});

test("a delivery is an arrival when it is committed, also after one with a higher number", async () => {
  const held = await states.openHeld();
  const first = poll("w")(held.store);
  await held.reached;
  await poll("v")(store);
  const before = await store.shareNews();
  held.release();
  await first;
  expect((await store.shareNews()).arrivals).not.toBe(before.arrivals);
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
  beforeEach(() =>
    states.ask(
      "insert into replicas (id, host, config, leads, joined_at) values ('r', '', '', 0, 0)",
    ),
  );

  test("is removed once the transaction that it has under way in a scope is committed, and writes nothing more", async () => {
    const leader = await connectReplica(states.address(), "leader");
    onTestFinished(() => leader.end());
    expect(await runBoth(reserve, () => leader.remove(["r"]), owner)).toBe("in turn");
    expect((await store.spentSince(0)).total).toBe(2);
    const { store: dead, release } = await states.openHeld(owner);
    release();
    await expect(reserve(dead)).rejects.toMatchObject({ code: "STORE_REPLACED" });
    expect((await store.spentSince(0)).total).toBe(2);
  });

  test("writes nothing in a transaction that began to wait before it was removed", async () => {
    const leader = await connectSession(states.address());
    onTestFinished(() => leader.end());
    await leader.query(
      `begin; select pg_advisory_xact_lock(${lockName("writers")}); delete from replicas`,
    );
    const { store: dead, release } = await states.openHeld(owner);
    release();
    const failing = failureOf(reserve(dead));
    await until("it to wait", async () => (await states.waiting()) > 0);
    await leader.query("commit");
    expect(await failing).toMatchObject({ code: "STORE_REPLACED" });
    expect((await store.spentSince(0)).total).toBe(1);
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
