/**
 * What every Store must do with the marks that people put on alerts. Run it with a function that
 * makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { MarkRequest } from "../../src/model/marks.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent, makeUser } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const DAY_MS = 86_400_000;

export function describeMarks(name: string, makeStore: () => Promise<Store>): void {
  describe(`marks of alerts: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });

    const commit = async (events: readonly ChirpEvent[], once?: string) =>
      store.commitPoll({
        ...{ atMs: T0, targets: [], verdicts: [], events },
        deliveries: events.map(({ id }) => ({
          ...{ eventId: id, sink: "hook", groupKey: once ?? id },
          ...{ groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 },
          ...(once === undefined ? {} : { once: { key: once, withinMs: DAY_MS } }),
        })),
      });
    const seal = async (id: string) => {
      const due = await store.dueWork({ nowMs: T0, sinks: ["hook"], busy: new Set(), limit: 9 });
      const members = due.groups.flatMap((group) => group.members);
      const deliveryIds = members.map(({ deliveryId }) => deliveryId);
      const message = { id, sink: "hook", groupKey: "g", throttleKey: null, body: {} };
      await store.seal([{ ...message, sealedAtMs: T0, deliveryIds }]);
    };
    const mark = (what: string, changes: Partial<MarkRequest> = {}) =>
      store.mark({
        ...{ kind: "acknowledged", what, isUndo: false, by: "Ada", from: "page", atMs: T0 + 1 },
        ...changes,
      });
    const acknowledged = async (is: boolean) =>
      (await store.findEvents({ limit: 9, isAcknowledged: is })).events.map(
        ({ event }) => event.subject,
      );
    const audited = async () => (await store.auditRecords(9)).map(({ action }) => action);

    test("an event is acknowledged once, undone once, and acknowledged anew by somebody else", async () => {
      const [one, two] = [makeEvent("1"), makeEvent("2")];
      await commit([one, two]);
      const ada = { by: "Ada", from: "page", atMs: T0 + 1 };
      expect(await mark(one.id)).toEqual({ alerts: 1, changed: 1, mark: ada });
      expect(await mark(one.id, { by: "Bob", atMs: T0 + 2 })).toEqual({
        ...{ alerts: 1, changed: 0, mark: ada },
      });
      expect([await acknowledged(true), await acknowledged(false)]).toEqual([["1"], ["2"]]);
      const undo = { isUndo: true, by: "Bob", atMs: T0 + 3 };
      expect(await mark(one.id, undo)).toEqual({ alerts: 1, changed: 1, mark: null });
      expect(await mark(one.id, undo)).toEqual({ alerts: 1, changed: 0, mark: null });
      expect(await acknowledged(true)).toEqual([]);
      const bob = { by: "Bob", from: "page", atMs: T0 + 4 };
      expect(await mark(one.id, bob)).toEqual({ alerts: 1, changed: 1, mark: bob });
      const [record] = await store.eventRecords([one.id]);
      expect(record?.acknowledged).toEqual(bob);
      expect(await audited()).toEqual(["acknowledge", "acknowledge undo", "acknowledge"]);
      expect((await store.auditRecords(1))[0]?.detail).toEqual({
        ...{ what: one.id, alerts: 1, by: "Bob", from: "page" },
      });
    });

    test("a message stands for all its events, and for those that joined them before and after", async () => {
      await commit([makeEvent("1")], "a");
      await commit([makeEvent("2")], "a");
      await commit([makeEvent("3")]);
      await seal("m");
      await commit([makeEvent("4")], "a");
      await commit([makeEvent("5")]);
      expect(await mark("m")).toMatchObject({ alerts: 4, changed: 4 });
      expect(await acknowledged(false)).toEqual(["5"]);
      expect(await mark(makeEvent("4").id, { isUndo: true })).toMatchObject({ alerts: 3 });
      expect((await acknowledged(false)).sort()).toEqual(["1", "2", "4", "5"]);
      expect(await mark("m")).toMatchObject({ alerts: 4, changed: 3 });
    });

    test("what it says of the events that were marked is stored with them, under a number of its own", async () => {
      const one = makeEvent("1");
      await commit([one]);
      const said: string[] = [];
      const newsOf = (events: readonly ChirpEvent[], episode: string) => {
        said.push(`${events.map(({ id }) => id).join()} ${episode}`);
        const news = makeEvent(episode, { type: "alert.acknowledged", watchType: "daemon" });
        const place = { sink: "ops", groupKey: news.id, groupWaitMs: 0, groupIntervalMs: 0 };
        return {
          events: [news],
          deliveries: [{ ...place, eventId: news.id, notBeforeMs: T0 }],
        };
      };
      const request = { kind: "acknowledged", what: one.id, by: "Ada", from: "page" } as const;
      for (const isUndo of [false, false, true, true, false])
        await store.mark({ ...request, isUndo, atMs: T0 }, newsOf);
      expect(new Set(said).size).toBe(2);
      expect(await store.nextDueAt(["ops"])).toBe(T0);
      const { events } = await store.findEvents({ limit: 9 });
      expect(events.map(({ event }) => event.type)).toEqual([
        ...["alert.acknowledged", "alert.acknowledged", "tweet.created"],
      ]);
    });

    test("a mark as not relevant is counted by watch and author, undone and found, and shown nowhere", async () => {
      const notRelevant = { kind: "not_relevant" } as const;
      const by = (subject: string, username: string) =>
        makeEvent(subject, { body: { user: makeUser(username, username) } });
      const [one, two, three] = [by("1", "ann"), by("2", "bob"), by("3", "ann")];
      await commit([one, two, three]);
      await seal("m");
      expect(await mark("m", notRelevant)).toMatchObject({ alerts: 3, changed: 3 });
      expect(await mark(two.id, notRelevant)).toMatchObject({ changed: 0 });
      const [count] = await store.countNotRelevant(0);
      expect(count).toMatchObject({
        ...{ watchKey: one.watchKey, marked: 3, alerts: 3, topAuthor: "ann", byTopAuthor: 2 },
      });
      await mark(one.id, { ...notRelevant, isUndo: true });
      const found = async (is: boolean) =>
        (await store.findEvents({ limit: 9, isNotRelevant: is })).events.map(
          ({ event }) => event.subject,
        );
      expect([await found(true), await found(false)]).toEqual([["3", "2"], ["1"]]);
      expect(await store.countNotRelevant(0)).toMatchObject([{ marked: 2 }]);
      expect([await acknowledged(true), await store.nextFooterAt("hook")]).toEqual([[], null]);
      expect(await audited()).toEqual(["not relevant undo", "not relevant"]);
    });

    test("what the state does not have, or no longer has, is not marked", async () => {
      expect(await mark("nothing")).toBeUndefined();
      await commit([makeEvent("1")]);
      await seal("m");
      await store.record([{ messageId: "m", kind: "sent", atMs: T0 }]);
      await mark("m");
      await store.prune(T0 + 31 * DAY_MS, 30 * DAY_MS, new Set());
      expect([await mark("m"), await mark(makeEvent("1").id)]).toEqual([undefined, undefined]);
      await commit([makeEvent("1")]);
      expect(await acknowledged(true)).toEqual([]);
    });
  });
}
