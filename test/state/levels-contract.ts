/**
 * What every Store must do with alerts on values that are across a threshold. Run it with a
 * function that makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { LevelStep, OpenLevel } from "../../src/model/level.ts";
import type { NewDelivery, PollCommit } from "../../src/model/poll-store.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const HOUR_MS = 3_600_000;
const RULES = { likes_count: ">= 1000", view_count: ">= 50" };

export function describeLevels(name: string, makeStore: () => Promise<Store>): void {
  describe(`alerts on values: ${name}`, () => {
    let store: Store;
    let watchKey: string;

    beforeEach(async () => {
      store = await makeStore();
      const [state] = await store.registerWatches(
        [{ id: "w", type: "tweet", targets: [{ key: "7", name: "7" }] }],
        T0,
      );
      watchKey = state?.key ?? "";
      const memory = {
        thresholds: RULES,
        across: ["likes_count", "view_count"],
        values: { likes_count: 2_000, view_count: 60 },
      };
      const [target] = state?.targets ?? [];
      await commit({
        targets: [{ watchKey, targetKey: "7", expectedRevision: target?.revision ?? 0, memory }],
      });
    });

    const commit = (changes: Partial<PollCommit>) =>
      store.commitPoll({
        atMs: T0,
        targets: [],
        verdicts: [],
        events: [],
        deliveries: [],
        ...changes,
      });
    const alert = (
      id: string,
      body: ChirpEvent["body"],
      more: Partial<ChirpEvent> = {},
    ): ChirpEvent =>
      makeEvent("7", {
        id,
        type: "tweet.threshold",
        watch: "w",
        watchKey,
        body: { tweet: makeTweet("7"), ...body },
        ...more,
      });
    const first = (id: string, crossed: readonly string[]) => alert(id, { crossed });
    const repeatOf = (id: string) => alert(id, { crossed: ["likes_count"], repeat: 1 });
    const to = (event: ChirpEvent, sink: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
      ...{
        eventId: event.id,
        sink,
        groupKey: event.id,
        groupWaitMs: 0,
        groupIntervalMs: 0,
        notBeforeMs: T0,
        ...more,
      },
    });
    const open = (event: ChirpEvent, sinks = ["hook"], atMs = T0) =>
      commit({
        atMs,
        events: [event],
        deliveries: sinks.map((sink) => to(event, sink, { level: { repeatMs: HOUR_MS } })),
      });
    const repeated = (
      eventId: string,
      byEventId: string,
      repeats: number,
      sink = "hook",
    ): LevelStep => ({
      ...{
        eventId,
        sink,
        byEventId,
        change: {
          kind: "repeated",
          repeats,
          atMs: T0 + repeats * HOUR_MS,
          nextAtMs: T0 + 9 * HOUR_MS,
        },
      },
    });
    const repeat = (
      eventId: string,
      by: ChirpEvent,
      repeats: number,
      more: Partial<NewDelivery> = {},
    ) =>
      commit({
        events: [by],
        deliveries: [to(by, "hook", more)],
        levels: [repeated(eventId, by.id, repeats)],
      });
    const due = async () =>
      (
        await store.dueWork({
          nowMs: T0 + 9 * HOUR_MS,
          sinks: ["hook"],
          busy: new Set(),
          limit: 100,
        })
      ).groups;
    const waiting = async () =>
      (await due()).flatMap(({ members }) => members.map(({ event }) => event.id)).sort();
    /** Each group that waits becomes a message. */
    let sealed = 0;
    const seal = async () => {
      sealed += 1;
      const messages = (await due()).map(({ groupKey, members }, n) => ({
        ...{
          id: `m${sealed}.${n}`,
          sink: "hook",
          groupKey,
          throttleKey: null,
          sealedAtMs: T0,
          body: {},
        },
        deliveryIds: members.map(({ deliveryId }) => deliveryId),
      }));
      await store.seal(messages);
      return messages;
    };
    const deliverAll = async () =>
      store.record((await seal()).map(({ id }) => ({ messageId: id, kind: "sent", atMs: T0 + 5 })));
    const stateOf = async (eventId: string) =>
      (await store.findEvents({ limit: 99 })).events
        .find(({ event }) => event.id === eventId)
        ?.deliveries.map(({ state }) => state);
    const levels = async () =>
      (await store.openLevels()).map((level: OpenLevel) => [
        level.event.id,
        level.sink,
        level.rules,
      ]);

    test("are open at each sink that follows them, with the thresholds that they are about", async () => {
      const event = first("a", ["likes_count"]);
      await commit({
        events: [event],
        deliveries: [to(event, "hook", { level: { repeatMs: HOUR_MS } }), to(event, "chat")],
      });
      const [level, ...others] = await store.openLevels();
      expect(others).toEqual([]);
      expect(level).toMatchObject({
        sink: "hook",
        repeats: 0,
        lastAtMs: T0,
        nextAtMs: T0 + HOUR_MS,
        targetKey: "7",
      });
      expect(level).toMatchObject({
        rules: { likes_count: ">= 1000" },
        isSent: true,
        isWaiting: true,
        doneAtMs: null,
        isPolled: true,
      });
      expect(level?.memory).toMatchObject({ values: { likes_count: 2_000 } });
      await deliverAll();
      expect(await store.openLevels()).toMatchObject([
        { isSent: true, isWaiting: false, doneAtMs: T0 + 5 },
      ]);
      expect(
        [await store.openLevels([watchKey]), await store.openLevels(["another"])].map(
          ({ length }) => length,
        ),
      ).toEqual([1, 0]);
      expect(await store.dueRepeats()).toEqual([
        { sink: "hook", count: 1, nextAtMs: T0 + HOUR_MS },
      ]);
    });

    test("that are repeated have one repeat that waits, the newest", async () => {
      await open(first("a", ["likes_count"]));
      await deliverAll();
      const group = { groupKey: "team", groupWaitMs: 1_000 };
      await repeat("a", repeatOf("r1"), 1, group);
      expect(await store.openLevels()).toMatchObject([
        { repeats: 1, lastAtMs: T0 + HOUR_MS, lastRepeat: { eventId: "r1", state: "waiting" } },
      ]);
      await repeat("a", repeatOf("r2"), 2, group);
      expect(await waiting()).toEqual(["r2"]);
      expect(await stateOf("r1")).toEqual(["duplicate"]);
      await repeat("a", repeatOf("r3"), 3);
      expect(await waiting()).toEqual(["r3"]);
      await deliverAll();
      expect(await store.openLevels()).toMatchObject([
        { repeats: 3, lastRepeat: { eventId: "r3", state: "done" } },
      ]);
      await repeat("a", repeatOf("r4"), 4);
      expect(await waiting()).toEqual(["r4"]);
    });

    test("take back a message that holds nothing but the last repeat, whatever comes of its attempt", async () => {
      await open(first("a", ["likes_count"]));
      await deliverAll();
      await repeat("a", repeatOf("r1"), 1);
      const [message] = await seal();
      const failed = {
        messageId: message?.id ?? "",
        kind: "retry",
        atMs: T0,
        nextAttemptAtMs: T0 + 1,
        error: "no",
        countAttempt: true,
      } as const;
      await store.record([failed]);
      expect(await store.openLevels()).toMatchObject([{ lastRepeat: { state: "waiting" } }]);
      await repeat("a", repeatOf("r2"), 2);
      await store.record([failed]);
      const { messages } = await store.dueWork({
        nowMs: T0 + HOUR_MS,
        sinks: ["hook"],
        busy: new Set(),
        limit: 9,
      });
      expect([messages, await waiting()]).toEqual([[], ["r2"]]);
    });

    test("leave a repeat that went into a message with others as it is", async () => {
      await open(first("a", ["likes_count"]));
      await deliverAll();
      const group = { groupKey: "team" };
      await repeat("a", repeatOf("r1"), 1, group);
      const other = makeEvent("8", { watch: "w", watchKey });
      await commit({ events: [other], deliveries: [to(other, "hook", group)] });
      await seal();
      expect(await store.openLevels()).toMatchObject([{ lastRepeat: { state: "sealed" } }]);
      const end = alert("end", { resolved: ["likes_count"] });
      const levelsOf: LevelStep[] = [
        { eventId: "a", sink: "hook", byEventId: "end", change: { kind: "close" } },
      ];
      await commit({ events: [end], deliveries: [to(end, "hook")], levels: levelsOf });
      expect(await stateOf("r1")).toEqual(["sealed"]);
    });

    test("end with what says that they are back, and no repeat waits beside it", async () => {
      await open(first("a", ["likes_count"]), ["hook", "chat"]);
      await deliverAll();
      await repeat("a", repeatOf("r1"), 1);
      const end = alert("end", { resolved: ["likes_count"] });
      const close = (sink: string): LevelStep => ({
        eventId: "a",
        sink,
        byEventId: "end",
        change: { kind: "close" },
      });
      await commit({
        events: [end],
        deliveries: [to(end, "hook")],
        levels: [close("hook"), close("chat")],
      });
      expect([await levels(), await waiting()]).toEqual([[], ["end"]]);
    });

    test("refuse a commit whole that goes by one that is not open any more", async () => {
      await open(first("a", ["likes_count"]));
      await deliverAll();
      await store.closeLevel({ event: first("a", []), sink: "hook" });
      expect(await repeat("a", repeatOf("r1"), 1)).toEqual({ status: "conflict" });
      expect([await waiting(), await stateOf("r1")]).toEqual([[], undefined]);
    });

    test("bear the name that their watch has now", async () => {
      await open(first("a", ["likes_count"]));
      await store.registerWatches(
        [{ id: "renamed", movedFrom: "w", type: "tweet", targets: [{ key: "7", name: "7" }] }],
        T0 + 1,
      );
      const [level] = await store.openLevels();
      expect([level?.event.watch, level?.event.labels["watch"], level?.event.id]).toEqual([
        "renamed",
        "renamed",
        "a",
      ]);
    });

    test("end where the same number crosses anew, at that sink and for that number alone", async () => {
      await open(first("both", ["likes_count", "view_count"]), ["hook", "chat"]);
      await open(first("anew", ["likes_count"]));
      const [likes, views] = [{ likes_count: ">= 1000" }, { view_count: ">= 50" }];
      const sorted = async () =>
        (await levels()).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      expect(await sorted()).toEqual([
        ["anew", "hook", likes],
        ["both", "chat", RULES],
        ["both", "hook", views],
      ]);
      await open(first("views", ["view_count"]));
      expect(await sorted()).toEqual([
        ["anew", "hook", likes],
        ["both", "chat", RULES],
        ["views", "hook", views],
      ]);
    });
  });
}
