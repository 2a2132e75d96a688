/**
 * What every Store must know of the alerts that follow-ups speak about, and do with what does not
 * go out. Run it with a function that makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { Withheld } from "../../src/model/outbox.ts";
import type { NewDelivery } from "../../src/model/poll-store.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);
const DAY_MS = 86_400_000;
const NOTHING: Withheld = {
  deletedIds: [],
  joined: [],
  dropped: [],
  postponed: { ids: [], dueAtMs: 0 },
};

export function describeFollowUps(name: string, makeStore: () => Promise<Store>): void {
  describe(`follow-ups: ${name}`, () => {
    let store: Store;
    let sealed = 0;
    beforeEach(async () => {
      store = await makeStore();
      sealed = 0;
    });

    const to = (event: ChirpEvent, more: Partial<NewDelivery> = {}): NewDelivery => ({
      ...{
        eventId: event.id,
        sink: "hook",
        groupKey: event.id,
        groupWaitMs: 0,
        groupIntervalMs: 0,
        notBeforeMs: T0,
        ...more,
      },
    });
    const commit = (event: ChirpEvent, more: Partial<NewDelivery> = {}) =>
      store.commitPoll({
        atMs: T0,
        targets: [],
        verdicts: [],
        events: [event],
        deliveries: [to(event, more)],
      });
    const found = (subject: string, watch = "w") =>
      makeEvent(subject, { watch, watchKey: `key of ${watch}` });
    const once = { once: { key: "alike", withinMs: DAY_MS } };
    const after = (
      subject: string,
      type: string,
      watch = "w",
      text = "",
      detectedAtMs = T0 - DAY_MS,
    ) =>
      makeEvent(subject, {
        ...{
          id: `${type} ${subject} ${watch} ${text}`,
          type,
          watch,
          watchKey: `key of ${watch}`,
          detectedAtMs,
        },
        body: { tweet: makeTweet(subject, text) },
      });
    const follow = (event: ChirpEvent, more: Partial<NewDelivery> = {}) =>
      commit(event, {
        about: { watchKey: event.watchKey, subject: event.subject },
        follows: {},
        ...more,
      });
    const due = async (nowMs = T0) =>
      (await store.dueWork({ nowMs, sinks: ["hook"], busy: new Set(), limit: 100 })).groups;
    const members = async (nowMs = T0) => (await due(nowMs)).flatMap(({ members: own }) => own);
    const memberOf = async (event: ChirpEvent) =>
      (await members()).find((member) => member.event.id === event.id);
    /** Each group that is due becomes a message; the ids of these. */
    const seal = async () => {
      const messages = (await due()).map(({ groupKey, members: own }) => ({
        ...{
          id: `m${(sealed += 1)}`,
          sink: "hook",
          groupKey,
          throttleKey: null,
          sealedAtMs: T0,
          body: {},
        },
        deliveryIds: own.map(({ deliveryId }) => deliveryId),
      }));
      await store.seal(messages);
      return messages.map(({ id }) => id);
    };
    const send = async () => {
      const ids = await seal();
      await store.record(
        ids.map((messageId) => ({ messageId, kind: "sent", atMs: T0, ref: `ref of ${messageId}` })),
      );
    };
    const giveUp = async () => {
      const ids = await seal();
      await store.record(
        ids.map((messageId) => ({
          messageId,
          kind: "dead",
          atMs: T0,
          error: "400",
          cause: "refused 400",
          countAttempt: true,
        })),
      );
    };
    const statesOf = async (event: ChirpEvent) =>
      (await store.findEvents({ limit: 99 })).events
        .find((one) => one.event.id === event.id)
        ?.deliveries.map(({ state }) => state);

    test("is about the alert of a watch that joined it, where nobody was shown its own", async () => {
      await commit(found("1", "a"));
      await send();
      await commit(found("1", "b"));
      const [unsent] = await members();
      await store.withhold({ ...NOTHING, deletedIds: [unsent?.deliveryId ?? ""] });
      await follow(after("1", "tweet.deleted", "b"), once);
      expect((await members()).map(({ follows }) => follows?.state)).toEqual(["deleted"]);
      await follow(after("1", "tweet.deleted", "a"), once);
      expect((await members()).map(({ watches, follows }) => [watches, follows])).toEqual([
        [
          ["b", "a"],
          expect.objectContaining({
            state: "sent",
            message: { id: "m1", ref: "ref of m1" },
          }),
        ],
      ]);
    });

    test.each([
      ["was sent", () => commit(found("1")).then(send), "sent"],
      [
        "was sent for another watch on the same post",
        async () => {
          await commit(found("1", "first"), once);
          await commit(found("1"), once);
          await send();
        },
        "sent",
      ],
      ["was muted", () => commit(found("1"), { mutedBy: "nights" }), "unsent"],
      ["was silenced", () => commit(found("1"), { silencedBy: "7" }), "unsent"],
      ["was given up", () => commit(found("1")).then(giveUp), "unsent"],
      [
        "waited with an alert on another post",
        async () => {
          await commit(found("2"), once);
          await commit(found("1"), once);
          await send();
        },
        "unsent",
      ],
      [
        "came after an alert on another post",
        async () => {
          await commit(found("2"), once);
          await send();
          await commit(found("1"), once);
        },
        "unsent",
      ],
    ] as const)("say of an alert that %s how it fares", async (_, prepare, state) => {
      await prepare();
      const gone = after("1", "tweet.deleted");
      await follow(gone);
      expect((await memberOf(gone))?.follows).toMatchObject({ state });
    });

    test("do not go out while their alert waits, or its message is under way", async () => {
      await commit(found("1"), { notBeforeMs: T0 + 1 });
      const edited = after("1", "tweet.edited");
      await follow(edited);
      expect(await members()).toEqual([]);
      const [alert, ...others] = await members(T0 + 1);
      expect([alert?.event.type, others]).toEqual(["tweet.created", []]);
      const message = {
        id: "m",
        sink: "hook",
        groupKey: "",
        throttleKey: null,
        sealedAtMs: T0,
        body: {},
      };
      await store.seal([{ ...message, deliveryIds: [alert?.deliveryId ?? ""] }]);
      expect(await members(T0 + 1)).toEqual([]);
      await store.record([{ messageId: "m", kind: "sent", atMs: T0 + 2 }]);
      expect((await memberOf(edited))?.follows?.state).toBe("sent");
    });

    test("name the message that they answer, and none where the sink had no such alert", async () => {
      await commit(found("1"));
      await send();
      const [gone, elsewhere] = [after("1", "tweet.deleted"), after("2", "tweet.deleted")];
      for (const event of [gone, elsewhere]) await follow(event);
      expect((await memberOf(gone))?.follows?.message).toEqual({ id: "m1", ref: "ref of m1" });
      expect((await memberOf(elsewhere))?.follows).toBeUndefined();
    });

    test("of several watches on one message name the one that says the same", async () => {
      for (const watch of ["a", "b"]) await commit(found("1", watch), once);
      await send();
      const [one, same, other] = [
        after("1", "tweet.edited", "a", "new"),
        after("1", "tweet.edited", "b", "new"),
        after("1", "tweet.edited", "b", "newer"),
      ];
      for (const event of [one, same, other]) await follow(event);
      const saidBy = async () =>
        Promise.all(
          [one, same, other].map(async (event) => (await memberOf(event))?.follows?.saidBy),
        );
      const first = await memberOf(one);
      expect(await saidBy()).toEqual([undefined, first?.deliveryId, undefined]);
      await store.withhold({
        ...NOTHING,
        dropped: [{ deliveryId: first?.deliveryId ?? "", detail: "no" }],
      });
      expect(await saidBy()).toEqual([undefined, undefined, undefined]);
    });

    test("name none that a mute holds, and go out before it", async () => {
      for (const watch of ["a", "b"]) await commit(found("1", watch), once);
      await send();
      const [held, free] = [after("1", "tweet.deleted", "a"), after("1", "tweet.deleted", "b")];
      const laterMs = T0 + 5 * DAY_MS;
      await follow(held, { notBeforeMs: laterMs, heldBy: "nights" });
      await follow(free);
      const [{ deliveryId, follows } = { deliveryId: "" }, ...rest] = await members();
      expect([follows?.saidBy, rest]).toEqual([undefined, []]);
      await send();
      expect((await members(laterMs)).map((member) => member.follows?.saidBy)).toEqual([
        deliveryId,
      ]);
    });

    test("name one that was sent, and none that was given up", async () => {
      for (const watch of ["a", "b", "c"]) await commit(found("1", watch), once);
      await send();
      await follow(after("1", "tweet.deleted", "a"));
      await giveUp();
      const [second, third] = [after("1", "tweet.deleted", "b"), after("1", "tweet.deleted", "c")];
      await follow(second);
      const deliveryId = (await memberOf(second))?.deliveryId;
      expect((await memberOf(second))?.follows?.saidBy).toBeUndefined();
      await send();
      await follow(third);
      expect((await memberOf(third))?.follows?.saidBy).toBe(deliveryId);
    });

    test("do not speak for the message of another watch", async () => {
      for (const watch of ["a", "b"]) await commit(found("1", watch));
      await send();
      const both = [after("1", "tweet.deleted", "a"), after("1", "tweet.deleted", "b")];
      for (const event of both) await follow(event);
      expect(
        (await members()).map(({ follows }) => [follows?.message?.id, follows?.saidBy]),
      ).toEqual([
        ["m1", undefined],
        ["m2", undefined],
      ]);
    });

    test("follow a repeat that was sent where the first alert on a value was given up", async () => {
      const level = (id: string) =>
        makeEvent("7", { id, type: "tweet.threshold", watch: "w", watchKey: "key of w" });
      const about = { watchKey: "key of w", subject: "7" };
      const end = level("end");
      await commit(level("first"), { about });
      await giveUp();
      await commit(end, { about, follows: { eventId: "first" } });
      expect((await memberOf(end))?.follows?.state).toBe("unsent");
      await store.withhold({
        ...NOTHING,
        dropped: [{ deliveryId: (await memberOf(end))?.deliveryId ?? "", detail: "no" }],
      });
      await commit(level("repeat"), { about });
      await send();
      const later = level("later end");
      await commit(later, { about, follows: { eventId: "first" } });
      expect((await memberOf(later))?.follows).toMatchObject({
        state: "sent",
        message: { id: "m2" },
      });
    });

    test("withhold in one go what is gone, said already, about nothing that was shown, or put off", async () => {
      const all = ["1", "2", "3", "4", "5"].map((subject) => found(subject));
      for (const event of all) await commit(event, { groupKey: "team" });
      const [gone, joined, dropped, later, kept] = (await members()).map(
        ({ deliveryId }) => deliveryId,
      ) as [string, string, string, string, string];
      await store.withhold({
        deletedIds: [gone],
        joined: [{ deliveryId: joined, withId: kept, detail: "said" }],
        dropped: [{ deliveryId: dropped, detail: "unshown" }],
        postponed: { ids: [later], dueAtMs: T0 + 5_000 },
      });
      expect((await members()).map(({ deliveryId }) => deliveryId)).toEqual([kept]);
      expect(await Promise.all(all.map(statesOf))).toEqual([
        ["deleted"],
        ["waiting"],
        ["duplicate"],
        ["waiting"],
        ["waiting"],
      ]);
      await send();
      expect(await Promise.all(all.map(statesOf))).toEqual([
        ["deleted"],
        ["sent"],
        ["duplicate"],
        ["waiting"],
        ["sent"],
      ]);
      expect((await members(T0 + 5_000)).map(({ deliveryId }) => deliveryId)).toEqual([later]);
      // What does not wait any more stays as it is.
      await store.withhold({
        ...NOTHING,
        deletedIds: [kept],
        dropped: [{ deliveryId: gone, detail: "unshown" }],
      });
      expect(
        await Promise.all(
          [gone, kept].map(async (_, n) => statesOf(all[n === 0 ? 0 : 4] as ChirpEvent)),
        ),
      ).toEqual([["deleted"], ["sent"]]);
    });

    test("send what had joined an alert on a post that is gone, and is about another post, in its place", async () => {
      const [a, b, c] = ["1", "2", "3"].map((subject) => found(subject)) as [
        ChirpEvent,
        ChirpEvent,
        ChirpEvent,
      ];
      for (const event of [a, b, c]) await commit(event, once);
      const [first] = await members();
      await store.withhold({ ...NOTHING, deletedIds: [first?.deliveryId ?? ""] });
      expect((await members()).map(({ event, joined }) => [event.subject, joined.length])).toEqual([
        ["2", 1],
      ]);
    });
  });
}
