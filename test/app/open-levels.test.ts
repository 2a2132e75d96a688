/**
 * Tests what follows the alert on a value, by the fate of that alert in each sink: nothing if it
 * was not sent.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  endOf,
  type FollowUpParts,
  followUpsOf,
} from "../../src/operate/alerts/level-follow-ups.ts";
import type { OpenLevel } from "../../src/model/level.ts";
import { routeEvent, type SinkFacts } from "../../src/route/route-event.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../state/temp-state.ts";
import { makeEvent } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MINUTE = 60_000;
const event = makeEvent("7", {
  type: "tweet.threshold",
  body: { tweet: { likes_count: 1_234 } as never, crossed: ["likes_count"] },
});

const sinks = fc.array(
  fc.record({
    isSent: fc.boolean(),
    sendResolved: fc.boolean(),
    repeatM: fc.constantFrom(undefined, 5, 30),
  }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

/** Starts a watch whose alert goes to several sinks, each with its own options. */
function setUp(
  facts: readonly { isSent: boolean; sendResolved: boolean; repeatM: number | undefined }[],
  isAcross: boolean,
) {
  const optionsOf = ({ sendResolved, repeatM }: (typeof facts)[number]) => ({
    ...(sendResolved && { sendResolved }),
    ...(repeatM === undefined ? {} : { repeatMs: repeatM * MINUTE }),
  });
  const memory = {
    thresholds: { likes_count: ">= 1000" },
    across: isAcross ? ["likes_count"] : [],
    values: { likes_count: 5 },
  };
  const levels = facts.map(({ isSent }, index): OpenLevel => {
    const times = { isWaiting: false, doneAtMs: T0, lastAtMs: T0, nextAtMs: T0, repeats: 0 };
    return {
      event,
      sink: `s${index}`,
      isSent,
      isPolled: true,
      rules: { likes_count: ">= 1000" },
      targetKey: "7",
      memory,
      ...times,
    };
  });
  const timing = { groupKey: "g", groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: 0 };
  const parts = {
    ...{
      clock: createVirtualClock(T0),
      hash: sha256,
      active: { watchOf: () => ({ id: "w", sinks: [] }) },
    },
    routing: () => ({
      routeFollowUp: ({ sink }: OpenLevel) => ({
        options: optionsOf(facts[Number(sink.slice(1))] ?? expect.fail()),
        delivery: { eventId: "f", sink, ...timing },
      }),
    }),
  } as unknown as FollowUpParts;
  return { levels, parts };
}

it("says that a value is back where its alert was sent and that is wanted, and ends everywhere", () => {
  fc.assert(
    fc.property(sinks, (facts) => {
      const { levels, parts } = setUp(facts, false);
      const { events, deliveries, levels: steps } = endOf(levels, parts);
      const wanted = facts.flatMap(({ isSent, sendResolved }, index) =>
        isSent && sendResolved ? [`s${index}`] : [],
      );
      expect(deliveries.map(({ sink }) => sink)).toEqual(wanted);
      expect(events.map(({ body }) => body["resolved"])).toEqual(
        wanted.length === 0 ? [] : [["likes_count"]],
      );
      expect(steps.map(({ sink, change }) => [sink, change.kind])).toEqual(
        facts.map((_, index) => [`s${index}`, "close"]),
      );
      const across = setUp(facts, true);
      expect(endOf(across.levels, across.parts).levels).toEqual([]);
    }),
  );
});

it("repeats an alert where it was sent and that is wanted, again and again", () => {
  fc.assert(
    fc.property(sinks, fc.integer({ min: 1, max: 9 }), (facts, repeat) => {
      const { levels, parts } = setUp(facts, true);
      const mark = { repeat, names: ["likes_count"], asOfMs: T0 };
      const { deliveries, levels: steps } = followUpsOf(
        levels,
        mark,
        parts,
        ({ repeatMs }) => repeatMs !== undefined,
      );
      const wanted = facts.flatMap(({ isSent, repeatM }, index) =>
        isSent && repeatM !== undefined ? [`s${index}`] : [],
      );
      expect(deliveries.map(({ sink }) => sink)).toEqual(wanted);
      for (const { sink, change } of steps) {
        const { repeatM } = facts[Number(sink.slice(1))] ?? expect.fail();
        const nextAtMs =
          wanted.includes(sink) && repeatM !== undefined ? T0 + repeatM * MINUTE : null;
        expect(change).toMatchObject({ kind: "repeated", repeats: repeat, nextAtMs });
      }
    }),
  );
});

it("follows the alert that was sent for two watches, and not the one that joined it", async () => {
  const store = await openTemp(memoryStatePath());
  const shaping = {
    chat: true,
    repeatMs: 10 * MINUTE,
    sendResolved: true,
    dedupe: { key: ["author"], windowMs: 60 * MINUTE },
  };
  const facts = new Map<string, SinkFacts>([
    ["chat", shaping],
    ["hook", { ...shaping, chat: false, dedupe: false as const }],
  ]);
  for (const watch of ["first", "second"]) {
    const own = {
      ...event,
      id: `e-${watch}`,
      watch,
      watchKey: `key-${watch}`,
      labels: { ...event.labels, watch },
    };
    const deliveries = routeEvent(own, {
      ownSinks: ["chat", "hook"],
      tree: undefined,
      sinks: facts,
      nowMs: T0,
    });
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events: [own], deliveries });
  }
  const open = (await store.openLevels()).map(({ sink, event: { watch } }) => `${sink} ${watch}`);
  expect(open.sort()).toEqual(["chat first", "hook first", "hook second"]);
});
