/**
 * What every Store must do, whatever it is made of. Run it with a function that makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { announcementGroup, digestGroup } from "../../src/model/digest.ts";
import type { Json } from "../../src/model/json.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { EventPage, EventQuery } from "../../src/model/history.ts";
import type { Reservation } from "../../src/model/ledger.ts";
import type { NewMessage } from "../../src/model/outbox.ts";
import type { ItemVerdict, NewDelivery, PollCommit } from "../../src/model/poll-store.ts";
import type { Recheck } from "../../src/model/recheck.ts";
import type { Store } from "../../src/model/store.ts";
import type { WatchState } from "../../src/model/watch-store.ts";
import type { User } from "../../src/model/user.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const DAY_MS = 86_400_000;

export function describeStore(name: string, makeStore: () => Promise<Store>): void {
  describe(`a Store: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });

    const register = (...ids: string[]) =>
      store.registerWatches(
        ids.map((id) => watch(id)),
        T0,
      );
    const first = async (): Promise<WatchState> => (await register("brand"))[0] as WatchState;
    const commit = (changes: Partial<PollCommit>) =>
      store.commitPoll({
        atMs: T0,
        targets: [],
        verdicts: [],
        events: [],
        deliveries: [],
        ...changes,
      });
    const commitEvents = (
      events: readonly ChirpEvent[],
      to: Partial<NewDelivery> = {},
      atMs = T0,
    ) => commit({ atMs, events, deliveries: events.map((event) => delivery(event, to)) });
    const due = (
      nowMs: number,
      sinks = ["hook"],
      busy: ReadonlySet<string> = new Set(),
      limit = 100,
    ) => store.dueWork({ nowMs, sinks, busy, limit });
    const sealAll = async (
      nowMs: number,
      prefix = "m",
      sinks = ["hook"],
    ): Promise<NewMessage[]> => {
      const { groups } = await due(nowMs, sinks);
      const messages = groups.map((group, i) => ({
        id: `${prefix}${i}`,
        sink: group.sink,
        groupKey: group.groupKey,
        throttleKey: group.throttleKey,
        sealedAtMs: nowMs,
        body: { n: i },
        deliveryIds: group.members.map((member) => member.deliveryId),
      }));
      await store.seal(messages);
      return messages;
    };

    describe("rechecks", () => {
      const recheckOf = (
        state: WatchState | undefined,
        tweetId: string,
        changes: Partial<Recheck> = {},
      ): Recheck => ({
        ...ref(state),
        tweetId,
        dueAtMs: T0 + 10,
        untilMs: T0 + 1_000,
        eventId: "",
        condition: "tweet.likes_count > 9",
        absences: 0,
        versions: [],
        ...changes,
      });
      const change = (changes: Partial<NonNullable<PollCommit["rechecks"]>>) =>
        commit({ rechecks: { rechecks: [], ended: [], late: [], ...changes } });

      test("are due from their time on, until they end", async () => {
        const brand = await first();
        const [one, two] = [
          recheckOf(brand, "1"),
          recheckOf(brand, "2", { dueAtMs: T0 + 20, eventId: "e2", condition: "" }),
        ];
        await change({ rechecks: [two, one] });
        expect(await store.dueRechecks(T0 + 9, 10)).toEqual([]);
        expect(await store.dueRechecks(T0 + 10, 10)).toEqual([one]);
        expect(await store.dueRechecks(T0 + 20, 10)).toEqual([one, two]);
        expect(await store.dueRechecks(T0 + 20, 1)).toEqual([one]);
        await change({
          rechecks: [{ ...one, dueAtMs: T0 + 30, absences: 1, versions: ["v1", "v2"] }],
          ended: [{ ...ref(brand), tweetId: "2" }],
        });
        expect(await store.dueRechecks(T0 + 29, 10)).toEqual([]);
        expect(await store.dueRechecks(T0 + 30, 10)).toEqual([
          { ...one, dueAtMs: T0 + 30, absences: 1, versions: ["v1", "v2"] },
        ]);
      });

      test("are given of whole tweets", async () => {
        const [brand, other] = await register("brand", "other");
        const [one, same, two] = [
          recheckOf(brand, "1"),
          recheckOf(other, "1"),
          recheckOf(brand, "2"),
        ];
        await change({ rechecks: [one, two, same] });
        expect(await store.dueRechecks(T0 + 10, 1)).toEqual([one, same]);
        expect(await store.dueRechecks(T0 + 10, 2)).toEqual([one, same, two]);
      });

      test("of a watch are hastened, no others, and none that is due before", async () => {
        const [brand, other] = await register("brand", "other");
        const late = { dueAtMs: T0 + 30 };
        const [soon, later, others] = [
          recheckOf(brand, "1"),
          recheckOf(brand, "2", late),
          recheckOf(other, "3", late),
        ];
        await change({ rechecks: [soon, later, others] });
        await store.runRechecksNow(String(brand?.key), T0 + 15, T0 + 12);
        expect(await store.dueRechecks(T0 + 11, 10)).toEqual([soon]);
        expect(await store.dueRechecks(T0 + 12, 10)).toEqual([
          soon,
          { ...later, dueAtMs: T0 + 12 },
        ]);
      });

      test("of paused and removed watches wait", async () => {
        const [brand] = await register("brand", "other");
        await change({ rechecks: [recheckOf(brand, "1")] });
        await store.setPaused("brand", true, { atMs: T0 });
        expect(await store.dueRechecks(T0 + 10, 10)).toEqual([]);
        await store.setPaused("brand", false, { atMs: T0 });
        expect(await store.dueRechecks(T0 + 10, 10)).toHaveLength(1);
        await register("other");
        expect(await store.dueRechecks(T0 + 10, 10)).toEqual([]);
      });

      test("make an event of what was filtered, and leave every other verdict as it is", async () => {
        const brand = await first();
        await commit({
          verdicts: [verdict(ref(brand), "1", "filtered"), verdict(ref(brand), "2", "too_old")],
        });
        await change({
          late: [1, 2].map((id) => ({ ...ref(brand), itemId: String(id), eventId: `e${id}` })),
        });
        expect((await store.explainItem("1"))[0]).toMatchObject({ verdict: "event", detail: "" });
        expect((await store.explainItem("2"))[0]).toMatchObject({ verdict: "too_old" });
      });

      test("conflict when their target is gone, with everything else of the commit", async () => {
        const brand = await first();
        const gone = { ...recheckOf(brand, "1"), targetKey: "nobody" };
        const result = await commit({
          events: [makeEvent("9")],
          rechecks: { rechecks: [gone], ended: [], late: [] },
        });
        expect(result.status).toBe("conflict");
        expect(await store.recentEvents(10)).toEqual([]);
      });

      test("find their events again by id", async () => {
        const [one, two] = [makeEvent("1"), makeEvent("2")];
        await commit({ events: [one, two] });
        expect(await store.eventsById([two.id, "nobody"])).toEqual([two]);
        expect(await store.eventsById([])).toEqual([]);
      });
    });

    describe("volume", () => {
      test("counts events of a watch by when they occurred, without its own kind", async () => {
        const at = (subject: string, ms: number, type = "tweet.created") =>
          makeEvent(subject, {
            watchKey: "k",
            type,
            occurredAtMs: T0 + ms,
            detectedAtMs: T0 + 100 + ms,
          });
        const other = makeEvent("9", { watchKey: "other", occurredAtMs: T0 + 5 });
        const [a, b, c, spike] = [at("1", 0), at("2", 5), at("3", 10), at("w", 12, "volume.spike")];
        await commit({ events: [a, b, c, spike, other] });
        const spans = [
          { fromMs: T0, toMs: T0 + 10 },
          { fromMs: T0 - 1, toMs: T0 + 20 },
          { fromMs: T0 + 10, toMs: T0 + 20 },
        ];
        expect(await store.countEvents("k", spans)).toEqual([2, 3, 0]);
        expect(await store.newestEvent("k")).toEqual({ id: c.id, detectedAtMs: T0 + 110 });
        const spikeSince = (ms: number) =>
          store.newestEvent("k", { type: "volume.spike", sinceMs: T0 + ms });
        expect(await spikeSince(12)).toEqual({ id: spike.id, detectedAtMs: T0 + 112 });
        expect(await spikeSince(13)).toBeUndefined();
        expect(await store.newestEvent("nobody")).toBeUndefined();
      });
    });

    describe("watches", () => {
      test("keep their key and memory when they are registered again", async () => {
        const [before] = await register("brand");
        await commit({
          targets: [
            { ...ref(before), expectedRevision: 0, memory: { line: "9" }, baselineAtMs: T0 },
          ],
        });
        const [after] = await store.registerWatches([watch("brand")], T0 + 1_000);
        expect(after).toMatchObject({ key: before?.key, registeredAtMs: T0 });
        expect(after?.targets[0]).toMatchObject({
          memory: { line: "9" },
          baselineAtMs: T0,
          revision: 1,
        });
        expect(await store.registerWatches([watch("brand")], T0 + 2_000)).toEqual([after]);
      });

      test("keep the baseline of a target whose place in the list changes", async () => {
        const targets = (...keys: string[]) => keys.map((key) => ({ key, name: key }));
        const [before] = await store.registerWatches([watch("brand", targets("@a", "@b"))], T0);
        for (const targetKey of ["@a", "@b"])
          await commit({
            targets: [
              {
                watchKey: before?.key ?? "",
                targetKey,
                expectedRevision: 0,
                memory: { line: "9" },
                baselineAtMs: T0,
              },
            ],
          });
        const [after] = await store.registerWatches(
          [watch("brand", targets("@new", "@b", "@a"))],
          T0 + 1_000,
        );
        expect(after?.targets.map(({ key, baselineAtMs }) => [key, baselineAtMs])).toEqual([
          ["@new", null],
          ["@b", T0],
          ["@a", T0],
        ]);
      });

      test("keep the ids of accounts that they name, whoever has the handle later", async () => {
        const [one, two] = await register("one", "two");
        const [a, b] = [one?.key ?? "", two?.key ?? ""];
        await store.nameAccounts([
          { watchKey: a, handle: "acme", userId: "44" },
          { watchKey: a, handle: "rival", userId: "45" },
          { watchKey: "nobody", handle: "acme", userId: "44" },
        ]);
        await store.nameAccounts([
          { watchKey: a, handle: "acme", userId: "99" },
          { watchKey: b, handle: "acme", userId: "99" },
        ]);
        const accounts = (await store.registerWatches([watch("one"), watch("two")], T0 + 1)).map(
          (state) => state.accounts,
        );
        expect(accounts).toEqual([{ acme: "44", rival: "45" }, { acme: "99" }]);
        expect((await store.listWatches()).map((state) => state.accounts)).toEqual(accounts);
      });

      test("are listed by id, in the order of the configuration, with what they follow", async () => {
        const [one, , three] = await register("one", "two", "three");
        expect(await store.listWatches(["three", "none", "one"])).toEqual([one, three]);
        expect(await store.listWatches([])).toEqual([]);
        const many = Array.from({ length: 600 }, (_, i) => `other${i}`);
        expect(await store.listWatches([...many, "two"])).toMatchObject([
          { id: "two", targets: [{}] },
        ]);
      });

      test("are found by id where they are paused or a target cannot be read", async () => {
        const [, paused, , , broken] = await register(
          "fine",
          "paused",
          "gone",
          "removed",
          "broken",
        );
        await store.setPaused("paused", true, { atMs: T0 });
        await store.setPaused("removed", true, { atMs: T0 });
        const [gone] = await store.listWatches(["gone"]);
        await store.setTargetStatus(ref(gone), "gone", "it ended");
        await store.setTargetStatus(ref(broken), "misconfigured", "no such account");
        await store.registerWatches(
          ["fine", "paused", "gone", "broken"].map((id) => watch(id)),
          T0,
        );
        expect(paused?.id).toBe("paused");
        expect([...(await store.stoppedWatches())].sort()).toEqual(["broken", "paused"]);
      });

      test("hand their key over by moved_from, once and for all", async () => {
        const [old] = await register("old");
        const moved = { ...watch("new"), movedFrom: "old" };
        const [taken] = await store.registerWatches([moved], T0);
        expect(taken).toMatchObject({ id: "new", key: old?.key });
        expect((await store.registerWatches([moved], T0))[0]?.key).toBe(old?.key);
        expect((await store.listWatches()).map((w) => w.id)).toEqual(["new"]);
      });

      describe("that were away", () => {
        const HOUR_MS = 3_600_000;
        const baselined = async () => {
          const [state] = await register("brand");
          await commit({
            targets: [
              { ...ref(state), expectedRevision: 0, memory: { line: "9" }, baselineAtMs: T0 },
            ],
          });
          return state?.targets[0];
        };
        const registerAt = (atMs: number, changes: object = {}) =>
          store.registerWatches([{ ...watch("brand"), ...changes }], atMs);
        const away = (from: number, to: number) => ({
          resume_ms: from,
          away: { from_ms: from, to_ms: to },
        });

        test("disabled, remember since when once they are back, over as many registrations as there were", async () => {
          await baselined();
          await registerAt(T0 + HOUR_MS, { enabled: false });
          await registerAt(T0 + 2 * HOUR_MS, { enabled: false });
          const [back] = await registerAt(T0 + 3 * HOUR_MS);
          expect(back).toMatchObject({ returnedFromMs: T0 + HOUR_MS });
          expect(back?.targets[0]).toMatchObject({
            memory: { line: "9", ...away(T0 + HOUR_MS, T0 + 3 * HOUR_MS) },
          });
          const [again] = await registerAt(T0 + 4 * HOUR_MS);
          expect(again).not.toHaveProperty("returnedFromMs");
          expect(again?.targets[0]).toEqual(back?.targets[0]);
        });

        test("removed, do so too, and a rename is no absence", async () => {
          await baselined();
          await store.registerWatches([], T0 + HOUR_MS);
          const [back] = await registerAt(T0 + 5 * HOUR_MS);
          expect(back?.targets[0]?.memory).toEqual({
            line: "9",
            ...away(T0 + HOUR_MS, T0 + 5 * HOUR_MS),
          });
          const [moved] = await store.registerWatches(
            [{ ...watch("other"), movedFrom: "brand" }],
            T0 + 6 * HOUR_MS,
          );
          expect(moved?.targets[0]?.memory).toEqual(back?.targets[0]?.memory);
        });

        test("paused and disabled, are back when they are neither", async () => {
          await baselined();
          await store.setPaused("brand", true, { atMs: T0 + HOUR_MS });
          await registerAt(T0 + 2 * HOUR_MS, { enabled: false });
          expect(await store.setPaused("brand", false, { atMs: T0 + 3 * HOUR_MS })).toEqual({
            wasPaused: true,
            awaySinceMs: T0 + HOUR_MS,
          });
          const [back] = await registerAt(T0 + 4 * HOUR_MS);
          expect(back?.targets[0]?.memory).toEqual({
            line: "9",
            ...away(T0 + HOUR_MS, T0 + 4 * HOUR_MS),
          });
        });

        test("paused and resumed, leave a row each of who asked for it, and none where nothing changed", async () => {
          await baselined();
          await store.setPaused("brand", true, { atMs: T0, by: "alice" });
          await store.setPaused("brand", true, { atMs: T0, by: "bob" });
          await store.setPaused("brand", false, { atMs: T0 + HOUR_MS, by: "bob", isFromNow: true });
          expect(
            (await store.auditRecords(9)).map(({ action, detail }) => [action, detail]),
          ).toEqual([
            ["resume", { watch: "brand", by: "bob", from_now: true }],
            ["pause", { watch: "brand", by: "alice" }],
          ]);
        });

        test("paused, are back from now where that is wanted; a pause that is one already changes nothing", async () => {
          const target = await baselined();
          await store.setPaused("brand", true, { atMs: T0 + HOUR_MS });
          expect(await store.setPaused("brand", true, { atMs: T0 + 2 * HOUR_MS })).toEqual({
            wasPaused: true,
            awaySinceMs: T0 + HOUR_MS,
          });
          await store.setPaused("brand", false, { atMs: T0 + 3 * HOUR_MS, isFromNow: true });
          const [back] = await store.loadTargets([
            { watchKey: target?.watchKey ?? "", targetKey: target?.key ?? "" },
          ]);
          expect(back?.memory["away"]).toEqual({
            from_ms: T0 + HOUR_MS,
            to_ms: T0 + 3 * HOUR_MS,
            from_now: true,
          });
        });

        test("and were never read begin when they are back", async () => {
          await register("brand");
          await registerAt(T0 + HOUR_MS, { enabled: false });
          const [back] = await registerAt(T0 + 2 * HOUR_MS);
          expect(back?.targets[0]).toMatchObject({
            registeredAtMs: T0 + 2 * HOUR_MS,
            memory: {},
            baselineAtMs: null,
          });
        });

        test("have targets that were: each since it was left", async () => {
          const target = await baselined();
          await registerAt(T0 + HOUR_MS, { targets: [{ key: "elsewhere", name: "elsewhere" }] });
          const [back] = await registerAt(T0 + 2 * HOUR_MS);
          expect(back?.targets.find(({ key }) => key === target?.key)?.memory).toEqual({
            line: "9",
            ...away(T0 + HOUR_MS, T0 + 2 * HOUR_MS),
          });
        });

        test("have targets that were left before, and come back with them", async () => {
          const target = await baselined();
          const elsewhere = { targets: [{ key: "elsewhere", name: "elsewhere" }] };
          await registerAt(T0 + HOUR_MS, elsewhere);
          await registerAt(T0 + 2 * HOUR_MS, { ...elsewhere, enabled: false });
          const [back] = await registerAt(T0 + 3 * HOUR_MS);
          expect(back?.targets.find(({ key }) => key === target?.key)?.memory).toEqual({
            line: "9",
            ...away(T0 + HOUR_MS, T0 + 3 * HOUR_MS),
          });
        });

        test("a second time before all was read, go on from the first", async () => {
          await baselined();
          for (const [atMs, enabled] of [
            [1, false],
            [2, true],
            [3, false],
            [4, true],
          ] as const)
            await registerAt(T0 + atMs * HOUR_MS, { enabled });
          const [back] = await store.listWatches();
          expect(back?.targets[0]?.memory).toEqual({
            line: "9",
            ...away(T0 + HOUR_MS, T0 + 4 * HOUR_MS),
          });
        });
      });

      test("whose moved_from is still configured start anew", async () => {
        const [old] = await register("old");
        const [kept, fresh] = await store.registerWatches(
          [watch("old"), { ...watch("new"), movedFrom: "old" }],
          T0,
        );
        expect(kept?.key).toBe(old?.key);
        expect(fresh?.key).not.toBe(old?.key);
      });

      test("that are removed are not listed, and come back with what they knew", async () => {
        const [before] = await register("brand", "other");
        await register("other");
        expect((await store.listWatches()).map((w) => w.id)).toEqual(["other"]);
        expect((await register("brand", "other"))[0]?.key).toBe(before?.key);
      });

      test("whose type is changed start anew, and find what they knew when it is changed back", async () => {
        const [before] = await register("brand");
        await commit({
          targets: [
            { ...ref(before), expectedRevision: 0, memory: { line: "9" }, baselineAtMs: T0 },
          ],
        });
        const [other] = await store.registerWatches(
          [{ ...watch("brand"), type: "followers" }],
          T0 + 1_000,
        );
        expect(other?.key).not.toBe(before?.key);
        expect(other?.targets[0]).toMatchObject({ memory: {}, baselineAtMs: null });
        expect((await store.listWatches()).map(({ id, type }) => `${id} ${type}`)).toEqual([
          "brand followers",
        ]);
        expect((await register("brand"))[0]).toMatchObject({
          key: before?.key,
          targets: [{ memory: { line: "9" } }],
        });
        expect((await store.listWatches()).map(({ id, type }) => `${id} ${type}`)).toEqual([
          `brand ${watch("brand").type}`,
        ]);
      });

      test("are returned in the order given, with their targets in theirs", async () => {
        const targets = ["@c", "@a", "@b"].map((key) => ({ key, name: key }));
        const states = await store.registerWatches([watch("z", targets), watch("a")], T0);
        expect(states.map((s) => s.id)).toEqual(["z", "a"]);
        expect(states[0]?.targets.map((t) => t.key)).toEqual(["@c", "@a", "@b"]);
        expect((await store.listWatches())[0]?.targets.map((t) => t.key)).toEqual([
          "@c",
          "@a",
          "@b",
        ]);
      });

      test("can be paused by name, which survives registration", async () => {
        await register("brand");
        expect(await store.setPaused("brand", true, { atMs: T0 })).toEqual({
          wasPaused: false,
          awaySinceMs: null,
        });
        expect(await store.setPaused("nobody", true, { atMs: T0 })).toBeUndefined();
        expect((await register("brand"))[0]?.paused).toBe(true);
      });
    });

    describe("targets", () => {
      test("removed from the configuration come back with their memory", async () => {
        const both = ["@a", "@b"].map((key) => ({ key, name: key }));
        const [state] = await store.registerWatches([watch("w", both)], T0);
        await commit({
          targets: [
            {
              watchKey: state?.key ?? "",
              targetKey: "@b",
              expectedRevision: 0,
              memory: { seen: 1 },
            },
          ],
        });
        const [less] = await store.registerWatches([watch("w", both.slice(0, 1))], T0);
        expect(less?.targets.map((t) => t.key)).toEqual(["@a"]);
        const [again] = await store.registerWatches([watch("w", both)], T0);
        expect(again?.targets[1]).toMatchObject({ key: "@b", memory: { seen: 1 } });
      });

      test("written under a new handle take over the memory of the old one when they resolve to the same account", async () => {
        const [state] = await store.registerWatches(
          [watch("w", [{ key: "@old", name: "@old" }])],
          T0,
        );
        const watchKey = state?.key ?? "";
        await store.resolveTarget(
          { watchKey, targetKey: "@old" },
          { userId: "44", username: "old" },
        );
        const known = [verdict({ watchKey, targetKey: "@old" }, "100")];
        await commit({
          targets: [{ watchKey, targetKey: "@old", expectedRevision: 1, memory: { line: "9" } }],
          verdicts: known,
        });
        await store.registerWatches([watch("w", [{ key: "@new", name: "@new" }])], T0);
        const survivor = await store.resolveTarget(
          { watchKey, targetKey: "@new" },
          { userId: "44", username: "new" },
        );
        expect(survivor).toMatchObject({
          key: "@new",
          userId: "44",
          username: "new",
          memory: { line: "9" },
        });
        const [seen] = await store.knownItems([{ watchKey, targetKey: "@new" }], ["100", "101"]);
        expect([...(seen ?? [])]).toEqual(["100"]);
        const [again] = await store.registerWatches(
          [watch("w", [{ key: "@new", name: "@new" }])],
          T0,
        );
        expect(again?.targets).toHaveLength(1);
        expect(again?.knownItems).toBe(1);
      });

      test("registered with an id take over the row that holds it", async () => {
        const [state] = await store.registerWatches([watch("w", [{ key: "@a", name: "@a" }])], T0);
        const watchKey = state?.key ?? "";
        await store.resolveTarget({ watchKey, targetKey: "@a" }, { userId: "44", username: "a" });
        await commit({
          targets: [{ watchKey, targetKey: "@a", expectedRevision: 1, memory: { line: "9" } }],
        });
        const [again] = await store.registerWatches(
          [watch("w", [{ key: "id:44", name: "id:44", userId: "44" }])],
          T0,
        );
        expect(again?.targets).toMatchObject([
          { key: "id:44", name: "id:44", memory: { line: "9" } },
        ]);
      });

      test("that both name one account are one from then on, also after a restart", async () => {
        const both = [
          { key: "id:44", name: "id:44", userId: "44" },
          { key: "@a", name: "@a" },
        ];
        const [state] = await store.registerWatches([watch("w", both)], T0);
        const watchKey = state?.key ?? "";
        expect(
          await store.resolveTarget({ watchKey, targetKey: "@a" }, { userId: "44", username: "a" }),
        ).toMatchObject({
          key: "id:44",
          username: "a",
        });
        expect(await store.loadTargets([{ watchKey, targetKey: "@a" }])).toMatchObject([
          { key: "id:44" },
        ]);
        const [again] = await store.registerWatches([watch("w", both)], T0);
        expect(again?.targets.map((t) => t.key)).toEqual(["id:44"]);
        const [alone] = await store.registerWatches([watch("w", both.slice(1))], T0);
        expect(alone?.targets).toMatchObject([{ key: "@a", userId: "44" }]);
      });

      test("get a new revision by a new status only", async () => {
        const state = await first();
        const target = ref(state);
        await store.setTargetStatus(target, "unavailable", "protected");
        await store.setTargetStatus(target, "unavailable", "protected");
        expect(await store.loadTargets([target])).toMatchObject([
          { status: "unavailable", statusReason: "protected", revision: 1 },
        ]);
      });
    });

    describe("polls", () => {
      test("start from empty memory and revision 0", async () => {
        expect(await store.loadSources(["a"])).toEqual([
          { fingerprint: "a", memory: {}, revision: 0, lastPollAtMs: null, lastOkAtMs: null },
        ]);
      });

      test("that found nothing change only their time", async () => {
        const source = {
          fingerprint: "a",
          expectedRevision: 0,
          polledAtMs: T0,
          ok: true,
          memory: { x: 1 },
        };
        await commit({ source });
        const quiet = { fingerprint: "a", expectedRevision: 1, polledAtMs: T0 + 5, ok: false };
        expect((await commit({ source: quiet })).status).toBe("committed");
        expect(await store.loadSources(["b", "a"])).toMatchObject([
          { fingerprint: "b", revision: 0 },
          { fingerprint: "a", revision: 1, memory: { x: 1 }, lastPollAtMs: T0 + 5, lastOkAtMs: T0 },
        ]);
      });

      test("that never found anything may find something later", async () => {
        await commit({
          source: { fingerprint: "a", expectedRevision: 0, polledAtMs: T0, ok: false },
        });
        await commit({
          source: { fingerprint: "a", expectedRevision: 0, polledAtMs: T0, ok: false },
        });
        const found = await commit({
          source: {
            fingerprint: "a",
            expectedRevision: 0,
            polledAtMs: T0,
            ok: true,
            memory: { x: 1 },
          },
        });
        expect(found.status).toBe("committed");
        expect((await store.loadSources(["a"]))[0]?.revision).toBe(1);
      });

      test("conflict on a changed source, and leave nothing behind", async () => {
        const state = await first();
        const source = {
          fingerprint: "a",
          expectedRevision: 0,
          polledAtMs: T0,
          ok: true,
          memory: { x: 1 },
        };
        await commit({ source });
        const event = makeEvent("1");
        const late = await commit({
          source,
          verdicts: [verdict(ref(state), "1")],
          events: [event],
          deliveries: [delivery(event)],
        });
        expect(late).toEqual({ status: "conflict" });
        expect(await store.recentEvents(10)).toEqual([]);
        expect((await store.knownItems([ref(state)], ["1"]))[0]?.size).toBe(0);
        expect(
          (
            await commit({
              source: { fingerprint: "a", expectedRevision: 9, polledAtMs: T0, ok: true },
            })
          ).status,
        ).toBe("conflict");
      });

      test("write the sources of polls that were read together, or none of them", async () => {
        const polled = (fingerprint: string, expectedRevision: number, n: number) => ({
          ...{ fingerprint, expectedRevision, polledAtMs: T0 + n, ok: true },
          memory: { n },
        });
        expect((await commit({ sources: [polled("a", 0, 1), polled("b", 0, 2)] })).status).toBe(
          "committed",
        );
        expect((await commit({ sources: [polled("a", 1, 3), polled("b", 9, 4)] })).status).toBe(
          "conflict",
        );
        expect(await store.loadSources(["a", "b"])).toMatchObject([
          { memory: { n: 1 }, revision: 1 },
          { memory: { n: 2 }, revision: 1 },
        ]);
      });

      test("conflict on a changed target, and undo the source they wrote before it", async () => {
        const state = await first();
        const change = { ...ref(state), expectedRevision: 0, memory: { a: 1 } };
        await commit({ targets: [change] });
        const source = {
          fingerprint: "a",
          expectedRevision: 0,
          polledAtMs: T0,
          ok: true,
          memory: { x: 1 },
        };
        expect((await commit({ source, targets: [change] })).status).toBe("conflict");
        expect((await store.loadSources(["a"]))[0]?.revision).toBe(0);
      });

      test("grow the revision only of targets they change", async () => {
        const state = await first();
        await commit({
          targets: [{ ...ref(state), expectedRevision: 0 }],
          verdicts: [verdict(ref(state), "1")],
        });
        expect((await store.loadTargets([ref(state)]))[0]?.revision).toBe(0);
        expect((await store.listWatches())[0]?.knownItems).toBe(1);
      });

      test("bear an event once, with its deliveries", async () => {
        const event = makeEvent("1");
        const two = [event, makeEvent("2")];
        expect(await commitEvents([event])).toEqual({
          status: "committed",
          created: new Set([event.id]),
        });
        expect(await commitEvents(two)).toEqual({
          status: "committed",
          created: new Set([two[1]?.id]),
        });
        expect((await due(T0)).groups.flatMap((g) => g.members.map((m) => m.event))).toEqual(two);
        expect(await store.recentEvents(1)).toEqual([two[1]]);
      });

      test("bear no event whose delivery cannot be stored", async () => {
        const event = makeEvent("1");
        await expect(
          commit({ events: [event], deliveries: [delivery(event, { sink: null as never })] }),
        ).rejects.toThrow(/sink/);
        expect(await store.recentEvents(9)).toEqual([]);
        expect(await commitEvents([event])).toEqual({
          status: "committed",
          created: new Set([event.id]),
        });
      });

      test("keep every verdict of several targets, in whatever order they come", async () => {
        const [one, two] = await register("one", "two");
        const refs = [ref(one), ref(two)];
        await commit({
          verdicts: ["1", "2", "3"].flatMap((id) => refs.map((to) => verdict(to, id, "baseline"))),
        });
        expect(await store.knownItems(refs, ["1", "2", "3"])).toEqual(
          refs.map(() => new Set(["1", "2", "3"])),
        );
        expect((await store.listWatches()).map(({ knownItems }) => knownItems)).toEqual([3, 3]);
      });

      test("keep the first verdict of an item", async () => {
        const state = await first();
        await commit({ verdicts: [verdict(ref(state), "1", "baseline")] });
        await commit({
          verdicts: [verdict(ref(state), "1", "event"), verdict(ref(state), "2", "filtered")],
        });
        expect(await store.explainItem("1")).toMatchObject([
          { watch: "brand", verdict: "baseline" },
        ]);
        expect((await store.listWatches())[0]?.knownItems).toBe(2);
      });

      test("of 1,000 items are known item by item, in any number of chunks", async () => {
        const state = await first();
        const ids = Array.from({ length: 1_000 }, (_, i) => String(10_000 + i));
        const events = ids.map((id) => makeEvent(id));
        const result = await commit({
          verdicts: ids.map((id) => verdict(ref(state), id, "event")),
          events,
          deliveries: events.map((event) => delivery(event)),
        });
        expect(result.status === "committed" && result.created.size).toBe(1_000);
        expect((await store.knownItems([ref(state)], [...ids, "1"]))[0]).toEqual(new Set(ids));
        const { groups } = await due(T0, ["hook"], new Set(), 2_000);
        expect(groups.map((g) => g.members[0]?.event.subject)).toEqual(ids);
      });
    });

    describe("the ledger", () => {
      const ask = (atMs: number, changes: Partial<Reservation> = {}) =>
        store.reserve({
          endpoint: "search",
          watch: "brand",
          billed: true,
          atMs,
          rate: { count: 2, intervalMs: 1_000 },
          holdMs: 31_000,
          ...changes,
        });
      const granted = async (atMs: number, changes: Partial<Reservation> = {}): Promise<string> => {
        const grant = await ask(atMs, changes);
        if (grant.kind !== "granted")
          throw new Error(`expected a grant, got ${JSON.stringify(grant)}`);
        return grant.ledgerId;
      };

      test("frees a slot one interval after the answer, not after the request", async () => {
        const id = await granted(T0);
        await granted(T0);
        expect(await ask(T0 + 5_000)).toEqual({ kind: "rate", retryAtMs: T0 + 31_000 });
        await store.settle(id, T0 + 5_000, 200);
        expect(await ask(T0 + 5_999)).toEqual({ kind: "rate", retryAtMs: T0 + 6_000 });
        await granted(T0 + 6_000);
      });

      test("frees the slot of an attempt without an answer after its hold", async () => {
        await granted(T0);
        await granted(T0);
        expect(await ask(T0 + 30_999)).toEqual({ kind: "rate", retryAtMs: T0 + 31_000 });
        await granted(T0 + 31_000);
      });

      test("never grants more than the count when many ask at once", async () => {
        const grants = await Promise.all(Array.from({ length: 20 }, () => ask(T0)));
        expect(grants.filter((grant) => grant.kind === "granted")).toHaveLength(2);
      });

      test("counts slots of the future as now once the clock was set back", async () => {
        const ids = [await granted(T0), await granted(T0)];
        for (const id of ids) await store.settle(id, T0, 200);
        const back = T0 - 3_600_000;
        expect(await ask(back)).toEqual({ kind: "rate", retryAtMs: back + 1_000 });
        await granted(back + 1_000);
      });

      test("stops at the limit, counting billed attempts since its time only", async () => {
        const since = T0 - 90_000;
        const limit = { sinceMs: since, max: 2 };
        const rate = { count: 100, intervalMs: 1_000 };
        await granted(since - 1, { rate });
        await granted(T0, { rate, billed: false });
        await granted(since, { rate, limit });
        await granted(T0, { rate, limit });
        expect(await ask(T0, { rate, limit })).toEqual({ kind: "quota", spent: 2 });
        await granted(T0, { rate, limit, billed: false });
      });

      test("adds up what was spent by watch and endpoint", async () => {
        const rate = { count: 100, intervalMs: 1_000 };
        await granted(T0 - 10 * DAY_MS, { rate });
        for (const watchId of ["a", "b", "a"]) await granted(T0 + 1, { rate, watch: watchId });
        await granted(T0 + 1, { rate, billed: false });
        const lines = [
          { watch: "a", endpoint: "search", key: "", requests: 2 },
          { watch: "b", endpoint: "search", key: "", requests: 1 },
        ];
        expect(await store.spentSince(T0)).toEqual({ total: 3, lines });
        expect(await store.spentSince(T0 - 1_234)).toEqual({ total: 3, lines });
        expect((await store.spentSince(0)).total).toBe(4);
        expect(await store.spentByKey(T0 - 1_234)).toEqual(new Map([["", 3]]));
      });

      test("gives what was spent hour by hour, the first one from its time on", async () => {
        const rate = { count: 100, intervalMs: 1_000 };
        for (const atMs of [T0 + 1, T0 + 1_800_000, T0 + 3_600_000, T0 + 3 * 3_600_000])
          await granted(atMs, { rate });
        await granted(T0 + 2, { rate, billed: false });
        const hours = [
          { hourMs: T0, requests: 2 },
          { hourMs: T0 + 3_600_000, requests: 1 },
          { hourMs: T0 + 3 * 3_600_000, requests: 1 },
        ];
        expect(await store.spentByHour(T0)).toEqual(hours);
        expect(await store.spentByHour(T0 + 2)).toEqual([
          { hourMs: T0, requests: 1 },
          ...hours.slice(1),
        ]);
      });

      test("counts further pages after an entry, whoever asked for them and however they ended", async () => {
        const rate = { count: 100, intervalMs: 1_000 };
        await granted(T0, { rate, isFurtherPage: true });
        const { pages, lastId } = await store.countFurtherPages(undefined);
        expect(pages).toBe(0);
        expect(await store.countFurtherPages(lastId)).toEqual({ pages: 0, lastId });
        await granted(T0 + 1, { rate });
        await store.settle(await granted(T0 + 2, { rate, isFurtherPage: true }), T0 + 3, 500);
        await granted(T0 + 4, { rate, isFurtherPage: true, keys: [{ key: "other" }] });
        const later = await store.countFurtherPages(lastId);
        expect(later.pages).toBe(2);
        expect(await store.countFurtherPages(later.lastId)).toEqual({
          pages: 0,
          lastId: later.lastId,
        });
      });

      test("keeps what a period has spent that begins within an hour, however short the retention is", async () => {
        const rate = { count: 100, intervalMs: 1_000 };
        for (const atMs of [T0 + 1, T0 + 1_800_000, T0 + 3_600_000]) await granted(atMs, { rate });
        await store.prune(T0 + 30 * DAY_MS, 3_600_000, new Set());
        expect((await store.spentSince(T0 + 1_800_000)).total).toBe(2);
      });

      describe("with several keys", () => {
        const limit = (max: number) => ({ sinceMs: T0 - 3_600_000, max });
        const keyOf = async (atMs: number, changes: Partial<Reservation> = {}): Promise<string> => {
          const grant = await ask(atMs, { rate: { count: 100, intervalMs: 1_000 }, ...changes });
          return grant.kind === "granted" ? grant.key : grant.kind;
        };

        test("takes the one with most left, and stops when all are at their limits", async () => {
          const keys = [
            { key: "a", limit: limit(2) },
            { key: "b", limit: limit(3) },
          ] as const;
          const paid: string[] = [];
          for (let i = 0; i < 6; i += 1) paid.push(await keyOf(T0, { keys: [...keys] }));
          expect(paid.filter((key) => key === "a")).toHaveLength(2);
          expect(paid.filter((key) => key === "b")).toHaveLength(3);
          expect(paid.at(-1)).toBe("quota");
          expect(paid[0]).toBe("b");
          const { lines } = await store.spentSince(T0);
          expect(lines.map(({ key, requests }) => [key, requests])).toEqual([
            ["b", 3],
            ["a", 2],
          ]);
        });

        test("gives each its own rate, and says when the first of them has room", async () => {
          const rate = { count: 2, intervalMs: 1_000 };
          const keys = [{ key: "a" }, { key: "b" }] as const;
          const paid: string[] = [];
          for (let i = 0; i < 4; i += 1) paid.push(await keyOf(T0 + i, { rate, keys: [...keys] }));
          expect(paid.sort()).toEqual(["a", "a", "b", "b"]);
          expect(await ask(T0 + 10, { rate, keys: [...keys] })).toEqual({
            kind: "rate",
            retryAtMs: T0 + 31_000,
          });
          expect(await ask(T0 + 10, { rate, keys: [{ key: "c" }] })).toMatchObject({
            kind: "granted",
            key: "c",
          });
        });

        test("waits for the rate of the one that still has requests left", async () => {
          const rate = { count: 1, intervalMs: 1_000 };
          await keyOf(T0, { rate, keys: [{ key: "rich" }] });
          const keys = [
            { key: "spent", limit: limit(0) },
            { key: "rich", limit: limit(10) },
          ] as const;
          expect(await ask(T0 + 1, { rate, keys: [...keys] })).toMatchObject({ kind: "rate" });
          expect(await keyOf(T0 + 1, { rate, billed: false, keys: [...keys] })).toBe("spent");
        });

        test("keeps the limit of all together too", async () => {
          const keys = [{ key: "a" }, { key: "b" }] as const;
          expect(await keyOf(T0, { keys: [...keys], limit: limit(1) })).toBe("a");
          expect(await keyOf(T0, { keys: [...keys], limit: limit(1) })).toBe("quota");
        });
      });

      describe("an audit", () => {
        const attempt = async (
          atMs: number,
          answeredMs: number | undefined,
          status: number | null = 200,
          key = "a",
        ) => {
          const id = await granted(atMs, {
            rate: { count: 1_000, intervalMs: 1_000 },
            keys: [{ key }],
          });
          if (answeredMs !== undefined) await store.settle(id, answeredMs, status);
        };

        /** Asked now, and answered after `work`. */
        const readingAt = async (
          atMs: number,
          work: () => Promise<void> = async () => undefined,
        ) => {
          const asked = await store.auditMark("a", atMs, 1_000);
          await work();
          return { ...asked, answeredId: (await store.auditMark("a", atMs, 1_000)).lastId };
        };

        test("is certain of what was answered well inside, and no other key's", async () => {
          await attempt(T0 - 9_000, T0 - 8_000);
          const from = await readingAt(T0);
          await attempt(T0 + 5_000, T0 + 5_100);
          await attempt(T0 + 6_000, T0 + 6_100, 200, "b");
          const to = await readingAt(T0 + 60_000);
          await attempt(T0 + 90_000, T0 + 90_100);
          expect(await store.auditSpan("a", from, to)).toEqual({ certain: 1, possible: 1 });
        });

        test("leaves open what failed, what is under way, and what lies close to the ends", async () => {
          const slow = await granted(T0 - 5_000, {
            rate: { count: 1_000, intervalMs: 1_000 },
            keys: [{ key: "a" }],
          });
          await attempt(T0 - 600, T0 - 500);
          const from = await readingAt(T0);
          await store.settle(slow, T0 + 50, 200);
          await attempt(T0 + 5_000, T0 + 5_100, 500);
          await attempt(T0 + 6_000, T0 + 6_100, null);
          await attempt(T0 + 7_000, undefined);
          await attempt(T0 + 59_900, T0 + 59_950);
          const to = await readingAt(T0 + 60_000, () => attempt(T0 + 60_010, T0 + 60_050));
          expect(await store.auditSpan("a", from, to)).toEqual({ certain: 0, possible: 7 });
        });

        test("counts by the order of the attempts, wherever the clock was set meanwhile", async () => {
          await attempt(T0 - 90_000, T0 - 89_900);
          await attempt(T0 + 3_600_000, T0 + 3_600_100);
          const from = await readingAt(T0);
          await attempt(T0 + 7_200_000, T0 + 7_200_100);
          await attempt(T0 - 3_600_000, T0 - 3_599_900);
          const to = await readingAt(T0 - 3_000_000);
          expect(await store.auditSpan("a", from, to)).toEqual({ certain: 2, possible: 2 });
        });
      });
    });

    describe("the outbox", () => {
      test("gives each ungrouped event alone, oldest first, and holds what is not due", async () => {
        const events = ["1", "2", "3"].map((id) => makeEvent(id));
        await commitEvents(events.slice(0, 2));
        await commitEvents(events.slice(2), { notBeforeMs: T0 + 60_000 });
        expect((await due(T0)).groups.map((g) => g.members.map((m) => m.event.subject))).toEqual([
          ["1"],
          ["2"],
        ]);
        expect((await due(T0, ["hook"], new Set(), 1)).groups).toHaveLength(1);
        expect((await due(T0 + 60_000)).groups).toHaveLength(3);
        expect((await due(T0, ["other"])).groups).toEqual([]);
      });

      test("gathers a group from its first member's time on", async () => {
        const grouped = { groupKey: "g", groupWaitMs: 10_000, groupIntervalMs: 60_000 };
        await commitEvents([makeEvent("1")], grouped);
        await commitEvents([makeEvent("2")], grouped, T0 + 9_000);
        expect((await due(T0 + 9_999)).groups).toEqual([]);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 10_000);
        const [group] = (await due(T0 + 10_000)).groups;
        expect(group?.members.map((m) => m.event.subject)).toEqual(["1", "2"]);
      });

      test("holds what joins a group that is due earlier until its own time", async () => {
        const [now, held] = [makeEvent("1"), makeEvent("2")];
        const team = { groupKey: "team", groupWaitMs: 60_000 };
        await commit({
          events: [now, held],
          deliveries: [delivery(now, team), delivery(held, { ...team, notBeforeMs: T0 + DAY_MS })],
        });
        expect(
          (await due(T0 + 60_000)).groups.map(({ members }) =>
            members.map(({ event }) => event.subject),
          ),
        ).toEqual([["1"]]);
        await sealAll(T0 + 60_000);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_000);
        await store.record([{ messageId: "m0", kind: "sent", atMs: T0 + 60_000 }]);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + DAY_MS);
        expect(
          (await due(T0 + DAY_MS)).groups.map(({ members }) =>
            members.map(({ event }) => event.subject),
          ),
        ).toEqual([["2"]]);
      });

      test("waits a group's interval after its last message", async () => {
        const grouped = { groupKey: "g", groupWaitMs: 0, groupIntervalMs: 60_000 };
        await commitEvents([makeEvent("1")], grouped);
        await sealAll(T0);
        await store.record([{ messageId: "m0", kind: "sent", atMs: T0 }]);
        expect(await store.nextDueAt(["hook"])).toBeNull();
        await commitEvents([makeEvent("2")], grouped, T0 + 1_000);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_000);
        expect((await due(T0 + 59_999)).groups).toEqual([]);
        expect((await due(T0 + 60_000)).groups).toHaveLength(1);
      });

      test("waits a group's interval with what joins while its message is made", async () => {
        const grouped = { groupKey: "g", groupWaitMs: 0, groupIntervalMs: 60_000 };
        await commitEvents([makeEvent("1")], grouped);
        const [claimed] = (await due(T0)).groups;
        await commitEvents([makeEvent("2")], grouped, T0 + 5);
        const deliveryIds = (claimed?.members ?? []).map((member) => member.deliveryId);
        await store.seal([
          {
            id: "first",
            sink: "hook",
            groupKey: "g",
            throttleKey: null,
            sealedAtMs: T0 + 10,
            body: {},
            deliveryIds,
          },
        ]);
        await store.record([{ messageId: "first", kind: "sent", atMs: T0 + 20 }]);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_010);
        expect(
          (await due(T0 + 60_010)).groups.map(({ members }) =>
            members.map(({ event }) => event.subject),
          ),
        ).toEqual([["2"]]);
      });

      test("waits the interval of every group that a digest gathered", async () => {
        const paced = { groupWaitMs: 0, groupIntervalMs: 60_000 };
        await commitEvents([makeEvent("1")], { groupKey: "a", ...paced });
        await commitEvents([makeEvent("2")], { groupKey: "b", ...paced });
        const deliveryIds = (await due(T0)).groups.flatMap((group) =>
          group.members.map((member) => member.deliveryId),
        );
        await store.seal([
          {
            id: "digest",
            sink: "hook",
            groupKey: "a",
            throttleKey: null,
            sealedAtMs: T0,
            body: {},
            deliveryIds,
          },
        ]);
        await store.record([{ messageId: "digest", kind: "sent", atMs: T0 }]);
        expect(await store.nextDueAt(["hook"])).toBeNull();
        await commitEvents([makeEvent("3")], { groupKey: "b", ...paced }, T0 + 1_000);
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 60_000);
      });

      test("puts parts in the place of a message: its order, members, thread and people called stay, its attempts begin anew", async () => {
        const events = ["1", "2", "3", "4"].map((id) => makeEvent(id));
        await commitEvents(events, { groupKey: "g" });
        const ids = (await due(T0)).groups.flatMap(({ members }) =>
          members.map(({ deliveryId }) => deliveryId),
        );
        const part = { sink: "hook", groupKey: "g", sealedAtMs: T0, body: {} };
        const thread = { key: "t", windowMs: DAY_MS };
        const whole = {
          ...part,
          id: "whole",
          throttleKey: "k",
          deliveryIds: ids.slice(0, 2),
          summarisedIds: ids.slice(3),
          thread,
        };
        await store.seal([
          { ...whole, mentions: ["<!here>"] },
          {
            ...part,
            id: "next",
            throttleKey: null,
            deliveryIds: ids.slice(2, 3),
            parentId: "whole",
          },
        ]);
        const { listed, summarised } = await store.membersOf("whole");
        expect(
          [listed, summarised].map((members) => members.map(({ event }) => event.subject)),
        ).toEqual([["1", "2"], ["4"]]);
        const split = {
          messageId: "whole",
          parts: [
            { id: "a", body: { half: 1 }, deliveryIds: ids.slice(0, 1) },
            { id: "b", body: { half: 2 }, deliveryIds: ids.slice(1, 2) },
          ],
          atMs: T0 + 5,
          error: "413",
        };
        await store.splitMessage(split);
        // The answer to a COMMIT may be lost: what is done is not done again.
        await store.splitMessage(split);
        const sent: unknown[] = [];
        for (let atMs = T0 + 10; ; atMs += 1) {
          const [message] = (await due(atMs)).messages;
          if (message === undefined) break;
          sent.push([
            message.id,
            message.body,
            message.alerts,
            message.attempts,
            message.threadRef,
          ]);
          await store.record([
            { messageId: message.id, kind: "sent", atMs, ref: `ref ${message.id}` },
          ]);
        }
        expect(sent).toEqual([
          ["a", { half: 1 }, 1, 0, undefined],
          ["b", { half: 2 }, 1, 0, "ref a"],
          ["next", {}, 1, 0, "ref a"],
        ]);
        expect((await store.membersOf("a")).summarised).toHaveLength(1);
        expect(await store.lastMentions("hook")).toEqual(new Map([["<!here>", T0]]));
        const state = { sink: "hook", throttleKey: "k", digestKey: "none", sinceMs: T0 - 1 };
        expect((await store.throttleState(state)).sealed).toBe(1);
      });

      test("halves what some of several receivers have for the others alone", async () => {
        await commitEvents([makeEvent("1"), makeEvent("2")], { groupKey: "g" });
        const ids = (await sealAll(T0)).flatMap(({ deliveryIds }) => deliveryIds);
        const partly = {
          messageId: "m0",
          kind: "retry",
          atMs: T0,
          nextAttemptAtMs: T0,
          error: "450",
          countAttempt: true,
        } as const;
        await store.record([{ ...partly, taken: ["a@example.com"] }]);
        const parts = ["a", "b"].map((id, n) => ({
          id,
          body: { half: n },
          deliveryIds: ids.slice(n, n + 1),
        }));
        await store.splitMessage({ messageId: "m0", parts, atMs: T0 + 5, error: "552" });
        expect((await due(T0 + 10)).messages).toMatchObject([
          { id: "a", taken: ["a@example.com"] },
        ]);
        await store.record([{ messageId: "a", kind: "sent", atMs: T0 + 11, ref: "r" }]);
        expect((await due(T0 + 12)).messages).toMatchObject([
          { id: "b", taken: ["a@example.com"] },
        ]);
      });

      test("gives nothing new of a group whose message is not done, but that message when it is due", async () => {
        const grouped = { groupKey: "g" };
        await commitEvents([makeEvent("1")], grouped);
        await sealAll(T0);
        await commitEvents([makeEvent("2")], grouped, T0 + 1);
        const retry = {
          messageId: "m0",
          kind: "retry",
          atMs: T0 + 2,
          nextAttemptAtMs: T0 + 5_000,
          error: "503",
          countAttempt: true,
        } as const;
        await store.record([retry]);
        expect(await due(T0 + 4_999)).toEqual({ groups: [], messages: [] });
        expect(await store.nextDueAt(["hook"])).toBe(T0 + 5_000);
        const { messages, groups } = await due(T0 + 5_000);
        expect(groups).toEqual([]);
        expect(messages).toEqual([
          {
            id: "m0",
            sink: "hook",
            groupKey: "g",
            sealedAtMs: T0,
            alerts: 1,
            body: { n: 0 },
            attempts: 1,
            firstAttemptAtMs: T0 + 2,
          },
        ]);
        await store.record([{ messageId: "m0", kind: "sent", atMs: T0 + 5_001, ref: "r" }]);
        expect((await due(T0 + 5_001)).groups).toHaveLength(1);
      });

      test("does not count an attempt that was asked to wait, and remembers when it was", async () => {
        await commitEvents([makeEvent("1")]);
        await sealAll(T0);
        const wait = {
          messageId: "m0",
          kind: "retry",
          atMs: T0,
          nextAttemptAtMs: T0,
          error: "429",
          countAttempt: false,
        } as const;
        await store.record([wait, { ...wait, atMs: T0 + 1, countAttempt: true }]);
        expect((await due(T0)).messages).toMatchObject([{ attempts: 1, firstAttemptAtMs: T0 }]);
      });

      test("keeps the first result that ends a message", async () => {
        await commitEvents([makeEvent("1")]);
        await sealAll(T0);
        const late = { messageId: "m0", atMs: T0 + 1, error: "503", countAttempt: true };
        await store.record([
          { messageId: "m0", kind: "sent", atMs: T0 },
          { ...late, kind: "retry", nextAttemptAtMs: T0 + 1 },
          { ...late, kind: "dead", cause: "expired" },
        ]);
        expect((await due(T0 + 1)).messages).toEqual([]);
        expect(await store.outboxStats()).toMatchObject([{ sent: 1, dead: 0, waiting: 0 }]);
      });

      test("skips what is under way", async () => {
        const events = [makeEvent("1"), makeEvent("2")];
        await commitEvents(events);
        const { groups } = await due(T0, ["hook"], new Set([`hook\n${events[0]?.id}`]), 1);
        expect(groups.map((g) => g.members[0]?.event.subject)).toEqual(["2"]);
      });

      test("lets sinks take turns", async () => {
        await commitEvents(Array.from({ length: 50 }, (_, i) => makeEvent(`a${i}`)));
        await commitEvents([makeEvent("b")], { sink: "chat" });
        const { groups } = await due(T0, ["hook", "chat"], new Set(), 10);
        expect(groups.map((g) => g.sink)).toContain("chat");
      });

      test("seals a delivery once", async () => {
        await commitEvents([makeEvent("1")]);
        const [message] = await sealAll(T0);
        await expect(store.seal([{ ...(message as NewMessage), id: "again" }])).rejects.toThrow(
          /do not wait/,
        );
        expect((await due(T0)).messages.map((m) => m.id)).toEqual(["m0"]);
      });

      describe("throttles", () => {
        const throttleKey = "sink:hook";
        const digestKey = digestGroup("throttle", throttleKey);
        const throttled = { sink: "hook", throttleKey, digestKey };
        const none = {
          sealed: 0,
          digestDueAtMs: null,
          digestSealedAtMs: null,
          announcedAtMs: null,
        };
        const state = (sinceMs = T0 - 1) => store.throttleState({ ...throttled, sinceMs });

        test("count what was sealed since a time, and know their digest", async () => {
          await commitEvents([makeEvent("1"), makeEvent("2")], { throttleKey });
          await sealAll(T0 + 7);
          expect(await state(T0 + 6)).toEqual({ ...none, sealed: 2 });
          expect((await state(T0 + 7)).sealed).toBe(0);
        });

        test("gather what is due in a digest that is due later, with its announcement", async () => {
          await commitEvents([makeEvent("1"), makeEvent("2")], { throttleKey });
          await commitEvents([makeEvent("3")], { throttleKey, groupKey: "g" });
          await commitEvents([makeEvent("later")], { throttleKey, notBeforeMs: T0 + 50 });
          await commitEvents([makeEvent("other")], { throttleKey: "sink:other" });
          const about = {
            id: "note",
            sink: "hook",
            groupKey: announcementGroup(throttleKey),
            sealedAtMs: T0,
            body: { many: true },
            deliveryIds: [],
          };
          const announcement = { ...about, throttleKey: null };
          await store.gather({ ...throttled, nowMs: T0, digestDueAtMs: T0 + 100, announcement });
          const now = await due(T0);
          expect(now.messages.map(({ id, body }) => [id, body])).toEqual([
            ["note", { many: true }],
          ]);
          expect(now.groups.map(({ members }) => members[0]?.event.subject)).toEqual(["other"]);
          expect(await state()).toEqual({ ...none, digestDueAtMs: T0 + 100, announcedAtMs: T0 });
          // A second surplus joins.
          await store.gather({ ...throttled, nowMs: T0 + 50, digestDueAtMs: T0 + 100 });
          const { groups } = await due(T0 + 100);
          const digest = groups.find(({ groupKey }) => groupKey === digestKey);
          expect(
            digest?.members.map(({ event, originalGroupKey }) => [event.subject, originalGroupKey]),
          ).toEqual([
            ["1", makeEvent("1").id],
            ["2", makeEvent("2").id],
            ["3", "g"],
            ["later", makeEvent("later").id],
          ]);
          expect(digest?.throttleKey).toBe(throttleKey);
        });

        test("announce nothing when nothing was gathered", async () => {
          const announcement = {
            id: "n",
            sink: "hook",
            groupKey: "n",
            sealedAtMs: T0,
            body: {},
            deliveryIds: [],
            throttleKey: null,
          };
          await store.gather({ ...throttled, nowMs: T0, digestDueAtMs: T0 + 100, announcement });
          expect(await store.nextDueAt(["hook"])).toBeNull();
        });

        test("leave a group where it is whose message is not done", async () => {
          await commitEvents([makeEvent("1")], { throttleKey, groupKey: "g" });
          await sealAll(T0);
          await commitEvents([makeEvent("2")], { throttleKey, groupKey: "g" });
          await store.gather({ ...throttled, nowMs: T0, digestDueAtMs: T0 + 100 });
          await store.record([{ messageId: "m0", kind: "sent", atMs: T0 + 1 }]);
          expect((await due(T0 + 1)).groups.map(({ groupKey }) => groupKey)).toEqual(["g"]);
        });
      });

      describe("a digest", () => {
        const key = digestGroup("return", "brand");
        const messageOf = (
          id: string,
          deliveryIds: readonly string[],
          changes: Partial<NewMessage> = {},
        ): NewMessage => ({
          ...{
            id,
            sink: "hook",
            groupKey: key,
            sealedAtMs: T0,
            body: { id },
            throttleKey: null,
            deliveryIds,
          },
          ...changes,
        });
        const sealDigest = async () => {
          const [group] = (await due(T0)).groups;
          const ids = group?.members.map(({ deliveryId }) => deliveryId) ?? [];
          const first = messageOf("p0", ids.slice(2, 3), {
            throttleKey: "sink:hook",
            summarisedIds: ids.slice(3),
          });
          const below = { parentId: "p0" };
          await store.seal([
            first,
            messageOf("p1", ids.slice(1, 2), below),
            messageOf("p2", ids.slice(0, 1), below),
          ]);
        };

        test("is a group of any size that is due as one", async () => {
          await commitEvents(
            Array.from({ length: 1_500 }, (_, i) => makeEvent(String(i))),
            { groupKey: key },
          );
          expect((await due(T0)).groups.map(({ members }) => members.length)).toEqual([1_500]);
        });

        test("goes out message by message, in the order they were sealed, each below the first", async () => {
          await commitEvents(
            ["1", "2", "3"].map((id) => makeEvent(id)),
            { groupKey: key },
          );
          await sealDigest();
          await commitEvents([makeEvent("4")], { groupKey: key }, T0 + 1);
          const given: unknown[] = [];
          for (const round of [0, 1, 2]) {
            const { messages, groups } = await due(T0 + 2);
            given.push(
              messages.map(({ id, threadRef }) => [id, threadRef]),
              groups.length,
            );
            await store.record([
              { messageId: `p${round}`, kind: "sent", atMs: T0 + 2, ref: `ref${round}` },
            ]);
          }
          expect(given).toEqual([[["p0", undefined]], 0, [["p1", "ref0"]], 0, [["p2", "ref0"]], 0]);
          expect((await due(T0 + 2)).groups).toHaveLength(1);
        });

        test("counts once against a throttle, and says when it was sealed", async () => {
          await commitEvents(
            ["1", "2", "3"].map((id) => makeEvent(id)),
            { groupKey: key, throttleKey: "sink:hook" },
          );
          await sealDigest();
          const query = { sink: "hook", throttleKey: "sink:hook", digestKey: key, sinceMs: T0 - 1 };
          expect(await store.throttleState(query)).toMatchObject({
            sealed: 1,
            digestDueAtMs: null,
            digestSealedAtMs: T0,
          });
        });

        test("says of what it does not list that it was summarised, once it was sent", async () => {
          const brand = await first();
          const events = ["1", "2", "3", "4"].map((id) => makeEvent(id));
          const verdicts = events.map(({ id, subject }) =>
            verdict(ref(brand), subject, "event", id),
          );
          await commit({
            verdicts,
            events,
            deliveries: events.map((event) => delivery(event, { groupKey: key })),
          });
          await sealDigest();
          const stateOf = async (item: string) =>
            (await store.explainItem(item))[0]?.deliveries[0]?.state;
          expect(await stateOf("4")).toBe("sealed");
          await store.record([{ messageId: "p0", kind: "sent", atMs: T0 + 1 }]);
          expect([await stateOf("4"), await stateOf("3"), await stateOf("2")]).toEqual([
            "summarised",
            "sent",
            "sealed",
          ]);
        });

        test("that was gathered and then sent alone is no digest", async () => {
          const throttleKey = "sink:hook";
          const digestKey = digestGroup("throttle", throttleKey);
          await commitEvents([makeEvent("1"), makeEvent("2")], { throttleKey });
          await store.gather({
            sink: "hook",
            throttleKey,
            nowMs: T0,
            digestKey,
            digestDueAtMs: T0 + 5,
          });
          const [group] = (await due(T0 + 5)).groups;
          const [one] = group?.members ?? [];
          await store.seal([
            messageOf("alone", [one?.deliveryId ?? ""], {
              groupKey: one?.originalGroupKey ?? "",
              throttleKey,
            }),
          ]);
          const query = { sink: "hook", throttleKey, digestKey, sinceMs: T0 - 1 };
          expect(await store.throttleState(query)).toMatchObject({
            sealed: 1,
            digestDueAtMs: T0 + 5,
            digestSealedAtMs: null,
          });
          expect(
            (await due(T0 + 5)).groups.map(({ members }) =>
              members.map(({ event }) => event.subject),
            ),
          ).toEqual([["2"]]);
        });
      });

      describe("alerts of one watch on one subject", () => {
        const about = { watchKey: "brand", subject: "u1", target: "" };
        const alert = (n: number) =>
          makeEvent("u1", { type: `score.changed.${n}`, watchKey: "brand" });
        const ids = (groups: Awaited<ReturnType<typeof due>>["groups"]) =>
          groups.map(({ members }) => members.map(({ event }) => event.type));
        const [one, two, three] = [alert(1), alert(2), alert(3)];

        test("wait for the one before: while it is held, and while its message is under way", async () => {
          await commitEvents([one], { about, notBeforeMs: T0 + 100, heldBy: "nights" });
          await commitEvents([two], { about }, T0 + 1);
          await commitEvents([three], { about, groupKey: "g", groupWaitMs: 0 }, T0 + 2);
          expect((await due(T0 + 50)).groups).toEqual([]);
          expect(await store.nextDueAt(["hook"])).toBe(T0 + 2);
          expect(ids((await due(T0 + 100)).groups)).toEqual([["score.changed.1"]]);
          await sealAll(T0 + 100);
          expect((await due(T0 + 101)).groups).toEqual([]);
          await store.record([{ messageId: "m0", kind: "sent", atMs: T0 + 102 }]);
          expect(ids((await due(T0 + 103)).groups)).toEqual([["score.changed.2"]]);
          await sealAll(T0 + 103, "n");
          await store.record([
            {
              messageId: "n0",
              kind: "dead",
              atMs: T0 + 104,
              error: "400",
              cause: "refused 400",
              countAttempt: true,
            },
          ]);
          expect(ids((await due(T0 + 105)).groups)).toEqual([["score.changed.3"]]);
        });

        test("share a message where their group is the same, unless the one before waits elsewhere", async () => {
          await commitEvents([one], { about, notBeforeMs: T0 + 100, heldBy: "nights" });
          await commitEvents([two, three], { about, groupKey: "g" }, T0 + 1);
          const other = makeEvent("u2", { type: "score.changed.9", watchKey: "brand" });
          await commitEvents(
            [other],
            { about: { ...about, subject: "u2" }, groupKey: "g" },
            T0 + 2,
          );
          expect(ids((await due(T0 + 3)).groups)).toEqual([["score.changed.9"]]);
          await sealAll(T0 + 100);
          for (const messageId of ["m0", "m1"])
            await store.record([{ messageId, kind: "sent", atMs: T0 + 101 }]);
          expect(ids((await due(T0 + 102)).groups)).toEqual([
            ["score.changed.2", "score.changed.3"],
          ]);
        });

        test("do not wait for each other at another sink, of another watch, or for another target", async () => {
          await commitEvents([one], { about, notBeforeMs: T0 + 100, heldBy: "nights" });
          const elsewhere = alert(4);
          await commit({
            events: [two, three, elsewhere],
            deliveries: [
              delivery(two, { about: { ...about, target: "@acme" } }),
              delivery(three, { about: { ...about, watchKey: "w" } }),
              delivery(elsewhere, { about, sink: "chat" }),
            ],
          });
          expect(
            ids((await due(T0 + 1, ["hook", "chat"])).groups)
              .flat()
              .sort(),
          ).toEqual([two, three, elsewhere].map(({ type }) => type).sort());
        });
      });

      test("begins a new window after an alert that was given up, and counts, lists and sends again with it what had joined it", async () => {
        const once = { once: { key: "tweet:1", withinMs: DAY_MS } };
        const [a, b, c, d] = ["a", "b", "c", "d"].map((w) => makeEvent("1", { watch: w })) as [
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
        ];
        await commitEvents([a, b], once);
        await sealAll(T0 + 1);
        await commitEvents([c], once, T0 + 2);
        await store.record([
          {
            messageId: "m0",
            kind: "dead",
            atMs: T0 + 3,
            error: "400",
            cause: "refused 400",
            countAttempt: true,
          },
        ]);
        expect(await store.groupDead(0)).toMatchObject([{ messageIds: ["m0"], alerts: 3 }]);
        expect(
          (await store.listDead({}, 10)).map(({ events }) => events.map(({ watch }) => watch)),
        ).toEqual([["a", "b", "c"]]);
        await commitEvents([d], once, T0 + 4);
        const watches = async (atMs: number) =>
          (await due(atMs)).groups.map(({ members }) => members.map((m) => m.watches));
        expect(await watches(T0 + 4)).toEqual([[["d"]]]);
        await sealAll(T0 + 5, "n");
        expect(await store.resendDead({}, T0 + 6, "alice")).toEqual({ messages: 1, alerts: 3 });
        expect(await watches(T0 + 6)).toEqual([[["a", "b", "c"]]]);
      });

      test("delivers one subject once: a second watch joins what waits, and is a duplicate of what was sealed", async () => {
        const once = { once: { key: "tweet:1", withinMs: DAY_MS } };
        const [a, b, c, d] = ["a", "b", "c", "d"].map((w) => makeEvent("1", { watch: w })) as [
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
        ];
        await commitEvents([a, b], once);
        await commitEvents([c], once, T0 + 1);
        const { groups } = await due(T0 + 1);
        expect(groups).toHaveLength(1);
        expect(groups[0]?.members.map((m) => m.watches)).toEqual([["a", "b", "c"]]);
        await sealAll(T0 + 2);
        await commitEvents([d], once, T0 + 3);
        expect((await due(T0 + 3)).groups).toEqual([]);
        await commitEvents([makeEvent("1", { watch: "e" })], once, T0 + DAY_MS + 1);
        expect((await due(T0 + DAY_MS + 1)).groups).toHaveLength(1);
      });

      test("makes a duplicate of what joins an alert while its message is rendered, and of nothing else", async () => {
        const once = { once: { key: "tweet:1", withinMs: DAY_MS } };
        await commitEvents([makeEvent("1", { watch: "a" })], once);
        await commitEvents([makeEvent("1", { watch: "b" })], once, T0 + 1);
        const [group] = (await due(T0 + 2)).groups;
        const [member] = group?.members ?? [];
        await commitEvents([makeEvent("1", { watch: "c" })], once, T0 + 3);
        const { deliveryId = "", joinedIds } = member ?? {};
        await store.seal([
          {
            ...{ id: "m0", sink: "hook", groupKey: group?.groupKey ?? "", throttleKey: null },
            ...{ sealedAtMs: T0 + 3, body: "a, b", deliveryIds: [deliveryId], joinedIds },
          },
        ]);
        const found = await store.explainItem("1");
        expect(found.map(({ watch, deliveries: [to] }) => [watch, to?.state, to?.detail])).toEqual([
          ["a", "sealed", ""],
          ["b", "sealed", "delivered together with another watch"],
          ["c", "duplicate", "delivered already"],
        ]);
      });

      test("delivers one subject to another watch or sink, where the first was muted or is another's", async () => {
        const once = { once: { key: "tweet:1", withinMs: DAY_MS } };
        const [a, b, c, d] = ["a", "b", "c", "d"].map((w) => makeEvent("1", { watch: w })) as [
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
          ChirpEvent,
        ];
        const events = [a, b, c];
        const muted = delivery(a, { ...once, mutedBy: "nights" });
        await commit({
          events,
          deliveries: [muted, delivery(b, once), delivery(c, { ...once, sink: "other" })],
        });
        expect(
          (await due(T0, ["hook", "other"])).groups.map(({ sink, members }) => [
            sink,
            members[0]?.watches,
          ]),
        ).toEqual([
          ["hook", ["b"]],
          ["other", ["c"]],
        ]);
        await commit({
          events: [d],
          deliveries: [delivery(d, { ...once, sink: "third", mutedBy: "nights" })],
        });
        const e = makeEvent("1", { watch: "e" });
        await commit({ events: [e], deliveries: [delivery(e, { ...once, sink: "third" })] });
        expect((await due(T0, ["third"])).groups.map(({ members }) => members[0]?.watches)).toEqual(
          [["e"]],
        );
      });

      describe("a subject that a mute holds for one watch", () => {
        const once = { once: { key: "tweet:1", withinMs: DAY_MS } };
        const held = { ...once, heldBy: "nights", notBeforeMs: T0 + DAY_MS };
        const of = (watch: string) => makeEvent("1", { watch });
        const watchesDue = async (atMs: number) =>
          (await due(atMs)).groups.map(({ members }) => members.map((member) => member.watches));

        test("goes out at once where no mute holds it for another, and not again at the end of the mute", async () => {
          await commitEvents([of("a"), of("b")], held);
          await commitEvents([of("c")], once, T0 + 1);
          expect(await watchesDue(T0 + 1)).toEqual([[["c", "a", "b"]]]);
          await sealAll(T0 + 1);
          await commitEvents([of("d")], once, T0 + 2);
          expect(await watchesDue(T0 + 2 * DAY_MS)).toEqual([]);
        });

        test("does so within one commit, whichever watch comes first", async () => {
          const [a, b, c, d, e] = [of("a"), of("b"), of("c"), of("d"), of("e")] as const;
          const shorter = { ...held, heldBy: "lunch", notBeforeMs: T0 + 5 };
          const deliveries = [
            delivery(a, held),
            delivery(b, shorter),
            delivery(c, once),
            delivery(d, held),
            delivery(e, once),
          ];
          await commit({ events: [a, b, c, d, e], deliveries });
          expect(await watchesDue(T0)).toEqual([[["c", "a", "b", "d", "e"]]]);
          expect(await watchesDue(T0 + DAY_MS)).toEqual([[["c", "a", "b", "d", "e"]]]);
        });

        test("goes out at the end of the mute that ends first", async () => {
          await commitEvents([of("a")], held);
          await commitEvents([of("b")], { ...held, heldBy: "lunch", notBeforeMs: T0 + 5 });
          await commitEvents([of("c")], held);
          expect(await watchesDue(T0 + 4)).toEqual([]);
          expect(await watchesDue(T0 + 5)).toEqual([[["b", "a", "c"]]]);
        });

        test("leaves the others of its group there, and no timer where there are none", async () => {
          const group = { ...held, groupKey: "g" };
          const two = { once: { key: "tweet:2", withinMs: DAY_MS } };
          const send = async () => {
            const messages = await sealAll(T0, `m${(sent += 1)}-`);
            await store.record(
              messages.map(({ id }) => ({ messageId: id, kind: "sent", atMs: T0 })),
            );
            return messages.length;
          };
          let sent = 0;
          await commitEvents([of("a")], group);
          await commitEvents([makeEvent("2", { watch: "a" })], { ...group, ...two });
          await commitEvents([of("b")], once);
          expect(await send()).toBe(1);
          expect(await watchesDue(T0 + DAY_MS)).toEqual([[["a"]]]);
          await commitEvents([makeEvent("2", { watch: "b" })], two);
          expect(await send()).toBe(1);
          expect(await store.nextDueAt(["hook"])).toBeNull();
        });

        test("holds what undoes it as long, outside its group, and what undoes that again", async () => {
          const added = {
            once: {
              key: "added",
              withinMs: DAY_MS,
              undo: { key: "removed", summaryGroup: "summary" },
            },
          };
          const removed = {
            once: {
              key: "removed",
              withinMs: DAY_MS,
              undo: { key: "added", summaryGroup: "summary" },
            },
          };
          const mute = { heldBy: "nights", notBeforeMs: T0 + DAY_MS / 2 };
          const group = { groupKey: "g", groupWaitMs: 0, groupIntervalMs: 0 };
          await commitEvents([makeEvent("1")], { ...added, ...mute });
          await commitEvents([makeEvent("2")], { ...removed, ...group });
          await commitEvents([makeEvent("3")], { ...added, ...group });
          await commitEvents([makeEvent("4")], group);
          const subjectsDue = async (atMs: number) =>
            (await due(atMs)).groups.map(({ members }) =>
              members.map(({ event }) => event.subject),
            );
          expect(await subjectsDue(T0 + DAY_MS / 2 - 1)).toEqual([["4"]]);
          await sealAll(T0);
          expect(await subjectsDue(T0 + DAY_MS / 2)).toEqual([["1"], ["2"], ["3"]]);
        });

        test("waits where the mute also holds what undoes it: the last word stays true", async () => {
          const added = {
            once: {
              key: "added",
              withinMs: DAY_MS,
              undo: { key: "removed", summaryGroup: "summary" },
            },
          };
          const removed = {
            once: {
              key: "removed",
              withinMs: DAY_MS,
              undo: { key: "added", summaryGroup: "summary" },
            },
          };
          const [one, two, three] = ["1", "2", "3"].map((id) => makeEvent(id, { watch: "a" })) as [
            ChirpEvent,
            ChirpEvent,
            ChirpEvent,
          ];
          const mute = { heldBy: "nights", notBeforeMs: T0 + DAY_MS };
          await commitEvents([one], { ...added, ...mute });
          await commitEvents([two], { ...removed, ...mute });
          await commitEvents([three], removed);
          expect(await watchesDue(T0)).toEqual([]);
          expect(
            (await due(T0 + DAY_MS)).groups.map(({ members }) => members[0]?.event.subject),
          ).toEqual(["1", "2"]);
        });
      });

      describe("facts that undo each other", () => {
        const added = {
          once: {
            key: "added",
            withinMs: DAY_MS,
            undo: { key: "removed", summaryGroup: "summary" },
          },
        };
        const removed = {
          once: {
            key: "removed",
            withinMs: DAY_MS,
            undo: { key: "added", summaryGroup: "summary" },
          },
        };
        const HOUR_MS = 3_600_000;
        /** Added first, and every other time; an hour apart. Each is sealed when it is due. */
        const change = async (n: number, fact = n % 2 === 0 ? added : removed) => {
          await commitEvents([makeEvent(`change-${n}`)], fact, T0 + n * HOUR_MS);
          return (await send(T0 + n * HOUR_MS)).length;
        };
        const send = async (atMs: number) => {
          const messages = await sealAll(atMs, `m${atMs}-`);
          await store.record(messages.map(({ id }) => ({ messageId: id, kind: "sent", atMs })));
          return messages;
        };

        test("are delivered again, each after the other, and once at a time", async () => {
          expect([
            await change(0),
            await change(0.5, added),
            await change(1),
            await change(2),
            await change(2.5, added),
          ]).toEqual([1, 0, 1, 1, 0]);
        });

        test("are news again within one commit, and while what undoes them waits", async () => {
          await commitEvents([makeEvent("1")], added);
          await commitEvents([makeEvent("2")], removed);
          await commitEvents([makeEvent("3")], added);
          await commitEvents([makeEvent("4")], added);
          expect((await due(T0)).groups.map(({ members }) => members.length)).toEqual([1, 1, 1]);
        });

        test("wait together after three in a time, until the first of them is so old, and then again for so long", async () => {
          for (const n of [0, 1, 2]) expect(await change(n)).toBe(1);
          for (const n of [3, 4, 5, 6]) expect(await change(n)).toBe(0);
          expect(await store.nextDueAt(["hook"])).toBe(T0 + DAY_MS);
          const [summary] = await send(T0 + DAY_MS);
          expect(summary?.groupKey).toBe("summary");
          expect(summary?.deliveryIds).toHaveLength(4);
          expect(await change(25)).toBe(0);
          expect(await store.nextDueAt(["hook"])).toBe(T0 + 2 * DAY_MS);
        });

        test("are delivered one by one again after a quiet day", async () => {
          for (const n of [0, 1, 2]) await change(n);
          expect(await change(27)).toBe(1);
        });
      });

      test("stores muted deliveries and never gives them", async () => {
        const state = await first();
        const event = makeEvent("1");
        const verdicts = [verdict(ref(state), "1", "event", event.id)];
        await commit({
          verdicts: verdicts,
          events: [event],
          deliveries: [delivery(event, { mutedBy: "nights" })],
        });
        expect((await due(T0 + DAY_MS)).groups).toEqual([]);
        expect((await store.explainItem("1"))[0]?.deliveries).toMatchObject([
          { state: "muted", detail: "nights" },
        ]);
      });

      test("still delivers what a removed watch left", async () => {
        const [state] = await register("brand");
        await commitEvents([makeEvent("1", { watchKey: state?.key ?? "" })]);
        await register("other");
        expect((await due(T0)).groups).toHaveLength(1);
      });

      test("remembers breakers, and wakes what waited behind one", async () => {
        const times = { openedAtMs: T0, probeAtMs: T0 + 1, reportedAtMs: T0 + 2 };
        const facts = {
          sink: "hook",
          breaker: "open",
          cause: "destination",
          reason: "403",
          hint: "invite it",
          isReported: true,
          goneFrom: "hooks.example, 3fa9c1",
        } as const;
        const health = { ...facts, ...times };
        await store.saveSinkHealth(health);
        await store.saveSinkHealth({ ...health, reason: "404" });
        expect(await store.loadSinkHealth()).toEqual([{ ...health, reason: "404" }]);
        await commitEvents([makeEvent("1")]);
        await sealAll(T0);
        const later = T0 + 3_600_000;
        await store.record([
          {
            messageId: "m0",
            kind: "retry",
            atMs: T0,
            nextAttemptAtMs: later,
            error: "403",
            countAttempt: true,
          },
        ]);
        await commitEvents([makeEvent("2")], {}, T0 + 1);
        await sealAll(T0 + 1, "n");
        expect((await due(T0 + 10)).messages.map(({ id }) => id)).toEqual(["n0"]);
        await store.wakeSink("hook", T0 + 10);
        expect((await due(T0 + 10)).messages.map(({ id }) => id)).toEqual(["m0", "n0"]);
      });

      test("counts what waits, what was sent and what is dead", async () => {
        await commitEvents(["1", "2", "3"].map((id) => makeEvent(id)));
        await sealAll(T0);
        await commitEvents([makeEvent("4")], {}, T0 + 5);
        await store.record([
          { messageId: "m0", kind: "sent", atMs: T0 },
          {
            messageId: "m1",
            kind: "dead",
            atMs: T0,
            error: "400",
            cause: "refused 400",
            countAttempt: true,
          },
        ]);
        expect(await store.outboxStats()).toEqual([
          { sink: "hook", waiting: 2, oldestAtMs: T0, sent: 1, dead: 1 },
        ]);
      });
    });

    describe("crossposts", () => {
      const sendAll = async (count: number) => {
        await commitEvents(Array.from({ length: count }, (_, i) => makeEvent(String(i))));
        await sealAll(T0);
        const sent = { kind: "sent", crosspost: true } as const;
        for (let i = 0; i < count; i += 1)
          await store.record([{ ...sent, messageId: `m${i}`, atMs: T0 + i, ref: `ref${i}` }]);
      };
      const outlook = {
        dueAtMs: null,
        oldestAtMs: null,
        unreported: 0,
        reason: "",
        reportedAtMs: null,
      };

      test("are made with the result of their message, once, and the newest is due first", async () => {
        await sendAll(2);
        await store.record([
          { messageId: "m1", kind: "sent", atMs: T0 + 9, ref: "other", crosspost: true },
        ]);
        expect(await store.crosspostOutlook("hook")).toEqual({
          ...outlook,
          dueAtMs: T0,
          oldestAtMs: T0,
        });
        expect(await store.dueCrosspost("hook", T0 + 9)).toEqual({
          messageId: "m1",
          ref: "ref1",
          attempts: 0,
          createdAtMs: T0 + 1,
        });
        expect(await store.dueCrosspost("other", T0 + 9)).toBeUndefined();
        await store.recordCrosspost({ messageId: "m1", kind: "published", atMs: T0 + 10 });
        expect((await store.dueCrosspost("hook", T0 + 10))?.messageId).toBe("m0");
      });

      test("wait until their next attempt, and count those that failed", async () => {
        await sendAll(1);
        const retry = { messageId: "m0", kind: "retry", error: "503" } as const;
        await store.recordCrosspost({ ...retry, nextAttemptAtMs: T0 + 50, countAttempt: true });
        await store.recordCrosspost({ ...retry, nextAttemptAtMs: T0 + 90, countAttempt: false });
        expect(await store.dueCrosspost("hook", T0 + 89)).toBeUndefined();
        expect(await store.dueCrosspost("hook", T0 + 90)).toMatchObject({ attempts: 1 });
      });

      test("end when they are too old, with the reason of their last attempt or the one given, and are reported once", async () => {
        await sendAll(3);
        await store.recordCrosspost({
          messageId: "m1",
          kind: "retry",
          nextAttemptAtMs: T0,
          error: "429",
          countAttempt: false,
        });
        expect(
          await store.expireCrossposts("hook", {
            createdUntilMs: T0 + 1,
            nowMs: T0 + 100,
            reason: "never tried",
          }),
        ).toBe(2);
        expect(await store.crosspostOutlook("hook")).toMatchObject({
          unreported: 2,
          oldestAtMs: T0 + 2,
          reportedAtMs: null,
        });
        await store.markCrosspostsReported("hook", T0 + 200);
        expect(await store.crosspostOutlook("hook")).toMatchObject({
          unreported: 0,
          reportedAtMs: T0 + 200,
        });
        const { events } = await store.findEvents({ limit: 3, state: "not_published" });
        expect(
          events.map(({ deliveries }) =>
            deliveries.map(({ sink, state, detail }) => [sink, state, detail]),
          ),
        ).toEqual([
          [
            ["hook", "sent", ""],
            ["hook crosspost", "not_published", "429"],
          ],
          [
            ["hook", "sent", ""],
            ["hook crosspost", "not_published", "never tried"],
          ],
        ]);
      });
    });

    describe("history", () => {
      test("explains an item from its verdict to its message", async () => {
        const state = await first();
        const event = makeEvent("1");
        const deliveries = [
          delivery(event),
          delivery(event, { sink: "later", notBeforeMs: T0 * 2 }),
        ];
        await commit({
          verdicts: [verdict(ref(state), "1", "event", event.id)],
          events: [event],
          deliveries,
        });
        await sealAll(T0);
        await store.record([{ messageId: "m0", kind: "sent", atMs: T0 + 3, ref: "ts" }]);
        const [history] = await store.explainItem("1");
        expect(history).toMatchObject({ watch: "brand", verdict: "event", event, seenAtMs: T0 });
        expect(history?.deliveries).toMatchObject([
          {
            sink: "hook",
            state: "sent",
            messageId: "m0",
            attempts: 1,
            sentAtMs: T0 + 3,
            ref: "ts",
          },
          { sink: "later", state: "held", messageId: null, attempts: 0 },
        ]);
        expect(await store.explainItem("2")).toEqual([]);
      });

      test("explains each attempt that failed, the newest fifty of a message, until they are pruned", async () => {
        const state = await first();
        const event = makeEvent("1");
        await commit({
          verdicts: [verdict(ref(state), "1", "event", event.id)],
          events: [event],
          deliveries: [delivery(event)],
        });
        await sealAll(T0);
        const retry = { messageId: "m0", kind: "retry", countAttempt: false } as const;
        for (let i = 1; i <= 60; i += 1)
          await store.record([
            {
              ...retry,
              atMs: T0 + i,
              nextAttemptAtMs: T0 + i + 1,
              error: `503 for the ${i}. time`,
            },
          ]);
        await store.record([
          {
            messageId: "m0",
            kind: "dead",
            atMs: T0 + 61,
            error: "late",
            cause: "expired",
            countAttempt: false,
          },
        ]);
        const failures = async () =>
          (await store.explainItem("1"))[0]?.deliveries[0]?.failures ?? [];
        expect(await failures()).toHaveLength(50);
        expect((await failures())[0]).toEqual({ atMs: T0 + 11, error: "503 for the 11. time" });
        expect((await failures()).at(-1)).toEqual({ atMs: T0 + 60, error: "503 for the 60. time" });
        await store.prune(T0 + 30 + DAY_MS, DAY_MS, new Set());
        expect(await failures()).toHaveLength(31);
      });

      describe("of events", () => {
        const found = async (query: Partial<EventQuery>) => {
          const { events } = await store.findEvents({ limit: 10, ...query });
          return events.map(({ event }) => event.subject);
        };
        const tweetOf = (id: string, text: string, user: User) =>
          makeEvent(id, { body: { tweet: { ...makeTweet(id, text), user } } });

        test("are found newest first, by time, watch, author and words", async () => {
          const bob = makeUser("8", "Bob");
          await commitEvents([
            makeEvent("1", { detectedAtMs: T0 }),
            makeEvent("2", { detectedAtMs: T0 + 10, watch: "other" }),
          ]);
          await commitEvents([{ ...tweetOf("3", 'The "50%" Offer', bob), detectedAtMs: T0 + 20 }]);
          expect(await found({})).toEqual(["3", "2", "1"]);
          expect(await found({ sinceMs: T0 + 10 })).toEqual(["3", "2"]);
          expect(await found({ untilMs: T0 + 10 })).toEqual(["1"]);
          expect(await found({ watches: ["other"] })).toEqual(["2"]);
          expect(await found({ author: "BOB" })).toEqual(["3"]);
          expect(await found({ author: "8" })).toEqual(["3"]);
          expect(await found({ text: '"50%" offer' })).toEqual(["3"]);
          expect(await found({ text: "full_text" })).toEqual([]);
          expect(await found({ text: "5_%" })).toEqual([]);
        });

        test("are found by what became of them", async () => {
          await commitEvents([makeEvent("1"), makeEvent("2")]);
          await sealAll(T0);
          await store.record([{ messageId: "m0", kind: "sent", atMs: T0 }]);
          await commitEvents([makeEvent("3")], { sink: "later" });
          expect(await found({ state: "sent" })).toEqual(["1"]);
          expect(await found({ state: "sealed" })).toEqual(["2"]);
          expect(await found({ state: "waiting" })).toEqual(["3"]);
          const { events } = await store.findEvents({ limit: 1 });
          expect(events[0]?.deliveries).toMatchObject([{ sink: "later", state: "waiting" }]);
        });

        test("come page by page, each of them once", async () => {
          const names = Array.from({ length: 2_500 }, (_, i) => String(i));
          await commit({
            events: names.map((name) =>
              makeEvent(name, { watch: Number(name) % 2 === 0 ? "even" : "odd" }),
            ),
          });
          const all: string[] = [];
          let next: string | null = null;
          do {
            const page: EventPage = await store.findEvents({
              limit: 700,
              watches: ["odd"],
              ...(next === null ? {} : { before: next }),
            });
            all.push(...page.events.map(({ event }) => event.subject));
            next = page.next;
          } while (next !== null);
          expect(all).toEqual(names.filter((name) => Number(name) % 2 === 1).reverse());
        });

        test("come page by page when each row has to be read, each of them once", async () => {
          const names = Array.from({ length: 1_500 }, (_, i) => String(i));
          const textOf = (name: string) => (Number(name) % 2 === 0 ? "Full_Text even" : "odd");
          await commit({
            events: names.map((name) => ({ ...tweetOf(name, textOf(name), makeUser("8", "Bob")) })),
          });
          for (const mostExamined of [100, 700, 5_000]) {
            const all: string[] = [];
            const ends: number[] = [];
            let before: string | undefined;
            do {
              const page: EventPage = await store.findEvents({
                ...{ limit: 400, text: "full_text", mostExamined },
                ...(before === undefined ? {} : { before }),
              });
              all.push(...page.events.map(({ event }) => event.subject));
              before = page.next ?? undefined;
              if (before !== undefined) ends.push(Number(before));
            } while (before !== undefined);
            expect(all).toEqual(names.filter((name) => Number(name) % 2 === 0).reverse());
            const spans = ends.slice(1).map((end, at) => (ends[at] ?? 0) - end);
            expect(Math.max(0, ...spans)).toBeLessThanOrEqual(mostExamined);
          }
        });

        test("none of which there are end at once", async () => {
          expect(await store.findEvents({ limit: 5 })).toEqual({ events: [], next: null });
        });
      });

      test("finds the id of a handle in targets and events", async () => {
        const state = await first();
        await store.resolveTarget(
          { watchKey: state.key, targetKey: "@a" },
          { userId: "44", username: "Acme" },
        );
        await commitEvents([makeEvent("1")]);
        expect(await store.userIdOfHandle("@ACME")).toBe("44");
        expect(await store.userIdOfHandle("Alice")).toBe("7");
        expect(await store.userIdOfHandle("nobody")).toBeNull();
      });

      test("keeps notes", async () => {
        expect(await store.readNote("x")).toBeNull();
        await store.writeNote("x", { a: [1] });
        await store.writeNote("x", { a: [2] });
        expect(await store.readNote("x")).toEqual({ a: [2] });
      });
    });

    describe("announcements", () => {
      test("name the watches of those between two numbers, each once", async () => {
        const numbers = [
          await store.announce(["a"]),
          await store.announce(["b", "a"]),
          await store.announce([]),
        ];
        expect(numbers).toEqual([1, 2, 3]);
        expect((await store.shareNews()).announcements).toBe(3);
        expect([
          await store.announced(0, 3),
          await store.announced(1, 2),
          await store.announced(2, 3),
        ]).toEqual([["a", "b"], ["b", "a"], []]);
      });

      test("are about all watches where one of them is, or where they are too many to be kept", async () => {
        await store.announce("all");
        await store.announce(["a"]);
        expect([await store.announced(0, 2), await store.announced(1, 2)]).toEqual(["all", ["a"]]);
        for (let number = 0; number < 100; number += 1) await store.announce(["b"]);
        expect([await store.announced(1, 102), await store.announced(2, 102)]).toEqual([
          "all",
          ["b"],
        ]);
      });
    });

    describe("what was learned", () => {
      test("is kept by scope and key, replaced and deleted", async () => {
        await store.saveLearned(
          "accounts",
          new Map([
            ["1", { posts: 1 }],
            ["2", { posts: 2 }],
          ]),
        );
        await store.saveLearned("feeds", new Map([["1", { pace: 9 }]]));
        await store.saveLearned(
          "accounts",
          new Map<string, Json | null>([
            ["1", { posts: 5 }],
            ["2", null],
            ["3", null],
          ]),
        );
        expect(Object.fromEntries(await store.loadLearned("accounts"))).toEqual({
          "1": { posts: 5 },
        });
        expect(Object.fromEntries(await store.loadLearned("feeds", ["1", "7"]))).toEqual({
          "1": { pace: 9 },
        });
        expect(await store.loadLearned("feeds", [])).toEqual(new Map());
      });

      test("of a group is forgotten with the times of its polls, and of nothing else", async () => {
        for (const [fingerprint, polledAtMs] of [
          ["rare", T0],
          ["unused", T0],
        ] as const)
          await commit({ source: { fingerprint, expectedRevision: 0, polledAtMs, ok: true } });
        await store.saveLearned(
          "groups",
          new Map([
            ["rare", { size: 1 }],
            ["unused", { size: 2 }],
          ]),
        );
        await store.saveLearned("accounts", new Map([["unused", { posts: 1 }]]));
        await store.prune(T0 + 10 * DAY_MS, 9 * DAY_MS, new Set(["rare"]));
        expect([...(await store.loadLearned("groups")).keys()]).toEqual(["rare"]);
        expect([...(await store.loadLearned("accounts")).keys()]).toEqual(["unused"]);
      });
    });

    describe("upkeep", () => {
      test("forgets what is old, never what waits", async () => {
        const state = await first();
        const [done, open] = [makeEvent("1"), makeEvent("2")];
        await commit({
          verdicts: ["1", "2"].map((id) =>
            verdict(ref(state), id, "event", `e-brand-tweet.created-${id}`),
          ),
        });
        const user = { ...verdict(ref(state), "u"), itemKind: "user" as const };
        await commit({ verdicts: [user] });
        await commitEvents([done]);
        await sealAll(T0);
        await store.record([{ messageId: "m0", kind: "sent", atMs: T0 }]);
        await commitEvents([open]);
        await store.reserve({
          endpoint: "s",
          watch: "w",
          billed: true,
          atMs: T0,
          rate: { count: 1, intervalMs: 1 },
          holdMs: 1,
        });
        await store.prune(T0 + 10 * DAY_MS, 11 * DAY_MS, new Set());
        expect(await store.recentEvents(9)).toHaveLength(2);
        await store.prune(T0 + 10 * DAY_MS, 9 * DAY_MS, new Set());
        expect(await store.recentEvents(9)).toMatchObject([{ id: open.id }]);
        expect((await store.knownItems([ref(state)], ["1", "2", "u"]))[0]).toEqual(new Set(["u"]));
        expect((await due(T0)).groups).toHaveLength(1);
        expect((await store.spentSince(T0)).total).toBe(1);
        expect((await store.spentSince(T0 - DAY_MS)).total).toBe(1);
      });

      test("keeps the alerts of a message that waits for its next attempt", async () => {
        await commitEvents([makeEvent("1"), makeEvent("2")], { groupKey: "team" });
        const [message] = await sealAll(T0);
        await store.prune(T0 + 10 * DAY_MS, DAY_MS, new Set());
        const result = {
          messageId: message?.id ?? "",
          kind: "dead",
          atMs: T0 + 10 * DAY_MS,
          error: "no",
          cause: "expired",
        } as const;
        await store.record([{ ...result, countAttempt: true }]);
        expect(
          (await store.listDead({}, 9)).map(({ events }) => events.map(({ subject }) => subject)),
        ).toEqual([["1", "2"]]);
      });

      test("forgets watches 30 days after they were removed", async () => {
        const [before] = await register("brand", "other");
        await register("other");
        await store.prune(T0 + 29 * DAY_MS, 90 * DAY_MS, new Set());
        expect((await register("brand", "other"))[0]?.key).toBe(before?.key);
        await register("other");
        await store.prune(T0 + 31 * DAY_MS, 90 * DAY_MS, new Set());
        expect((await register("brand", "other"))[0]?.key).not.toBe(before?.key);
      });

      test("forgets the memory of sources that are not polled any more, and not of those that are polled but rarely", async () => {
        for (const fingerprint of ["rare", "unused", "late"]) {
          const polledAtMs = fingerprint === "late" ? T0 + 2 * DAY_MS : T0;
          await commit({
            source: { fingerprint, memory: { seen: 1 }, expectedRevision: 0, polledAtMs, ok: true },
          });
        }
        const remembered = async () =>
          (await store.loadSources(["rare", "unused", "late"])).map(
            ({ lastPollAtMs }) => lastPollAtMs !== null,
          );
        await store.prune(T0 + 10 * DAY_MS, 11 * DAY_MS, new Set(["rare"]));
        expect(await remembered()).toEqual([true, true, true]);
        await store.prune(T0 + 10 * DAY_MS, 9 * DAY_MS, new Set(["rare"]));
        expect(await remembered()).toEqual([true, false, true]);
      });

      test("forgets the notes of a watch with the watch", async () => {
        const [kept, gone] = await register("brand", "other");
        const notes = [kept, gone].flatMap((state) => [
          `volume:${state?.key}`,
          `list:${state?.key}:at`,
        ]);
        for (const name of [...notes, "volume", "quota.drift:main"]) await store.writeNote(name, 1);
        await register("brand");
        await store.prune(T0 + 29 * DAY_MS, 90 * DAY_MS, new Set());
        for (const name of notes) expect(await store.readNote(name)).toBe(1);
        await store.prune(T0 + 31 * DAY_MS, 90 * DAY_MS, new Set());
        const left = await Promise.all(
          [...notes, "volume", "quota.drift:main"].map((name) => store.readNote(name)),
        );
        expect(left).toEqual([1, 1, null, null, 1, 1]);
      });

      test("proves that it can write", async () => {
        await expect(store.proveWritable(T0)).resolves.toBeUndefined();
      });
    });
  });
}

const watch = (
  id: string,
  targets = [{ key: "@a", name: "@a" }] as { key: string; name: string; userId?: string }[],
) => ({
  id,
  type: "timeline",
  targets,
});

const ref = (state: WatchState | undefined) => ({
  watchKey: state?.key ?? "",
  targetKey: state?.targets[0]?.key ?? "",
});

const verdict = (
  target: { watchKey: string; targetKey: string },
  itemId: string,
  what: ItemVerdict["verdict"] = "filtered",
  eventId?: string,
): ItemVerdict => ({
  ...target,
  itemId,
  itemKind: "tweet",
  verdict: what,
  detail: "",
  occurredAtMs: T0,
  ...(eventId === undefined ? {} : { eventId }),
});

const delivery = (event: ChirpEvent, changes: Partial<NewDelivery> = {}): NewDelivery => ({
  eventId: event.id,
  sink: "hook",
  groupKey: event.id,
  groupWaitMs: 0,
  groupIntervalMs: 0,
  notBeforeMs: 0,
  ...changes,
});
