/**
 * A COMMIT whose answer is lost: its caller does not know that it succeeded, and does the same
 * again.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { NewMessage } from "../../src/model/outbox.ts";
import type { PollCommit } from "../../src/model/poll-store.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent } from "../support/make-event.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";
import { PostgresStates } from "./postgres-states.ts";
import { START_MS as T0 } from "./temp-state.ts";

describe("a COMMIT whose answer is lost", () => {
  let server: PostgresServer;
  let states: PostgresStates;
  let proxy: PostgresProxy;
  let store: Store;
  beforeAll(async () => {
    server = await startPostgres();
    states = await PostgresStates.on(server);
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    await states.empty();
    proxy = await PostgresProxy.start(server.port);
    onTestFinished(() => proxy.close());
    store = await states.open(proxy.port);
  });

  const lose = async (work: () => Promise<unknown>) => {
    proxy.loseAnswer(() => true);
    await expect(work()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(proxy.lost).toBe(1);
  };
  const commit = (changes: Partial<PollCommit> = {}) => {
    const event = makeEvent("1");
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
    const deliveries = [{ eventId: event.id, sink: "hook", groupKey: event.id, ...timing }];
    return store.commitPoll({
      atMs: T0,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries,
      ...changes,
    });
  };
  const due = (nowMs = T0) =>
    store.dueWork({ nowMs, sinks: ["hook"], busy: new Set(), limit: 100 });
  const messageOf = async (id: string): Promise<NewMessage> => {
    const [group] = (await due()).groups;
    if (group === undefined) throw new Error("nothing is due");
    const { groupKey, throttleKey, members } = group;
    const deliveryIds = members.map(({ deliveryId }) => deliveryId);
    return { id, sink: "hook", groupKey, throttleKey, sealedAtMs: T0, body: {}, deliveryIds };
  };
  const sealOne = async () => {
    await commit();
    await store.seal([await messageOf("m1")]);
  };

  test("of a poll: the same poll again is a conflict, and what is read anew knows its events", async () => {
    const source = {
      fingerprint: "s",
      expectedRevision: 0,
      memory: { seen: 1 },
      polledAtMs: T0,
      ok: true,
    };
    await lose(() => commit({ source }));
    expect(await commit({ source })).toEqual({ status: "conflict" });
    const [{ revision } = { revision: 0 }] = await store.loadSources(["s"]);
    expect(await commit({ source: { ...source, expectedRevision: revision } })).toEqual({
      status: "committed",
      created: new Set(),
    });
    expect((await due()).groups).toHaveLength(1);
  });

  test("of an event without a source: it is created once", async () => {
    await lose(() => commit());
    expect(await commit()).toEqual({ status: "committed", created: new Set() });
    expect((await due()).groups).toHaveLength(1);
  });

  test("of a message that is sealed: it is due with its first id, and its alerts cannot be sealed anew", async () => {
    await commit();
    const message = await messageOf("m1");
    await lose(() => store.seal([message]));
    for (const id of ["m1", "m2"])
      await expect(store.seal([{ ...message, id }])).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
      });
    const { groups, messages } = await due();
    expect([groups, messages.map(({ id }) => id)]).toEqual([[], ["m1"]]);
  });

  test("of a message that was sent: it is not due any more", async () => {
    await sealOne();
    const sent = [{ messageId: "m1", kind: "sent", atMs: T0 } as const];
    await lose(() => store.record(sent));
    await store.record(sent);
    expect(await due(T0 + 86_400_000)).toMatchObject({ groups: [], messages: [] });
  });

  test("of an attempt that failed: it counts once", async () => {
    await sealOne();
    const failed = [
      {
        messageId: "m1",
        kind: "retry",
        atMs: T0,
        nextAttemptAtMs: T0 + 5_000,
        error: "HTTP 500",
        countAttempt: true,
      } as const,
    ];
    await lose(() => store.record(failed));
    await store.record(failed);
    expect((await due(T0 + 5_000)).messages).toMatchObject([{ id: "m1", attempts: 1 }]);
    const again = { ...failed[0], atMs: T0 + 5_000, nextAttemptAtMs: T0 + 15_000 };
    await store.record([again as (typeof failed)[0]]);
    expect((await due(T0 + 15_000)).messages).toMatchObject([{ id: "m1", attempts: 2 }]);
  });

  test("of a request that is entered: it counts as made, and so does the next one", async () => {
    const rate = { count: 7, intervalMs: 1_000 };
    const reserve = () =>
      store.reserve({ endpoint: "s", watch: "w", billed: true, atMs: T0, rate, holdMs: 9_000 });
    await lose(reserve);
    expect(await reserve()).toMatchObject({ kind: "granted" });
    expect((await store.spentSince(T0)).total).toBe(2);
  });
});
