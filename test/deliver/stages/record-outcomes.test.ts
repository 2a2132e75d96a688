/**
 * When results are written, together with which others, and what becomes of them when the state
 * takes none.
 */
import { expect, it } from "vitest";
import { createRecordStage } from "../../../src/deliver/stages/record-outcomes.ts";
import type { LogFields } from "../../../src/model/log.ts";
import type { DeliveryResult } from "../../../src/model/outbox.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const resultOf = (messageId: string): DeliveryResult => ({ messageId, kind: "sent", atMs: 0 });

function setUp() {
  const clock = createVirtualClock(0);
  const batches: string[][] = [];
  const done: string[] = [];
  const logged: (LogFields | undefined)[] = [];
  const state = { isStopping: false, write: async (): Promise<void> => undefined };
  const nothing = () => undefined;
  const log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (_: string, fields?: LogFields) => void logged.push(fields),
    child: () => log,
  };
  const store = {
    record: (results: readonly DeliveryResult[]) => {
      batches.push(results.map(({ messageId }) => messageId));
      return state.write();
    },
  };
  const stage = createRecordStage({ store, clock, log, isStopping: () => state.isStopping });
  const run = (id: string) => void stage.run(resultOf(id)).then(() => done.push(id));
  return { clock, batches, done, logged, state, stage, run };
}

it("those of ten milliseconds are written together, and are done when that is over", async () => {
  const { clock, batches, done, run } = setUp();
  run("a");
  await clock.advance(9);
  run("b");
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect([batches, done]).toEqual([[["a", "b"]], ["a", "b"]]);
  expect(clock.pending()).toBe(0);
});

it("two hundred wait for no more", async () => {
  const { clock, batches, run } = setUp();
  for (let i = 1; i < 200; i += 1) run(String(i));
  expect(batches).toEqual([]);
  run("200");
  expect(batches.map((batch) => batch.length)).toEqual([200]);
  await clock.advance(0);
  expect(clock.pending()).toBe(0);
});

it.each([
  ["at least ten milliseconds apart", 0, 10],
  ["nine times as far apart as they take", 3, 30],
  ["at most a tenth of a second apart", 60, 160],
])("commits are %s while results keep coming", async (_, takesMs, apartMs) => {
  const { clock, batches, state, run } = setUp();
  state.write = () => new Promise((resolve) => clock.after(takesMs, resolve));
  const timesMs: number[] = [];
  for (let ms = 0; ms < 400; ms += 1) {
    run(String(ms));
    await clock.advance(1);
    if (batches.length > timesMs.length) timesMs.push(clock.now());
  }
  expect(timesMs[0]).toBe(10);
  expect(timesMs.slice(1).map((at, index) => at - (timesMs[index] ?? 0))).toEqual(
    timesMs.slice(1).map(() => apartMs),
  );
  expect(timesMs.length).toBeGreaterThan(2);
  await clock.advance(300);
  expect(batches.flat()).toHaveLength(400);
});

it("what comes while others are written goes after them", async () => {
  const { clock, batches, done, state, stage, run } = setUp();
  let end: () => void = () => undefined;
  state.write = () => new Promise((resolve) => (end = resolve));
  run("a");
  await clock.advance(10);
  run("b");
  stage.flush();
  await clock.advance(100);
  expect([batches, done]).toEqual([[["a"]], []]);
  end();
  await clock.advance(99);
  expect([batches, done]).toEqual([[["a"]], ["a"]]);
  await clock.advance(1);
  expect([batches, done]).toEqual([[["a"], ["b"]], ["a"]]);
});

it("what the state does not take is written after five seconds, before what came since, and the log counts it", async () => {
  const { clock, batches, done, logged, state, run } = setUp();
  state.write = () => Promise.reject(new Error("the disk is full"));
  run("a");
  run("b");
  await clock.advance(10);
  expect(logged).toEqual([{ results: 2, error: new Error("the disk is full") }]);
  run("c");
  await clock.advance(4_999);
  expect(batches).toHaveLength(1);
  state.write = async () => undefined;
  await clock.advance(1);
  expect([batches[1], done]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
});

it("while the pump stops each is written at once, and once: what is lost then is sent again", async () => {
  const { clock, batches, done, state, run } = setUp();
  state.isStopping = true;
  state.write = () => Promise.reject(new Error("the disk is full"));
  run("a");
  expect(batches).toEqual([["a"]]);
  await clock.advance(10_000);
  expect([batches, done]).toEqual([[["a"]], ["a"]]);
});

it("nothing is written where nothing waits", () => {
  const { batches, stage } = setUp();
  stage.flush();
  expect(batches).toEqual([]);
});
