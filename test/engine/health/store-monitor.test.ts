/** Tests the ops alerts about a state that cannot be written. */
import { expect, it } from "vitest";
import {
  createStoreMonitor,
  STORE_HELD_MS,
  STORE_RETRY_MS,
} from "../../../src/engine/health/store-monitor.ts";
import { WHOLE } from "../../../src/model/replicas.ts";
import { StoreError, type StoreFailure } from "../../../src/model/store-error.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** Returns the ops alerts after a failed write. `again` is the outcome of the next attempt. */
async function notified(
  code: StoreFailure,
  again: Promise<void> = Promise.reject(new Error("no")),
): Promise<readonly string[]> {
  const said: string[] = [];
  const watch = createStoreMonitor({
    store: { proveWritable: () => again, proveUnlocked: () => again },
    share: WHOLE,
    clock: createVirtualClock(0),
    log: rememberingLog(),
    notifyDirectly: async (text) => void said.push(text),
    onRecovered: () => undefined,
  });
  expect(watch.recordError(new StoreError(code, "it is so"))).toBe(true);
  await again.catch(() => undefined);
  await Promise.resolve();
  watch.stop();
  return said;
}

it("notifies the operator of a state that cannot be written, and not of other replicas that took over", async () => {
  const text = "chirpwatch cannot write its state and stopped polling: it is so";
  expect(await notified("STORE_FULL")).toEqual([text]);
  expect(await notified("STORE_UNREACHABLE")).toEqual([text]);
  expect(await notified("STORE_REPLACED")).toEqual([]);
  expect(
    await notified(
      "STORE_UNREACHABLE",
      Promise.reject(new StoreError("STORE_REPLACED", "others took over")),
    ),
  ).toEqual([]);
});

it("notifies nobody of a connection that is back at once", async () => {
  expect(await notified("STORE_UNREACHABLE", Promise.resolve())).toEqual([]);
});

it("notifies the operator from the replica that leads, which tries by itself, that the state cannot be written, and can again", async () => {
  const clock = createVirtualClock(0);
  const said: string[] = [];
  let isFull = false;
  const proveWritable = async () => {
    if (isFull) throw new StoreError("STORE_FULL", "it is full");
  };
  const [leader, other] = ["leader", "other"].map((name) =>
    createStoreMonitor({
      store: { proveWritable, proveUnlocked: proveWritable },
      share: { isLeading: () => name === "leader" },
      ...{
        clock,
        log: rememberingLog(),
        notifyDirectly: async (text) => void said.push(`${name}: ${text}`),
      },
      onRecovered: () => undefined,
    }),
  );
  await leader?.prove();
  expect(said).toEqual([]);
  isFull = true;
  other?.recordError(new StoreError("STORE_FULL", "it is full"));
  await leader?.prove();
  isFull = false;
  await clock.advance(STORE_RETRY_MS + STORE_HELD_MS);
  expect([leader?.trouble, other?.trouble]).toEqual([undefined, undefined]);
  expect(said).toEqual([
    "leader: chirpwatch cannot write its state and stopped polling: it is full",
    "leader: chirpwatch can write its state again, and polling continues where it stopped. For 5s it could not be written: it is full",
  ]);
});

it("notifies the operator of the end where a reload comes before the next attempt, and of none where the state still fails", async () => {
  for (const isRepaired of [true, false]) {
    const said: string[] = [];
    let isFull = true;
    const proveWritable = async () => {
      if (isFull) throw new StoreError("STORE_FULL", "it is full");
    };
    const clock = createVirtualClock(0);
    const monitor = createStoreMonitor({
      ...{ store: { proveWritable, proveUnlocked: proveWritable }, share: WHOLE },
      ...{ clock, log: rememberingLog() },
      notifyDirectly: async (text) => void said.push(text),
      onRecovered: () => undefined,
    });
    await monitor.prove();
    await clock.advance(STORE_RETRY_MS - 1);
    isFull = !isRepaired;
    monitor.stop();
    await clock.advance(STORE_RETRY_MS + STORE_HELD_MS);
    expect(said.map((text) => text.includes("can write its state again"))).toEqual(
      isRepaired ? [false, true] : [false],
    );
  }
});

it("notifies the operator from the replica that leads by then that the state can be written again, where the one that led is gone", async () => {
  const clock = createVirtualClock(0);
  const said: string[] = [];
  let [isFull, leads] = [true, "first"];
  const proveWritable = async () => {
    if (isFull) throw new StoreError("STORE_FULL", "it is full");
  };
  const [first, second, third] = ["first", "second", "third"].map((name) =>
    createStoreMonitor({
      store: { proveWritable, proveUnlocked: proveWritable },
      share: { isLeading: () => name === leads },
      ...{
        clock,
        log: rememberingLog(),
        notifyDirectly: async (text) => void said.push(`${name}: ${text}`),
      },
      onRecovered: () => undefined,
    }),
  );
  for (const watch of [first, second, third])
    watch?.recordError(new StoreError("STORE_FULL", "it is full"));
  first?.stop();
  leads = "second";
  await clock.advance(STORE_RETRY_MS);
  isFull = false;
  await clock.advance(STORE_RETRY_MS + STORE_HELD_MS);
  expect(said).toEqual([
    "first: chirpwatch cannot write its state and stopped polling: it is full",
    "second: chirpwatch can write its state again, and polling continues where it stopped. For 10s it could not be written: it is full",
  ]);
});

it("says what was wrong and for how long where the one that led was gone before it could", async () => {
  const clock = createVirtualClock(0);
  const said: string[] = [];
  let [isFull, leads] = [true, false];
  const watch = createStoreMonitor({
    store: {
      proveWritable: async () =>
        isFull ? Promise.reject(new StoreError("STORE_FULL", "it is full")) : undefined,
      proveUnlocked: async () => undefined,
    },
    share: { isLeading: () => leads },
    ...{ clock, log: rememberingLog(), notifyDirectly: async (text) => void said.push(text) },
    onRecovered: () => undefined,
  });
  watch.recordError(new StoreError("STORE_FULL", "it is full"));
  await clock.advance(STORE_RETRY_MS);
  [isFull, leads] = [false, true];
  await clock.advance(STORE_RETRY_MS + STORE_HELD_MS);
  expect(said).toEqual([
    "chirpwatch can write its state again, and polling continues where it stopped. For 10s it could not be written: it is full",
  ]);
});

/** A state whose small writes succeed while larger ones fail, as on a disk that is almost full. */
function comingAndGoing(error: StoreError) {
  const clock = createVirtualClock(0);
  const said: string[] = [];
  const log = rememberingLog();
  const polls = { failing: true, made: 0 };
  const poll = () => {
    polls.made += 1;
    if (polls.failing) watch.recordError(error);
  };
  const watch = createStoreMonitor({
    store: { proveWritable: async () => undefined, proveUnlocked: async () => undefined },
    share: WHOLE,
    ...{ clock, log, notifyDirectly: async (text) => void said.push(text) },
    onRecovered: poll,
  });
  return { clock, said, log, polls, poll, watch };
}

it("takes a state that comes and goes for one trouble, which is over once it has worked for a while", async () => {
  const { clock, said, log, polls, poll, watch } = comingAndGoing(
    new StoreError("STORE_FULL", "it is full"),
  );
  poll();
  await clock.advance(40_000);
  polls.failing = false;
  await clock.advance(STORE_RETRY_MS + STORE_HELD_MS);
  expect(polls.made).toBeGreaterThan(5);
  expect(said).toEqual([
    "chirpwatch cannot write its state and stopped polling: it is full",
    expect.stringMatching(
      /^chirpwatch can write its state again, .* For 4\ds it could not be written, 9 times: it is full$/,
    ),
  ]);
  expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    "error: state cannot be written, polling stopped",
    "info: state can be written again",
  ]);
  polls.failing = true;
  poll();
  watch.stop();
  expect(said).toHaveLength(3);
});

it("says that a trouble is over where it stops before the state has worked for a while", async () => {
  const { clock, said, polls, poll, watch } = comingAndGoing(
    new StoreError("STORE_FULL", "it is full"),
  );
  poll();
  polls.failing = false;
  await clock.advance(STORE_RETRY_MS);
  watch.stop();
  expect(said).toEqual([
    expect.stringMatching(/cannot write/),
    expect.stringMatching(/can write its state again/),
  ]);
});

it("logs nothing of connections that are cut and back at once, however often", async () => {
  const { clock, said, log, polls, poll } = comingAndGoing(
    new StoreError("STORE_UNREACHABLE", "it was cut"),
  );
  polls.failing = false;
  for (let cuts = 0; cuts < 20; cuts += 1) {
    polls.failing = true;
    poll();
    polls.failing = false;
    await clock.advance(1_000);
  }
  expect([said, log.lines]).toEqual([[], []]);
});
