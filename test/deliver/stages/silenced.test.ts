/**
 * What a silence still holds back when a message is made: what waited for that moment, and nothing
 * that was queued.
 */
import { expect, it } from "vitest";
import type { ChirpEvent } from "../../../src/model/event.ts";
import { createBench } from "../pump-bench.ts";

const SECOND = 1_000;
const THROTTLE = {
  limit: 1,
  intervalMs: 600 * SECOND,
  onExceed: "digest",
  digestIntervalMs: 120 * SECOND,
} as const;

/** A pump whose silences hold back events about these subjects, and have held back none before. */
async function setUp(...silenced: readonly string[]) {
  const held = new Set(silenced);
  const silenceOf = (event: object) => (held.has((event as ChirpEvent).subject) ? "1" : undefined);
  const bench = createBench({ throttles: new Map([["t", THROTTLE]]), silenceOf });
  bench.addSink("chat", { chat: true });
  const pump = bench.newPump();
  await pump.start();
  const wake = async (ms: number) => {
    pump.wake();
    await bench.clock.advance(ms);
  };
  return { ...bench, held, wake, inMs: (ms: number) => bench.clock.now() + ms };
}

it("sends what was due at once, whatever silence began since it was committed", async () => {
  const { add, wake, subjects } = await setUp("1", "2");
  add("1");
  add("2", { groupKey: "g" });
  await wake(SECOND);
  expect(subjects()).toEqual(["1", "2"]);
});

it("holds back what a mute held, and of a group those that are silenced", async () => {
  const { add, wake, subjects, outbox, inMs } = await setUp("1", "2");
  add("1", { dueAtMs: inMs(10 * SECOND) });
  add("2", { groupKey: "g", dueAtMs: inMs(10 * SECOND) });
  add("3", { groupKey: "g", dueAtMs: inMs(10 * SECOND) });
  await wake(11 * SECOND);
  expect(subjects()).toEqual(["3"]);
  expect(outbox.deliveryStates).toEqual(["silenced", "silenced", "sealed"]);
});

it("sends them when the silence ended before", async () => {
  const { add, wake, subjects, held, inMs } = await setUp("1");
  add("1", { groupKey: "g", dueAtMs: inMs(10 * SECOND) });
  await wake(9 * SECOND);
  held.clear();
  await wake(2 * SECOND);
  expect(subjects()).toEqual(["1"]);
});

it("makes no message of a group in which all are silenced, and goes on with what comes next", async () => {
  const { add, wake, sent, outbox, inMs } = await setUp("1", "2");
  add("1", { groupKey: "g", dueAtMs: inMs(10 * SECOND) });
  add("2", { groupKey: "g", dueAtMs: inMs(10 * SECOND) });
  await wake(11 * SECOND);
  expect([sent, outbox.messages]).toEqual([[], []]);
  add("3", { groupKey: "g" });
  await wake(SECOND);
  expect(sent.map(({ subjects }) => subjects)).toEqual([["3"]]);
});

it("leaves out of a digest what is silenced when it is sent, though it was not when it was gathered", async () => {
  const { add, wake, sent, held } = await setUp();
  for (const subject of ["1", "2", "3", "4"]) add(subject, { sink: "chat", throttleKey: "t" });
  await wake(SECOND);
  held.add("3");
  await wake(125 * SECOND);
  expect(sent.map(({ subjects, digest }) => [subjects, digest])).toEqual([
    [["1"], false],
    [[], false],
    [["2", "4"], true],
  ]);
});
