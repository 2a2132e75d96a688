/**
 * What every Store must do with escalations. Run it with a function that makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { digestGroup } from "../../src/model/digest.ts";
import type { DueEscalation, EscalationCommit } from "../../src/model/escalation.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { DeliveryResult } from "../../src/model/outbox.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const SINKS: ReadonlySet<string> = new Set(["chat"]);

export function describeEscalations(name: string, makeStore: () => Promise<Store>): void {
  describe(`escalations: ${name}`, () => {
    let store: Store;
    let sealed = 0;
    beforeEach(async () => {
      store = await makeStore();
    });

    const commit = (events: readonly ChirpEvent[], groupKey?: string) =>
      store.commitPoll({
        ...{ atMs: T0, targets: [], verdicts: [], events },
        deliveries: events.map(({ id }) => ({
          ...{ eventId: id, sink: "chat", groupKey: groupKey ?? id },
          ...{ groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 },
        })),
      });
    /** Seals all that is due in messages of their own groups, or of `group`. Returns their ids. */
    const seal = async (group?: string) => {
      const query = { nowMs: T0, sinks: ["chat"], busy: new Set<string>(), limit: 9 };
      const { groups } = await store.dueWork(query);
      const messages = groups.map(({ groupKey, members }) => ({
        ...{ id: `m${(sealed += 1)}`, sink: "chat", groupKey: group ?? groupKey, body: {} },
        ...{ throttleKey: null, sealedAtMs: T0 },
        deliveryIds: members.map(({ deliveryId }) => deliveryId),
      }));
      await store.seal(messages);
      return messages.map(({ id }) => id);
    };
    const result = (messageId: string, kind: DeliveryResult["kind"], atMs: number) => {
      const failed = { messageId, atMs, error: "503", countAttempt: true };
      if (kind === "sent") return { messageId, kind, atMs };
      return kind === "dead"
        ? ({ ...failed, kind, cause: "expired" } as const)
        : ({ ...failed, kind, nextAttemptAtMs: atMs + 60_000 } as const);
    };
    const due = () => store.dueEscalations(T0 + 86_400_000);
    const step = { sink: "pager", nth: 1, afterMs: 60_000 };
    const sending = (
      [one]: readonly DueEscalation[],
      changes: Partial<EscalationCommit> = {},
    ): EscalationCommit => {
      if (one === undefined) throw new Error("nothing is due");
      const event = makeEvent(`of ${one.event.id}`, {
        type: "alert.escalated",
        watchType: "daemon",
      });
      const taken = [{ ...step, kind: "sent" as const, atMs: T0 + 9, eventId: event.id }];
      const { deliveryId, revision } = one;
      return {
        atMs: T0 + 9,
        changes: [
          {
            ...{ deliveryId, revision, baseAtMs: T0 + 9, isAtOnce: false, plan: [], taken },
            ...{ ended: "done", dueAtMs: null, unlessAcknowledged: one.event.id },
          },
        ],
        forgottenIds: [],
        events: [event],
        deliveries: [
          {
            ...{ eventId: event.id, sink: "pager", groupKey: event.id, groupWaitMs: 0 },
            ...{ groupIntervalMs: 0, notBeforeMs: T0 + 9 },
          },
        ],
        ...changes,
      };
    };
    const mark = (what: string, isUndo: boolean, atMs: number) =>
      store.mark({ kind: "acknowledged", what, isUndo, by: "Ada", from: "page", atMs });

    test("alerts of the sinks that escalate begin to count with the result of their message, others never", async () => {
      await commit([makeEvent("1")]);
      const [message = ""] = await seal();
      await store.record([result(message, "retry", T0 + 1)]);
      expect(await store.nextEscalationAt()).toBeNull();
      await store.record([result(message, "retry", T0 + 2)], new Set(["other"]));
      expect(await due()).toEqual([]);
      await store.record([result(message, "retry", T0 + 3)], SINKS);
      expect(await store.nextEscalationAt()).toBe(T0 + 1);
      await store.record([result(message, "retry", T0 + 4)], SINKS);
      expect(await due()).toMatchObject([
        {
          ...{ baseAtMs: T0 + 1, begunAtMs: T0 + 1, isAtOnce: false, sink: "chat", revision: 1 },
          message: { id: message, state: "open", error: "503" },
        },
      ]);
      await store.record([result(message, "sent", T0 + 5)], SINKS);
      expect(await due()).toMatchObject([
        { baseAtMs: T0 + 5, begunAtMs: T0 + 5, isAtOnce: false, message: { state: "sent" } },
      ]);
    });

    test.each(["sent", "dead"] as const)(
      "once a step was sent, the next counts from it, although the message is %s later",
      async (kind) => {
        await commit([makeEvent("1")]);
        const [id = ""] = await seal();
        await store.record([result(id, "retry", T0 + 1)], SINKS);
        const found = await due();
        const next = { ended: "" as const, plan: [{ ...step, nth: 2 }], dueAtMs: T0 + 60_009 };
        const changes = sending(found).changes.map((change) => ({ ...change, ...next }));
        expect(await store.commitEscalations(sending(found, { changes }))).toBe(true);
        await store.record([result(id, kind, T0 + 500)], SINKS);
        expect(await due()).toMatchObject([
          { baseAtMs: T0 + 9, isAtOnce: false, plan: next.plan, message: { state: kind } },
        ]);
      },
    );

    test("an alert that was gathered and then sent alone escalates like any other, also while its sink fails", async () => {
      await commit([makeEvent("1")], digestGroup("throttle", "sink:chat"));
      const [sent = ""] = await seal("own 1");
      await store.record([result(sent, "sent", T0 + 1)], SINKS);
      expect(await due()).toMatchObject([{ groupKey: "own 1", message: { id: sent } }]);
      await commit([makeEvent("2")], digestGroup("throttle", "sink:chat"));
      await seal("own 2");
      await store.saveSinkHealth({
        ...{ sink: "chat", breaker: "open", cause: "transient", reason: "503", hint: "" },
        ...{ openedAtMs: T0, probeAtMs: T0, goneFrom: null, isReported: false, reportedAtMs: null },
      });
      await store.trackFailing(["chat"], T0 + 2);
      expect((await due()).map(({ groupKey }) => groupKey)).toEqual(["own 2", "own 1"]);
    });

    test("a message that is given up escalates at once, and a digest, an ops alert or what is sent again does not", async () => {
      await commit([makeEvent("1")]);
      const [message = ""] = await seal();
      await store.record([result(message, "dead", T0 + 1)], SINKS);
      expect(await due()).toMatchObject([{ isAtOnce: true, baseAtMs: T0 + 1 }]);
      await commit([makeEvent("2"), makeEvent("3")], digestGroup("throttle", "sink:chat"));
      await commit([makeEvent("4", { watchType: "daemon" })]);
      for (const id of await seal()) await store.record([result(id, "sent", T0 + 2)], SINKS);
      await commit([makeEvent("5")]);
      const [first = ""] = await seal();
      await store.record([result(first, "sent", T0 + 3)]);
      const { id } = makeEvent("5");
      const [candidate] = await store.findReplayable({ eventId: id });
      await store.replay({
        ...{ deliveryIds: [candidate?.deliveryId ?? ""], releasedIds: [], added: [] },
        ...{ atMs: T0, detail: {} },
      });
      const [again = ""] = await seal();
      await store.record([result(again, "sent", T0 + 4)], SINKS);
      expect((await due()).map(({ event }) => event.subject)).toEqual(["1"]);
    });

    test("a step is committed once with its event, and not where somebody acknowledged the alert in the same moment", async () => {
      await commit([makeEvent("1"), makeEvent("2")]);
      for (const id of await seal()) await store.record([result(id, "sent", T0 + 1)], SINKS);
      const [one, two] = await due();
      if (one === undefined || two === undefined) throw new Error("two are due");
      const together = [
        store.commitEscalations(sending([one])),
        store.commitEscalations(sending([one])),
      ];
      expect(new Set(await Promise.all(together))).toEqual(new Set([false, true]));
      const [isCommitted, marked] = await Promise.all([
        store.commitEscalations(sending([two])),
        mark(two.event.id, false, T0 + 9),
      ]);
      expect(marked).toMatchObject({ changed: 1 });
      const escalated = await store.findEvents({ limit: 9 });
      const ofTwo = escalated.events.filter(
        ({ event }) => event.type === "alert.escalated" && event.subject === `of ${two.event.id}`,
      );
      expect(ofTwo).toHaveLength(isCommitted ? 1 : 0);
      await mark(one.event.id, false, T0 + 10);
      expect(await store.commitEscalations(sending([two]))).toBe(false);
      const { messages, groups } = await store.dueWork({
        ...{ nowMs: T0 + 9, sinks: ["pager"], busy: new Set<string>(), limit: 9 },
      });
      expect([messages.length, groups.length]).toEqual([0, isCommitted ? 2 : 1]);
    });

    test("an escalation stands for its alerts, and is acknowledged while all of them are", async () => {
      await commit([makeEvent("1"), makeEvent("2")]);
      for (const id of await seal()) await store.record([result(id, "sent", T0 + 1)], SINKS);
      const both = await due();
      const [commitOne, commitTwo] = both.map((one) => sending([one]));
      const alerts = both.map(({ event }) => ({ id: event.id }));
      const event = makeEvent("both", {
        ...{ type: "alert.escalated", watchType: "daemon", body: { alerts } as never },
      });
      const taken = [{ ...step, kind: "sent" as const, atMs: T0 + 9, eventId: event.id }];
      const changes = [...(commitOne?.changes ?? []), ...(commitTwo?.changes ?? [])];
      const [delivery] = commitOne?.deliveries ?? [];
      if (commitOne === undefined || delivery === undefined) throw new Error("two are due");
      await store.commitEscalations({
        ...commitOne,
        changes: changes.map((change) => ({ ...change, taken })),
        events: [event],
        deliveries: [{ ...delivery, eventId: event.id, groupKey: event.id }],
      });
      const [first = "", second = ""] = alerts.map(({ id }) => id);
      const acknowledged = async () =>
        (await store.findEvents({ limit: 9, isAcknowledged: true })).events
          .map((found) => found.event.id)
          .toSorted();
      const all = [first, second, event.id].toSorted();
      await mark(first, false, T0 + 10);
      expect(await acknowledged()).toEqual([first]);
      await mark(second, false, T0 + 11);
      expect(await acknowledged()).toEqual(all);
      await mark(second, true, T0 + 12);
      expect(await acknowledged()).toEqual([first]);
      expect(await mark(event.id, false, T0 + 13)).toMatchObject({ alerts: 2, changed: 1 });
      expect(await acknowledged()).toEqual(all);
      expect(await mark(event.id, true, T0 + 14)).toMatchObject({ alerts: 2, changed: 2 });
      expect(await acknowledged()).toEqual([]);
      const held = await store.alertsOf(event.id);
      expect(held.map((one) => one.event.id).toSorted()).toEqual([first, second].toSorted());
      expect(held.map((one) => one.sinks)).toEqual([["chat"], ["chat"]]);
      const work = { nowMs: T0 + 9, sinks: ["pager"], busy: new Set<string>(), limit: 9 };
      const [deliveryId] = (await store.dueWork(work)).groups.flatMap(({ members }) =>
        members.map((member) => member.deliveryId),
      );
      const message = { id: "page", sink: "pager", groupKey: "g", throttleKey: null, body: {} };
      await store.seal([{ ...message, sealedAtMs: T0 + 15, deliveryIds: [deliveryId ?? ""] }]);
      expect(await store.clickedMessage("page")).toEqual({
        ...{ sink: "pager", alerts: 1, isEscalation: true },
      });
      expect(await mark("page", false, T0 + 16)).toMatchObject({ alerts: 2, changed: 2 });
      expect(await store.alertsOf("page")).toHaveLength(2);
      expect(await acknowledged()).toEqual(all);
    });

    test("an acknowledgement that comes first wins, and its undo counts anew", async () => {
      await commit([makeEvent("1")]);
      const [message = ""] = await seal();
      await store.record([result(message, "sent", T0 + 1)], SINKS);
      const before = await due();
      await mark(message, false, T0 + 2);
      expect(await store.commitEscalations(sending(before))).toBe(false);
      expect(await store.nextDueAt(["pager"])).toBeNull();
      expect(await due()).toMatchObject([{ isAcknowledged: true, revision: 1 }]);
      const { deliveryId = "" } = before[0] ?? {};
      const slept = {
        ...{ deliveryId, revision: 1, baseAtMs: T0 + 1, isAtOnce: true, plan: [step], taken: [] },
        ...({ ended: "acknowledged", dueAtMs: null } as const),
      };
      await store.commitEscalations({
        ...{ atMs: T0 + 3, changes: [slept], forgottenIds: [], events: [], deliveries: [] },
      });
      expect(await store.nextEscalationAt()).toBeNull();
      await mark(message, true, T0 + 4);
      expect(await due()).toMatchObject([
        {
          ...{ isAcknowledged: false, baseAtMs: T0 + 4, begunAtMs: T0 + 4, isAtOnce: false },
          ...{ ended: "", plan: [step], dueAtMs: T0 + 4 },
        },
      ]);
      expect(await store.escalationOutlook()).toEqual([
        { sink: "chat", to: "pager", count: 1, nextAtMs: T0 + 4 },
      ]);
    });

    test("what ended stays ended over a reload and an undo, and what is open is due at once after a reload", async () => {
      await commit([makeEvent("1")]);
      const [message = ""] = await seal();
      await store.record([result(message, "sent", T0 + 1)], SINKS);
      expect(await store.commitEscalations(sending(await due()))).toBe(true);
      await mark(message, false, T0 + 2);
      await mark(message, true, T0 + 3);
      await store.replanEscalations(T0 + 4);
      expect(await due()).toEqual([]);
      await commit([makeEvent("2")]);
      const [second = ""] = await seal();
      await store.record([result(second, "sent", T0 + 5)], SINKS);
      await store.replanEscalations(T0 + 6);
      expect(await due()).toMatchObject([{ dueAtMs: T0 + 6, baseAtMs: T0 + 5 }]);
    });

    test.each([
      ["sent", false],
      ["dead", true],
    ] as const)(
      "an alert that was silenced while its sink failed counts anew once its message is %s",
      async (kind, isAtOnce) => {
        await commit([makeEvent("1")]);
        const [message = ""] = await seal();
        const end = async (taken: DueEscalation["taken"]) => {
          const [{ deliveryId, revision } = { deliveryId: "", revision: 0 }] = await due();
          const row = { deliveryId, revision, baseAtMs: T0 + 1, isAtOnce: false, plan: [] };
          const change = { ...row, taken, ended: "silenced", dueAtMs: null } as const;
          const commits = { atMs: T0 + 2, forgottenIds: [], events: [], deliveries: [] };
          expect(await store.commitEscalations({ ...commits, changes: [change] })).toBe(true);
          expect(await due()).toEqual([]);
        };
        await store.record([result(message, "retry", T0 + 1)], SINKS);
        await end([]);
        await store.record([result(message, "retry", T0 + 3)], SINKS);
        expect(await due()).toEqual([]);
        await store.record([result(message, kind, T0 + 4)], SINKS);
        expect(await due()).toMatchObject([{ baseAtMs: T0 + 4, isAtOnce, ended: "" }]);
        await commit([makeEvent("2")]);
        const [second = ""] = await seal();
        await end([{ ...step, kind: "sent", atMs: T0 + 5 }]);
        await store.record([result(second, "retry", T0 + 6)], SINKS);
        await end([{ ...step, kind: "sent", atMs: T0 + 7 }]);
        await store.record([result(second, kind, T0 + 8)], SINKS);
        expect(await due()).toEqual([]);
      },
    );

    test("alerts behind an open breaker count from when they are due, or from when the sink failed", async () => {
      await commit([makeEvent("1")]);
      await store.trackFailing(["chat"], T0 + 1);
      expect(await due()).toEqual([]);
      const state = { breaker: "open", cause: "transient" } as const;
      const health = {
        ...{ ...state, sink: "chat", reason: "503", hint: "" },
        ...{ probeAtMs: T0, goneFrom: null, isReported: false, reportedAtMs: null },
      };
      await store.saveSinkHealth({ ...health, openedAtMs: T0 + 5 });
      await store.trackFailing(["other"], T0 + 6);
      await store.trackFailing(["chat"], T0 - 1);
      expect(await due()).toEqual([]);
      await store.trackFailing(["chat"], T0 + 6);
      await store.saveSinkHealth({ ...health, openedAtMs: T0 - 5 });
      await store.trackFailing(["chat"], T0 + 7);
      await commit([makeEvent("2")]);
      await seal();
      await store.trackFailing(["chat"], T0 + 7);
      expect((await due()).map(({ event, baseAtMs }) => [event.subject, baseAtMs])).toEqual([
        ["2", T0],
        ["1", T0 + 5],
      ]);
    });
  });
}
