/**
 * What every Store must keep of a message that some of several receivers have, where its alerts are
 * sent again. Run it with a function that makes an empty one.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { DeliveryResult } from "../../src/model/outbox.ts";
import type { Store } from "../../src/model/store.ts";
import { makeEvent } from "../support/make-event.ts";

const T0 = Date.UTC(2026, 0, 15, 12, 0, 0);

type Outcome = DeliveryResult extends infer R ? Omit<R & DeliveryResult, "messageId"> : never;

const MISSED = { kind: "sent", atMs: T0, missed: [{ receiver: "boss", error: "550 no" }] } as const;
const LATER = {
  ...({ kind: "retry", atMs: T0, nextAttemptAtMs: T0, error: "450 later" } as const),
  countAttempt: true,
  taken: ["team"],
} as const;
const REFUSED = {
  kind: "dead",
  atMs: T0,
  error: "554 no",
  cause: "refused 554",
  countAttempt: true,
} as const;

export function describePartlyTaken(name: string, makeStore: () => Promise<Store>): void {
  describe(`a message that some of its receivers have: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });

    const due = () => store.dueWork({ nowMs: T0 + 9, sinks: ["mail"], busy: new Set(), limit: 9 });
    const members = async () => (await due()).groups.flatMap((group) => group.members);
    const seal = async (id: string, taken?: readonly string[]) => {
      const deliveryIds = (await members()).map(({ deliveryId }) => deliveryId);
      const message = {
        id,
        sink: "mail",
        groupKey: "g",
        throttleKey: null,
        sealedAtMs: T0,
        body: {},
      };
      await store.seal([{ ...message, deliveryIds, ...(taken && { taken }) }]);
    };
    const commit = async (event: ChirpEvent) => {
      const delivery = { eventId: event.id, sink: "mail", groupKey: event.id, groupWaitMs: 0 };
      const once = { key: "tweet:1", withinMs: 60_000 };
      await store.commitPoll({
        ...{ atMs: T0, targets: [], verdicts: [], events: [event] },
        deliveries: [{ ...delivery, once, groupIntervalMs: 0, notBeforeMs: T0 }],
      });
      return event.id;
    };
    const sendWaiting = async (outcomes: readonly Outcome[]) => {
      await seal("m");
      for (const outcome of outcomes)
        await store.record([{ ...outcome, messageId: "m" } as DeliveryResult]);
    };
    const send = async (...outcomes: readonly Outcome[]) => {
      const id = await commit(makeEvent("1"));
      await sendWaiting(outcomes);
      return id;
    };
    const replay = async (eventId: string) => {
      const found = await store.findReplayable({ eventId });
      const deliveryIds = found.map(({ deliveryId }) => deliveryId);
      await store.replay({ deliveryIds, added: [], atMs: T0, detail: { eventId } });
      return found.map(({ reachesAgain = false }) => reachesAgain);
    };
    const takenBy = async () => (await members()).map(({ taken }) => taken);

    test.each([
      ["some refused it for good", [{ ...MISSED, taken: ["team"] }], ["team"]],
      [
        "some refused it for good at a later attempt",
        [LATER, { ...MISSED, taken: ["team"] }],
        ["team"],
      ],
      ["it was given up before all had it", [LATER, { ...REFUSED, cause: "expired" }], ["team"]],
      ["all have it", [LATER, { kind: "sent", atMs: T0 }], undefined],
      ["nobody has it", [REFUSED], undefined],
    ] as const)(
      "says who has it when it is sent again by name, where %s",
      async (_, outcomes, taken) => {
        expect(await replay(await send(...outcomes))).toEqual([false]);
        expect(await takenBy()).toEqual([taken]);
      },
    );

    test("says so when a dead letter is laid out anew, or goes out as it was", async () => {
      await send(LATER, REFUSED);
      await store.resendDead({}, T0, "alice");
      expect(await takenBy()).toEqual([["team"]]);
      await seal("n", ["team"]);
      expect((await due()).messages.map(({ id, taken }) => [id, taken])).toEqual([["n", ["team"]]]);
      await store.record([{ ...REFUSED, cause: "expired", messageId: "n" }]);
      await store.resendDead({}, T0, "alice");
      expect((await due()).messages.map(({ id, taken }) => [id, taken])).toEqual([["n", ["team"]]]);
    });

    test("says so when it is taken back, and not any more once all have it", async () => {
      const eventId = await send(LATER);
      await store.revertSealed(["m"]);
      expect(await takenBy()).toEqual([["team"]]);
      await seal("n", ["team"]);
      await store.record([{ messageId: "n", kind: "sent", atMs: T0 }]);
      await replay(eventId);
      expect(await takenBy()).toEqual([undefined]);
    });

    test.each([
      ["before", "some refused it for good", [{ ...MISSED, taken: ["team"] }], ["team"]],
      ["before", "it was given up", [LATER, { ...REFUSED, cause: "expired" }], ["team"]],
      ["after", "some refused it for good", [{ ...MISSED, taken: ["team"] }], ["team"]],
      ["after", "all have it", [LATER, { kind: "sent", atMs: T0 }], undefined],
    ] as const)(
      "says who has it when an alert is sent again that joined it %s it was sealed, where %s",
      async (when, _, outcomes, taken) => {
        const other = makeEvent("1", { watch: "other" });
        await commit(makeEvent("1"));
        if (when === "before") await commit(other);
        await sendWaiting(outcomes);
        if (when === "after") await commit(other);
        expect(await replay(other.id)).toEqual([false]);
        expect(await takenBy()).toEqual([taken]);
      },
    );

    test("says that all get it again where nobody knows who has it", async () => {
      expect(await replay(await send(MISSED))).toEqual([true]);
      expect(await takenBy()).toEqual([undefined]);
    });
  });
}
