/**
 * Stops, crashes, and a state that cannot be written: nothing is lost, and nothing new is sent
 * under another id.
 */
import { describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const never = () => new Promise<never>(() => {});

describe("stops and crashes", () => {
  it("fault 47, fault 56: sealed but unrecorded messages are sent again with the same id and body", async () => {
    const bench = createBench();
    bench.when("hook", never);
    for (let i = 0; i < 10; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(0);
    const killed = bench.sent.map(({ id, subjects }) => ({ id, subjects }));
    // The first pump is abandoned as a killed process is: it never records anything.
    bench.when("hook", () => ({}));
    const second = bench.newPump();
    await second.start();
    await bench.clock.advance(SECOND);
    const again = bench.sent.slice(killed.length).map(({ id, subjects }) => ({ id, subjects }));
    expect(killed).toHaveLength(4);
    expect(again).toEqual(expect.arrayContaining(killed));
    expect(again).toHaveLength(10);
  });

  it("what a killed process had in hand takes its places first: no more is taken from the outbox than there is room for", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("chat", never);
    for (let i = 0; i < 20; i += 1) bench.add(String(i), { sink: "chat" });
    await bench.newPump().start();
    await bench.clock.advance(0);
    expect(bench.outbox.messages).toHaveLength(8);
    await bench.newPump().start();
    await bench.clock.advance(0);
    expect(bench.outbox.messages).toHaveLength(8);
  });

  it("fault 57: on a stop, attempts under way finish within the grace and are recorded; the rest stays", async () => {
    const bench = createBench();
    bench.when(
      "hook",
      () => new Promise((resolve) => void bench.clock.after(3 * SECOND, () => resolve({}))),
    );
    for (let i = 0; i < 10; i += 1) bench.add(String(i));
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    let stopped = false;
    const { reads } = bench.outbox;
    const stopping = pump.stop(8 * SECOND).then(() => {
      stopped = true;
    });
    await bench.clock.advance(2 * SECOND);
    await stopping;
    expect(stopped).toBe(true);
    expect(bench.sent).toHaveLength(4);
    expect(bench.outbox.messages.filter((message) => message.state === "sent")).toHaveLength(4);
    expect(bench.outbox.messages.filter((message) => message.state === "open")).toHaveLength(6);
    expect(bench.clock.pending()).toBe(0);
    pump.wake();
    await bench.clock.advance(HOUR);
    expect(bench.sent).toHaveLength(4);
    expect(bench.outbox.reads).toBe(reads);
  });

  it("a stop waits for what is just being taken from the outbox, and leaves no timer", async () => {
    const bench = createBench();
    const { seal } = bench.outbox;
    let isSealed = false;
    bench.outbox.seal = async (messages) => {
      await sleep(bench.clock, SECOND);
      await seal(messages);
      isSealed = true;
    };
    bench.add("1");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(0);
    const stopped = pump.stop(8 * SECOND).then(() => isSealed);
    await bench.clock.advance(2 * SECOND);
    expect(await stopped).toBe(true);
    expect(bench.clock.pending()).toBe(0);
    expect(bench.outbox.messages).toMatchObject([{ state: "open", attempts: 0 }]);
  });

  it("a pump with nothing to do leaves no timer when it stops, asleep or in the middle of reading", async () => {
    for (const isReading of [false, true]) {
      const bench = createBench();
      const { nextDueAt } = bench.outbox;
      bench.outbox.nextDueAt = async (sinks) => {
        if (isReading) await sleep(bench.clock, SECOND);
        return nextDueAt(sinks);
      };
      const pump = bench.newPump();
      await pump.start();
      await bench.clock.advance(100);
      const stopped = pump.stop(8 * SECOND);
      await bench.clock.advance(SECOND);
      await stopped;
      expect(bench.clock.pending()).toBe(0);
    }
  });

  it("ends attempts that outlast the grace and records nothing about them", async () => {
    const bench = createBench();
    bench.when("hook", never);
    bench.add("1");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(0);
    const stopping = pump.stop(8 * SECOND);
    await bench.clock.advance(8 * SECOND);
    await stopping;
    expect(bench.sent[0]?.signal.aborted).toBe(true);
    expect(bench.outbox.messages).toMatchObject([{ state: "open", attempts: 0 }]);
  });

  it("fault 60: a store that cannot write is asked again every 5 s; nothing is lost and nothing sent twice", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      bench.outbox.breakDown(true);
      return {};
    });
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(12 * SECOND);
    expect(bench.outbox.messages[0]?.state).toBe("open");
    bench.outbox.breakDown(false);
    await bench.clock.advance(6 * SECOND);
    expect(bench.outbox.messages[0]?.state).toBe("sent");
    expect(bench.sent).toHaveLength(1);
  });

  it("fault 60: a store that cannot be read is read again every 5 s, and the log says why", async () => {
    const bench = createBench();
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    bench.add("1");
    bench.outbox.breakDown(true);
    pump.wake();
    await bench.clock.advance(12 * SECOND);
    const lines = bench.logged.filter(
      ({ message }) => message === "the outbox could not be read or written",
    );
    expect(lines.map(({ fields }) => fields)).toEqual(
      [0, 5, 10].map(() => ({ sink: "hook", error: new Error("the disk is full") })),
    );
    bench.outbox.breakDown(false);
    await bench.clock.advance(3 * SECOND);
    expect(bench.subjects()).toEqual(["1"]);
  });

  it("fault 61: results that come while one waits for the store in vain are stored with it", async () => {
    const bench = createBench();
    bench.outbox.failsAfterMs = 5 * SECOND;
    bench.when("hook", async ({ subjects }) => {
      bench.outbox.breakDown(true);
      await new Promise<void>(
        (resolve) => void bench.clock.after(Number(subjects[0]) * SECOND, resolve),
      );
      return {};
    });
    for (const subject of ["1", "3", "8"]) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    bench.outbox.breakDown(false);
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.messages.map(({ state }) => state)).toEqual(["sent", "sent", "sent"]);
    expect(bench.sent).toHaveLength(3);
  });

  it("a message that cannot be rendered is a dead letter, not a loop", async () => {
    const bench = createBench();
    bench.addSink("broken", {
      sink: {
        render: () => {
          throw new Error("a bug");
        },
        send: never,
      },
    });
    bench.add("1", { sink: "broken" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.messages).toMatchObject([{ state: "dead" }]);
    const lines = bench.logged.filter(
      ({ message }) => message === "a message could not be rendered",
    );
    expect(lines.map(({ fields }) => fields)).toEqual([
      { sink: "broken", events: 1, error: "a bug" },
    ]);
  });
});
