/**
 * What two Stores must do that work on one state at the same time, each over connections of its
 * own.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { NewDelivery, PollCommit } from "../../src/model/poll-store.ts";
import type { Reservation } from "../../src/model/ledger.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent } from "../support/make-event.ts";
import { START_MS as T0 } from "./temp-state.ts";

const ROUNDS = 20;

export function describeInterleaved(
  name: string,
  makeBoth: () => Promise<readonly [Store, Store]>,
): void {
  describe(`two Stores on one state: ${name}`, () => {
    let one: Store;
    let other: Store;
    beforeEach(async () => {
      [one, other] = await makeBoth();
    });

    /** Calls both many times at once; answers in no order. */
    const race = <Result>(
      work: (store: Store, round: number) => Promise<Result>,
    ): Promise<readonly Result[]> =>
      Promise.all(
        Array.from({ length: ROUNDS }, (_, round) => [work(one, round), work(other, round)]).flat(),
      );
    const commit = (store: Store, changes: Partial<PollCommit>) =>
      store.commitPoll({
        atMs: T0,
        targets: [],
        verdicts: [],
        events: [],
        deliveries: [],
        ...changes,
      });
    const membersDue = async (nowMs: number) =>
      (await one.dueWork({ nowMs, sinks: ["hook"], busy: new Set(), limit: 1_000 })).groups.map(
        ({ members }) => members.length,
      );

    test("grant no more requests than the rate and the limit allow", async () => {
      const reservation: Reservation = {
        endpoint: "s",
        watch: "w",
        billed: true,
        atMs: T0,
        rate: { count: 7, intervalMs: 1_000 },
        holdMs: 9_000,
      };
      const rated = await race((store) => store.reserve(reservation));
      expect(rated.filter(({ kind }) => kind === "granted")).toHaveLength(7);
      const limited = await race((store) =>
        store.reserve({
          ...reservation,
          rate: { count: 1_000, intervalMs: 1_000 },
          limit: { sinceMs: T0, max: 12 },
        }),
      );
      expect(limited.filter(({ kind }) => kind === "granted")).toHaveLength(5);
      expect((await one.spentSince(T0)).total).toBe(12);
      const ids = [...rated, ...limited].flatMap((grant) =>
        grant.kind === "granted" ? [grant.ledgerId] : [],
      );
      expect(new Set(ids).size).toBe(12);
    });

    test("write answers with polls while a reservation takes slots of the future for taken now", async () => {
      const reservation = {
        endpoint: "s",
        watch: "w",
        billed: true,
        rate: { count: 10_000, intervalMs: 1_000 },
        holdMs: 9_000,
      };
      const asked = await race((store) => store.reserve({ ...reservation, atMs: T0 }));
      const ids = asked.flatMap((grant) => (grant.kind === "granted" ? [grant.ledgerId] : []));
      for (let round = 0; round < ROUNDS; round++) {
        const atMs = T0 + 10_000 * (ROUNDS - round);
        await Promise.all(
          [one, other].map(async (store, half) => {
            for (const [at, id] of ids.entries())
              if (at % 2 === half) await store.settle(id, atMs, 200);
            await Promise.all([
              commit(store, {}),
              store.reserve({ ...reservation, atMs: atMs - 5_000 }),
            ]);
          }),
        );
      }
      expect((await one.spentSince(0)).total).toBe(4 * ROUNDS);
    });

    test("create an event once, with its deliveries", async () => {
      const results = await race((store, round) => {
        const event = makeEvent(String(round));
        return commit(store, { events: [event], deliveries: [delivery(event.id)] });
      });
      const created = results.flatMap((result) =>
        result.status === "committed" ? [...result.created] : [],
      );
      expect(created).toHaveLength(ROUNDS);
      expect(new Set(created).size).toBe(ROUNDS);
      expect(await membersDue(T0)).toHaveLength(ROUNDS);
    });

    test("let one of two polls of the same source or target commit, and refuse the other", async () => {
      const [state] = await one.registerWatches(
        [{ id: "w", type: "timeline", targets: [{ key: "@a", name: "@a" }] }],
        T0,
      );
      const ref = { watchKey: state?.key ?? "", targetKey: "@a" };
      for (let round = 0; round < ROUNDS; round++) {
        const source = {
          fingerprint: "f",
          memory: { round },
          expectedRevision: round,
          polledAtMs: T0 + round,
          ok: true,
        };
        const polls = await Promise.all([one, other].map((store) => commit(store, { source })));
        expect(polls.map(({ status }) => status).sort()).toEqual(["committed", "conflict"]);
        const [target] = await one.loadTargets([ref]);
        const change = { ...ref, expectedRevision: target?.revision ?? 0, memory: { round } };
        const targets = await Promise.all(
          [one, other].map((store) => commit(store, { targets: [change] })),
        );
        expect(targets.map(({ status }) => status).sort()).toEqual(["committed", "conflict"]);
      }
    });

    test("count the items of a target that both find", async () => {
      const [state] = await one.registerWatches(
        [{ id: "w", type: "timeline", targets: [{ key: "@a", name: "@a" }] }],
        T0,
      );
      const ref = { watchKey: state?.key ?? "", targetKey: "@a" };
      await race((store, round) => {
        const verdict = {
          ...ref,
          itemKind: "tweet",
          verdict: "filtered",
          detail: "",
          occurredAtMs: T0,
        } as const;
        return commit(store, {
          verdicts: ["a", "b"].map((letter) => ({ ...verdict, itemId: `${round}${letter}` })),
        });
      });
      expect((await one.listWatches())[0]?.knownItems).toBe(2 * ROUNDS);
    });

    test("alert a sink once on one fact", async () => {
      await race((store, round) => {
        const event = makeEvent(`${round}`, { id: `${store === one ? "one" : "other"}-${round}` });
        return commit(store, {
          events: [event],
          deliveries: [
            { ...delivery(event.id), once: { key: `fact ${round}`, withinMs: 86_400_000 } },
          ],
        });
      });
      expect(await membersDue(T0)).toHaveLength(ROUNDS);
    });

    test("gather a group from its first member's time on", async () => {
      await race((store, round) => {
        const event = makeEvent(`${round}`, { id: `${store === one ? "one" : "other"}-${round}` });
        const waits = { groupKey: "team", groupWaitMs: 1_000 + round, groupIntervalMs: 0 };
        return commit(store, {
          atMs: T0 + round,
          events: [event],
          deliveries: [{ ...delivery(event.id), ...waits }],
        });
      });
      const dueAt = await one.nextDueAt(["hook"]);
      expect(dueAt).toBeGreaterThanOrEqual(T0 + 1_000);
      expect(await membersDue((dueAt ?? 0) - 1)).toEqual([]);
      expect(await membersDue(dueAt ?? 0)).toEqual([2 * ROUNDS]);
    });

    test("seal a delivery once", async () => {
      const events = Array.from({ length: ROUNDS }, (_, round) => makeEvent(String(round)));
      await commit(one, { events, deliveries: events.map(({ id }) => delivery(id)) });
      const { groups } = await one.dueWork({
        nowMs: T0,
        sinks: ["hook"],
        busy: new Set(),
        limit: 1_000,
      });
      const sealed = await race(async (store, round) => {
        const group = groups[round];
        const message = {
          sink: "hook",
          groupKey: group?.groupKey ?? "",
          throttleKey: null,
          sealedAtMs: T0,
          body: {},
        };
        const deliveryIds = group?.members.map(({ deliveryId }) => deliveryId) ?? [];
        const id = `${store === one ? "one" : "other"}-${round}`;
        return store.seal([{ ...message, id, deliveryIds }]).then(
          () => 1,
          () => 0,
        );
      });
      expect(sealed.filter((count) => count === 1)).toHaveLength(ROUNDS);
      expect(
        (await one.dueWork({ nowMs: T0, sinks: ["hook"], busy: new Set(), limit: 1_000 })).messages,
      ).toHaveLength(ROUNDS);
    });

    test("move into a digest or seal, never both", async () => {
      const events = Array.from({ length: ROUNDS }, (_, round) => makeEvent(String(round)));
      await commit(one, {
        events,
        deliveries: events.map(({ id }) => ({ ...delivery(id), throttleKey: "t" })),
      });
      const { groups } = await one.dueWork({
        nowMs: T0,
        sinks: ["hook"],
        busy: new Set(),
        limit: 1_000,
      });
      const gathering = other.gather({
        sink: "hook",
        throttleKey: "t",
        nowMs: T0,
        digestKey: "digest:t",
        digestDueAtMs: T0 + 9,
      });
      const sealing = groups.map(({ groupKey, members }, index) =>
        one.seal([
          {
            id: `m${index}`,
            sink: "hook",
            groupKey,
            throttleKey: "t",
            sealedAtMs: T0,
            body: {},
            deliveryIds: members.map(({ deliveryId }) => deliveryId),
          },
        ]),
      );
      await Promise.allSettled([gathering, ...sealing]);
      const { messages, groups: left } = await one.dueWork({
        nowMs: T0 + 9,
        sinks: ["hook"],
        busy: new Set(),
        limit: 1_000,
      });
      const inDigest = left.flatMap(({ members }) => members).length;
      const sealedIds = new Set(messages.map(({ groupKey }) => groupKey));
      expect(
        left
          .flatMap(({ members }) => members.map(({ event }) => event.id))
          .filter((id) => sealedIds.has(id)),
      ).toEqual([]);
      expect(
        new Set([
          ...left.flatMap(({ members }) => members.map(({ event }) => event.id)),
          ...sealedIds,
        ]).size,
      ).toBe(ROUNDS);
      expect(inDigest).toBeLessThanOrEqual(ROUNDS);
    });
  });
}

const delivery = (eventId: string): NewDelivery => ({
  eventId,
  sink: "hook",
  groupKey: eventId,
  groupWaitMs: 0,
  groupIntervalMs: 0,
  notBeforeMs: 0,
});
