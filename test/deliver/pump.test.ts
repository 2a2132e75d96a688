/** What the pump sends, when, and in which order. */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const transient = () => new SinkError("transient", "503 from the other side", 503);
const fail = (error: SinkError) => (): never => {
  throw error;
};

describe("sending", () => {
  it("delivers what is due and records it within 10 ms", async () => {
    const bench = createBench();
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(0);
    expect(bench.subjects()).toEqual(["1"]);
    await bench.clock.advance(10);
    expect(bench.outbox.messages[0]).toMatchObject({ state: "sent", attempts: 1 });
    expect(bench.outbox.messages[0]?.id.length).toBeLessThanOrEqual(25);
  });

  it("reads the outbox at once when woken, and by itself when something held comes due", async () => {
    const bench = createBench();
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    bench.add("held", { dueAtMs: bench.clock.now() + 5_000 });
    bench.add("now");
    pump.wake();
    await bench.clock.advance(4_999);
    expect(bench.subjects()).toEqual(["now"]);
    await bench.clock.advance(1);
    expect(bench.subjects()).toEqual(["now", "held"]);
  });

  it("reads nothing before it is started: what is known of its sinks comes first", async () => {
    const bench = createBench();
    bench.add("1");
    const pump = bench.newPump();
    pump.wake();
    await bench.clock.advance(MINUTE);
    expect(bench.sent).toEqual([]);
    await pump.start();
    await bench.clock.advance(0);
    expect(bench.subjects()).toEqual(["1"]);
  });

  it("puts the events of one group into one message", async () => {
    const bench = createBench();
    for (const subject of ["1", "2", "3"]) bench.add(subject, { groupKey: "team" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.map((one) => one.subjects)).toEqual([["1", "2", "3"]]);
  });

  it("sends the oldest first, whether it is alone or in a group", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.add("1", { sink: "chat" });
    for (const subject of ["2", "3"]) bench.add(subject, { sink: "chat", groupKey: "team" });
    bench.add("4", { sink: "chat" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.subjects("chat")).toEqual(["1", "2", "3", "4"]);
  });

  it("sends what is held in a group when its own time has come, one after the other", async () => {
    const bench = createBench();
    const dueAt = (hours: number) => ({
      groupKey: "team",
      dueAtMs: bench.clock.now() + hours * HOUR,
    });
    const held = [dueAt(0), dueAt(1), dueAt(5)];
    for (const [index, added] of held.entries()) bench.add(String(index), added);
    await bench.newPump().start();
    await bench.clock.advance(6 * HOUR);
    expect(bench.offsets()).toEqual([0, 3600, 5 * 3600]);
  });

  it("says in one line of a summary how often an account came and went, the last to change last, and says it once", async () => {
    const bench = createBench();
    const summary = { groupKey: "summary\nfollower\n99" };
    for (const [again, subject] of ["7", "8", "7", "9", "7", "8"].entries())
      bench.add(subject, { ...summary, again });
    await bench.newPump().start();
    await bench.clock.advance(HOUR);
    expect(bench.sent.map(({ subjects }) => subjects)).toEqual([["9", "7", "8"]]);
    expect(bench.outbox.deliveryStates).not.toContain("waiting");
  });

  it("keeps order within a group: the next message waits until the one before is done", async () => {
    const bench = createBench();
    const pump = bench.newPump();
    bench.when("hook", fail(transient()));
    bench.add("1", { groupKey: "team" });
    await pump.start();
    await bench.clock.advance(100);
    bench.add("2", { groupKey: "team" });
    bench.add("other");
    pump.wake();
    await bench.clock.advance(100);
    expect(bench.subjects()).toEqual(["1", "other"]);
    bench.when("hook", () => ({}));
    await bench.clock.advance(2 * SECOND);
    expect(bench.subjects().lastIndexOf("1")).toBeLessThan(bench.subjects().indexOf("2"));
  });

  it("has as many attempts under way as the sink allows, and no more", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    let underWay = 0;
    let most = 0;
    const slow = (sink: string) =>
      bench.when(sink, async () => {
        most = Math.max(most, ++underWay);
        await new Promise<void>((resolve) => void bench.clock.after(50, resolve));
        underWay -= 1;
        return {};
      });
    slow("hook");
    for (let i = 0; i < 40; i += 1) bench.add(`h${i}`);
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(5 * SECOND);
    expect([most, bench.subjects().length]).toEqual([4, 40]);
    most = 0;
    slow("chat");
    for (let i = 0; i < 40; i += 1) bench.add(`c${i}`, { sink: "chat" });
    pump.wake();
    await bench.clock.advance(5 * SECOND);
    expect([most, bench.subjects("chat").length]).toEqual([1, 40]);
    expect(bench.subjects("chat")).toEqual(Array.from({ length: 40 }, (_, i) => `c${i}`));
  });

  it.each([
    ["a chat", { chat: true, concurrency: 2 }],
    ["a sink that takes one message at a time", { chat: false, concurrency: 1 }],
  ])(
    "has few messages of %s in hand: what comes while they go out still joins its group",
    async (_, facts) => {
      const bench = createBench();
      bench.addSink("slow", facts);
      bench.when(
        "slow",
        () => new Promise((resolve) => void bench.clock.after(SECOND, () => resolve({}))),
      );
      for (let i = 0; i < 20; i += 1) bench.add(String(i), { sink: "slow" });
      bench.add("first of the team", { sink: "slow", groupKey: "team" });
      const pump = bench.newPump();
      await pump.start();
      await bench.clock.advance(SECOND);
      bench.add("second of the team", { sink: "slow", groupKey: "team" });
      pump.wake();
      await bench.clock.advance(MINUTE);
      expect(bench.sent.at(-1)?.subjects).toEqual(["first of the team", "second of the team"]);
    },
  );

  it("does not read the outbox for every message that is done, and has no more than 400 in hand", async () => {
    const bench = createBench();
    bench.when(
      "hook",
      () => new Promise((resolve) => void bench.clock.after(10, () => resolve({}))),
    );
    for (let i = 0; i < 1_500; i += 1) bench.add(String(i));
    await bench.newPump().start();
    for (let i = 0; i < 80; i += 1) {
      await bench.clock.advance(50);
      expect(
        bench.outbox.messages.filter(({ state }) => state === "open").length,
      ).toBeLessThanOrEqual(400);
    }
    expect(bench.subjects()).toHaveLength(1_500);
    expect(bench.outbox.reads).toBeLessThan(250);
  });

  it("delivers thousands of events, each once", async () => {
    const bench = createBench();
    for (let i = 0; i < 1_500; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(5 * SECOND);
    expect(bench.subjects().length).toBe(1_500);
    expect(new Set(bench.subjects()).size).toBe(1_500);
  });

  it("fault 52: a sink that takes 20 s to answer does not delay another", async () => {
    const bench = createBench();
    bench.addSink("other");
    bench.when(
      "hook",
      () => new Promise((resolve) => void bench.clock.after(20 * SECOND, () => resolve({}))),
    );
    for (let i = 0; i < 500; i += 1) bench.add(`slow${i}`);
    bench.add("quick", { sink: "other" });
    await bench.newPump().start();
    await bench.clock.advance(0);
    expect(bench.subjects("other")).toEqual(["quick"]);
  });
});
