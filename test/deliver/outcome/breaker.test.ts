/**
 * The breaker of a sink that fails: when it opens, what it lets through, when it closes, and who
 * hears of it.
 */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "../pump-bench.ts";

const failing = (): never => {
  throw new SinkError("transient", "503 from the other side", 503);
};
const failed = "failing hook: 503 from the other side";
type Bench = ReturnType<typeof createBench>;
const linesOf = ({ logged }: Bench, message: string) =>
  logged.filter((line) => line.message === message);
const retries = (bench: Bench) => linesOf(bench, "deliveries failed and will be retried");

describe("a sink that fails for everything", () => {
  it("fault 48: opens after five failures in a row, whatever waits, and probes after 5, 15, 30 s, 1, 2 and then every 5 min", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("chat", failing);
    for (let i = 0; i < 1_000; i += 1) bench.add(String(i), { sink: "chat" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.offsets("chat")).toEqual([0, 0, 0, 0, 0, 5, 20, 50]);
    expect(bench.outbox.health("chat")).toMatchObject({
      breaker: "open",
      cause: "transient",
      reason: "503 from the other side",
    });
    expect(linesOf(bench, "a sink takes no messages")).toHaveLength(1);
    expect(bench.logged.length).toBeLessThanOrEqual(4);
    await bench.clock.advance(3 * HOUR);
    const waits = bench.offsets("chat").map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(waits.slice(8, 12)).toEqual([60, 120, 300, 300]);
    bench.when("chat", () => ({}));
    await bench.clock.advance(6 * MINUTE);
    expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    expect(bench.outbox.health("chat")).toMatchObject({ breaker: "closed" });
    expect(new Set(bench.sent.map(({ id }) => id)).size).toBe(1_000);
    expect(bench.outbox.messages.every(({ attempts }) => attempts <= 5)).toBe(true);
  });

  it("attempts under way when it opens change nothing", async () => {
    const bench = createBench();
    bench.when("hook", async () => {
      await new Promise<void>((resolve) => void bench.clock.after(100, resolve));
      return failing();
    });
    for (let i = 0; i < 1_000; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(4 * SECOND);
    expect(bench.sent.length).toBe(8);
    await bench.clock.advance(56 * SECOND);
    expect(bench.sent.length).toBe(11);
  });

  it("probes with another group's message each time", async () => {
    const bench = createBench();
    bench.when("hook", failing);
    for (let i = 0; i < 12; i += 1) bench.add(String(i), { groupKey: `group ${i}` });
    await bench.newPump().start();
    await bench.clock.advance(HOUR);
    const first = bench.sent.slice(0, 12).flatMap(({ subjects }) => subjects);
    expect(new Set(first).size).toBe(12);
    expect(new Set(bench.sent.slice(12, 20).flatMap(({ subjects }) => subjects)).size).toBe(
      bench.sent.slice(12, 20).length,
    );
  });

  it("closes on the first success, and what waited goes out in order", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("chat", failing);
    for (let i = 0; i < 20; i += 1) bench.add(String(i), { sink: "chat", groupKey: "team" });
    await bench.newPump().start();
    await bench.clock.advance(30 * MINUTE);
    bench.when("chat", () => ({}));
    for (let i = 20; i < 40; i += 1) bench.add(String(i), { sink: "chat", groupKey: "team" });
    await bench.clock.advance(10 * MINUTE);
    const taken = bench.sent
      .filter(({ atMs }) => atMs > bench.clock.now() - 10 * MINUTE)
      .flatMap(({ subjects }) => subjects);
    expect(taken).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
  });

  it("is probed at once after a restart or a reload", async () => {
    const bench = createBench();
    bench.when("hook", failing);
    for (let i = 0; i < 20; i += 1) bench.add(String(i));
    const first = bench.newPump();
    await first.start();
    await bench.clock.advance(HOUR);
    await first.stop(0);
    bench.when("hook", () => ({}));
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    expect(bench.opsAlerts).toEqual([failed, "recovered hook"]);
  });

  it("is probed in its second outage as in its first, over a restart too", async () => {
    const bench = createBench();
    const outage = async (from: number) => {
      bench.when("hook", failing);
      for (let i = from; i < from + 5; i += 1) bench.add(String(i));
      first.wake();
      await bench.clock.advance(30 * SECOND);
      const failedAt = bench.sent
        .filter(({ atMs }) => atMs >= bench.clock.now() - 30 * SECOND)
        .map(({ atMs }) => atMs);
      return failedAt.map((atMs) => Math.round((atMs - (failedAt[0] ?? 0)) / SECOND));
    };
    const first = bench.newPump();
    await first.start();
    const offsets = await outage(0);
    expect(offsets).toEqual([0, 0, 0, 0, 0, 5, 20]);
    bench.when("hook", () => ({}));
    await bench.clock.advance(5 * HOUR);
    expect(await outage(5)).toEqual(offsets);
    await first.stop(0);
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    // The outage is half a minute old: five groups may try at the start, the next probe follows
    // after half a minute.
    const restartMs = bench.clock.now() - MINUTE;
    const tried = bench.sent
      .filter(({ atMs }) => atMs > restartMs - SECOND)
      .map(({ atMs }) => Math.round((atMs - restartMs) / SECOND));
    expect(tried).toEqual([0, 0, 0, 0, 0, 30]);
  });

  it("uses up no step of a message's own schedule", async () => {
    const bench = createBench();
    let isOwnFault = true;
    bench.when("hook", failing);
    bench.add("1");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(3 * HOUR);
    bench.when("hook", ({ subjects }) => (subjects[0] === "1" && isOwnFault ? failing() : {}));
    bench.add("other");
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.outbox.health("hook")?.breaker).toBe("closed");
    isOwnFault = false;
    await bench.clock.advance(2 * MINUTE);
    expect(bench.outbox.messages.map(({ state }) => state)).toEqual(["sent", "sent"]);
  });

  it("logs its failures once a minute at most, with their number", async () => {
    const bench = createBench();
    bench.when("hook", ({ subjects }) => (Number(subjects[0]) % 2 === 0 ? failing() : {}));
    for (let i = 0; i < 200; i += 1) bench.add(String(i));
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(10 * MINUTE);
    expect(retries(bench).length).toBeLessThanOrEqual(11);
    expect(retries(bench).length).toBeGreaterThanOrEqual(6);
    await pump.stop(0);
    const counted = retries(bench).reduce((sum, { fields }) => sum + Number(fields["attempts"]), 0);
    const tried = bench.sent.filter(({ subjects }) => Number(subjects[0]) % 2 === 0).length;
    expect(counted).toBe(tried);
    expect(retries(bench)[0]?.fields).toMatchObject({
      sink: "hook",
      attempts: 1,
      error: "503 from the other side",
    });
  });

  it("a wait that the sink asked for is no warning and no failure for two minutes", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: SECOND } });
    });
    for (let i = 0; i < 20; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(2 * MINUTE - SECOND);
    expect(bench.logged.filter(({ level }) => level !== "info")).toEqual([]);
    expect(bench.opsAlerts).toEqual([]);
    expect(bench.outbox.health("hook")).toBeUndefined();
  });
});

describe("a fault that may be one message's", () => {
  it("a message that fails alone opens it, and another one that comes is let through at once and closes it", async () => {
    const bench = createBench();
    bench.when("hook", ({ subjects }) => (subjects[0] === "bad" ? failing() : {}));
    bench.add("bad");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(20 * MINUTE);
    expect(bench.outbox.health("hook")?.breaker).toBe("open");
    expect(bench.opsAlerts).toEqual([failed]);
    bench.add("good");
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.subjects()).toContain("good");
    expect(bench.outbox.health("hook")?.breaker).toBe("closed");
    expect(bench.opsAlerts).toEqual([failed, "recovered hook"]);
  });

  it("lets no more than five groups try before it holds everything back", async () => {
    const bench = createBench();
    bench.when("hook", failing);
    bench.add("first");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(2 * HOUR);
    const before = bench.sent.length;
    for (let i = 0; i < 100; i += 1) bench.add(String(i));
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.sent.length - before).toBe(4);
  });
});

describe("what the operator hears", () => {
  const blinking = (bench: Bench, isDown: (minute: number) => boolean) => {
    const startMs = bench.clock.now();
    bench.when("hook", () =>
      isDown(Math.floor((bench.clock.now() - startMs) / MINUTE)) ? failing() : {},
    );
    return async (minutes: number) => {
      const pump = bench.newPump();
      await pump.start();
      for (let second = 0; second < minutes * 60; second += 10) {
        bench.add(`at ${second}`);
        pump.wake();
        await bench.clock.advance(10 * SECOND);
      }
    };
  };

  it("nothing of a blip", async () => {
    const bench = createBench();
    await blinking(bench, (minute) => minute === 0)(10);
    expect(linesOf(bench, "a sink takes no messages")).toHaveLength(1);
    expect(bench.opsAlerts).toEqual([]);
  });

  it("after two minutes that it fails, and once that it works again", async () => {
    const bench = createBench();
    bench.when("hook", failing);
    for (let i = 0; i < 20; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(119 * SECOND);
    expect(bench.opsAlerts).toEqual([]);
    await bench.clock.advance(2 * SECOND);
    expect(bench.opsAlerts).toEqual([failed]);
    await bench.clock.advance(2 * HOUR);
    bench.when("hook", () => ({}));
    await bench.clock.advance(5 * MINUTE);
    expect(bench.opsAlerts).toEqual([failed, "recovered hook"]);
    // A blip is none the second time either.
    await bench.clock.advance(HOUR);
    bench.when("hook", failing);
    for (let i = 20; i < 40; i += 1) bench.add(String(i));
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.health("hook")?.breaker).toBe("open");
    bench.when("hook", () => ({}));
    await bench.clock.advance(5 * MINUTE);
    expect(bench.outbox.health("hook")?.breaker).toBe("closed");
    expect(bench.opsAlerts).toEqual([failed, "recovered hook"]);
  });

  it("one pair in a quarter of an hour, however often it comes and goes", async () => {
    const bench = createBench();
    await blinking(bench, (minute) => minute % 6 < 4)(120);
    const pairs = bench.opsAlerts.filter((text) => text === failed).length;
    expect(pairs).toBeGreaterThanOrEqual(3);
    expect(pairs).toBeLessThanOrEqual(8);
    expect(
      bench.opsAlerts.filter((text) => text === "recovered hook").length,
    ).toBeGreaterThanOrEqual(pairs - 1);
    expect(linesOf(bench, "a sink takes no messages").length).toBeGreaterThan(pairs);
  });
});
