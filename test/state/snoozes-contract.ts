/**
 * What every Store must do with snoozes and the silences of authors. Run it with a function that
 * makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { digestGroup } from "../../src/model/digest.ts";
import type { HoldRequest, NewSilence } from "../../src/model/silence.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const HOUR = 3_600_000;

export function describeSnoozes(name: string, makeStore: () => Promise<Store>): void {
  describe(`snoozes: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });

    const snooze = (sink = "hook", changes: Partial<NewSilence> = {}): NewSilence => ({
      ...{ kind: "snooze", sinks: [sink], eventId: "e", matchers: ['conversation="1"'] },
      ...{ startsAtMs: T0, endsAtMs: T0 + HOUR, author: "Ada", comment: "" },
      ...changes,
    });
    const hold = async (...silences: readonly NewSilence[]) => {
      const request: HoldRequest = {
        ...{ action: "snooze", what: "e", by: "Ada", from: "page", atMs: T0, silences },
      };
      return (await store.holdBack(request)).map(({ silence, change }) => [silence.id, change]);
    };
    const deliver = (subject: string, id: string, untilMs: number) =>
      store.commitPoll({
        ...{ atMs: T0, targets: [], verdicts: [], events: [makeEvent(subject)] },
        deliveries: [
          {
            ...{ eventId: makeEvent(subject).id, sink: "hook", groupWaitMs: 0, groupIntervalMs: 0 },
            ...{ groupKey: digestGroup("snooze", id), notBeforeMs: untilMs },
            heldBy: `snooze ${id}`,
          },
        ],
      });
    const actions = async () => (await store.auditRecords(9)).map(({ action }) => action).reverse();

    test("asking again changes nothing, a longer one extends, and each kind, sink and matcher is its own", async () => {
      expect(await hold(snooze(), snooze("ops"))).toEqual([
        ["1", "added"],
        ["2", "added"],
      ]);
      const shorter = { endsAtMs: T0 + HOUR / 2 };
      const later = { endsAtMs: T0 + HOUR + 5_000 };
      expect(await hold(snooze(), snooze("ops", shorter), snooze("hook", later))).toEqual([
        ["1", "unchanged"],
        ["2", "unchanged"],
        ["1", "unchanged"],
      ]);
      expect(await hold(snooze("hook", { endsAtMs: T0 + 4 * HOUR }))).toEqual([["1", "extended"]]);
      expect(await hold(snooze("hook", { kind: "silence" }))).toEqual([["3", "added"]]);
      expect(await hold(snooze("hook", { matchers: ['conversation="2"'] }))).toEqual([
        ["4", "added"],
      ]);
      expect((await store.listSilences())[0]).toMatchObject({
        ...{ id: "1", kind: "snooze", sinks: ["hook"], eventId: "e", endsAtMs: T0 + 4 * HOUR },
      });
      expect(await actions()).toEqual(["snooze", "snooze", "snooze", "snooze"]);
    });

    test("of two requests at the same moment only one takes effect", async () => {
      const both = await Promise.all([hold(snooze()), hold(snooze())]);
      expect(new Set(both.flat().map(([, change]) => change))).toEqual(
        new Set(["added", "unchanged"]),
      );
      expect(await store.listSilences()).toHaveLength(1);
      expect(await actions()).toEqual(["snooze"]);
    });

    test("its digest is due when it ends, later if it is extended, and now if somebody ends it", async () => {
      await hold(snooze());
      await deliver("1", "1", T0 + HOUR);
      await deliver("2", "1", T0 + HOUR);
      expect(await store.nextDueAt(["hook"])).toBe(T0 + HOUR);
      expect(await store.countSilenced()).toEqual([{ silenceId: "1", sink: "hook", alerts: 2 }]);
      await hold(snooze("hook", { endsAtMs: T0 + 2 * HOUR }));
      expect(await store.nextDueAt(["hook"])).toBe(T0 + 2 * HOUR);
      expect(await store.expireSilence("1", T0 + 5)).toMatchObject({ endsAtMs: T0 + 5 });
      expect(await store.nextDueAt(["hook"])).toBe(T0 + 5);
      const query = { nowMs: T0 + 5, sinks: ["hook"], busy: new Set<string>(), limit: 9 };
      expect((await store.dueWork(query)).groups.map(({ members }) => members.length)).toEqual([2]);
      expect(await actions()).toEqual(["snooze", "snooze", "snooze expire"]);
    });

    test("what it holds back moves with it when the clock is set back", async () => {
      await hold(snooze());
      await deliver("1", "1", T0 + HOUR);
      await store.setTimesBack(HOUR / 2);
      expect((await store.listSilences())[0]?.endsAtMs).toBe(T0 + HOUR / 2);
      expect(await store.nextDueAt(["hook"])).toBe(T0 + HOUR / 2);
    });

    test("follows its sink to a new name", async () => {
      await hold(snooze());
      await store.moveSink({ from: "hook", to: "brand" });
      expect((await store.listSilences())[0]?.sinks).toEqual(["brand"]);
    });

    test("only a message that was never tried, and is whole, is taken back", async () => {
      const event = makeEvent("1");
      await store.commitPoll({
        ...{ atMs: T0, targets: [], verdicts: [], events: [event] },
        deliveries: [
          {
            ...{ eventId: event.id, sink: "hook", groupWaitMs: 0, groupIntervalMs: 0 },
            ...{ groupKey: event.id, notBeforeMs: T0 },
          },
        ],
      });
      const seal = async (id: string) => {
        const query = { nowMs: T0, sinks: ["hook"], busy: new Set<string>(), limit: 9 };
        const { groups } = await store.dueWork(query);
        const deliveryIds = groups.flatMap(({ members }) => members.map((one) => one.deliveryId));
        const message = { id, sink: "hook", groupKey: event.id, throttleKey: null, body: {} };
        await store.seal([{ ...message, sealedAtMs: T0, deliveryIds }]);
      };
      await seal("a");
      expect([...(await store.revertUntried(["a"]))]).toEqual(["a"]);
      await seal("b");
      await store.record([
        {
          ...{ messageId: "b", kind: "retry", atMs: T0, nextAttemptAtMs: T0 + 5, error: "503" },
          countAttempt: true,
        },
      ]);
      expect([...(await store.revertUntried(["b"]))]).toEqual([]);
    });
  });
}
