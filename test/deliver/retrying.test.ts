/** What becomes of messages that a sink does not take, and of the others meanwhile. */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const transient = () => new SinkError("transient", "503 from the other side", 503);
const gone = () => new SinkError("destination", "channel_not_found", 404);
const fail = (error: SinkError) => (): never => {
  throw error;
};
const never = () => new Promise<never>(() => {});

describe("retrying", () => {
  it("a message that fails while others succeed is repeated on its own schedule, with one id and body, and delays nobody", async () => {
    const bench = createBench();
    bench.when("hook", ({ subjects }) => {
      if (subjects[0] === "bad") throw transient();
      return {};
    });
    bench.add("bad");
    const pump = bench.newPump();
    await pump.start();
    let stepS = 20;
    for (let second = 0; second < 6 * 3600; second += stepS) {
      // Five failures in a row would be the sink's own.
      if (second === 600) stepS = 120;
      if (second === 3 * 3600) bench.when("hook", () => ({}));
      bench.add(`good ${second}`);
      pump.wake();
      await bench.clock.advance(0);
      expect(bench.subjects().at(-1)).toBe(`good ${second}`);
      await bench.clock.advance(stepS * SECOND);
    }
    const own = bench.sent.filter(({ subjects }) => subjects[0] === "bad");
    const waits = own.slice(1).map(({ atMs }, index) => (atMs - (own[index]?.atMs ?? 0)) / SECOND);
    const schedule = [1, 2, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 7200];
    expect(waits.length).toBe(schedule.length);
    for (const [index, wait] of waits.entries())
      expect(Math.abs(wait / (schedule[index] ?? 0) - 1)).toBeLessThanOrEqual(0.1001);
    expect(new Set(own.map(({ id }) => id)).size).toBe(1);
    const delays = bench.observed.filter(
      ({ name }) => name === "chirpwatch_delivery_delay_seconds",
    );
    expect(delays).toHaveLength(bench.outbox.messages.length);
    expect(Math.max(...delays.map(({ value }) => value))).toBeGreaterThan(3 * 3600);
    expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    expect(bench.opsAlerts).toEqual([]);
  });

  it("gives up at the end of retry_for, counted from the first attempt, and says so", async () => {
    const bench = createBench();
    bench.addSink("hook", { retryForMs: 5 * HOUR });
    bench.when("hook", fail(transient()));
    bench.add("1", { dueAtMs: bench.clock.now() + 3 * HOUR });
    await bench.newPump().start();
    await bench.clock.advance(7 * HOUR);
    expect(bench.outbox.messages[0]?.state).toBe("open");
    await bench.clock.advance(2 * HOUR);
    // The breaker tries a sink that fails every five minutes: the last attempt is the first one
    // after the end.
    expect((bench.offsets().at(-1) ?? 0) * SECOND - 5 * HOUR).toBeGreaterThanOrEqual(0);
    expect((bench.offsets().at(-1) ?? 0) * SECOND - 5 * HOUR).toBeLessThanOrEqual(5 * MINUTE);
    expect(bench.outbox.messages[0]).toMatchObject({
      state: "dead",
      error: expect.stringContaining("503"),
    });
    expect(bench.counts.get('chirpwatch_dead_letters_total{"sink":"hook"}')).toBe(1);
    expect(bench.logged.filter(({ message }) => message === "messages were given up")).toHaveLength(
      1,
    );
  });

  it("a message the sink will never take is a dead letter at once, counted and logged, and does not stop the next", async () => {
    const bench = createBench();
    bench.when("hook", (one) => {
      if (one.subjects[0] === "bad") throw new SinkError("message", "400: invalid", 400);
      return { ref: "r1" };
    });
    bench.add("bad", { groupKey: "team" });
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(5);
    bench.add("good", { groupKey: "team" });
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.outbox.messages.map(({ state, ref }) => [state, ref])).toEqual([
      ["dead", null],
      ["sent", "r1"],
    ]);
    expect(bench.counts.get('chirpwatch_dead_letters_total{"sink":"hook"}')).toBe(1);
    expect(bench.counts.get('chirpwatch_sink_errors_total{"sink":"hook","class":"message"}')).toBe(
      1,
    );
    expect(bench.counts.get("onDead{}")).toBe(1);
    expect(bench.logged.find(({ level }) => level === "error")?.fields).toMatchObject({
      sink: "hook",
      error: "400: invalid",
    });
    expect(bench.opsAlerts).toEqual([]);
  });

  it("fault 41: Retry-After stills the whole sink for its time, uses up no step, and leaves others alone", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when(
      "chat",
      fail(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 30 * SECOND } })),
    );
    for (const subject of ["1", "2", "3"]) bench.add(subject, { sink: "chat" });
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(29 * SECOND);
    bench.add("later", { sink: "chat" });
    bench.add("other");
    pump.wake();
    await bench.clock.advance(500);
    expect(bench.subjects("chat")).toEqual(["1"]);
    expect(bench.subjects("hook")).toEqual(["other"]);
    expect(bench.outbox.messages[0]?.attempts).toBe(0);
    expect(pump.pauses()).toEqual(new Map([["chat", bench.clock.now() + 500]]));
    bench.when("chat", () => ({}));
    await bench.clock.advance(2 * SECOND);
    expect(bench.offsets("chat")[1]).toBe(30);
    expect(pump.pauses()).toEqual(new Map());
    expect(
      bench.counts.get('chirpwatch_sink_errors_total{"sink":"chat","class":"rate_limited"}'),
    ).toBe(1);
    expect([...bench.counts.keys()].filter((key) => key.includes("sink_errors"))).toHaveLength(1);
    expect(bench.subjects("chat")).toEqual(["1", "1", "2", "3", "later"]);
  });

  it("fault 41: of two answers that ask for silence the longer one counts, the second time too", async () => {
    const bench = createBench();
    const limited = (afterMs: number) =>
      fail(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs } }));
    bench.when("hook", async ({ subjects }) => {
      if (subjects[0] === "1") return limited(30 * SECOND)();
      await new Promise<void>((resolve) => void bench.clock.after(100, resolve));
      return limited(SECOND)();
    });
    for (const subject of ["1", "2"]) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(29 * SECOND);
    expect(bench.sent).toHaveLength(2);
    await bench.clock.advance(30 * SECOND);
    expect(bench.sent).toHaveLength(4);
  });

  it("fault 41: a sink that failed in another way before is left alone all the same, and goes on at the very millisecond", async () => {
    const bench = createBench();
    bench.when("hook", fail(transient()));
    bench.add("1");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(0);
    bench.when(
      "hook",
      fail(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 30_250 } })),
    );
    await bench.clock.advance(2 * SECOND);
    bench.when("hook", () => ({}));
    bench.add("2");
    pump.wake();
    await bench.clock.advance(40 * SECOND);
    const [, limitedAt = 0, ...later] = bench.offsets();
    expect(later.map((at) => Math.round((at - limitedAt) * SECOND))).toEqual([30_250, 30_250]);
  });

  it("fault 44: a global limit stills every sink of the type", async () => {
    const bench = createBench();
    for (const name of ["a", "b"])
      bench.addSink(name, { type: "discord", chat: true, concurrency: 1 });
    const globally = { retry: { afterMs: 10 * SECOND }, fields: { global: true } };
    bench.when("a", fail(new SinkError("rate_limited", "global", 429, globally)));
    const pump = bench.newPump();
    bench.add("1", { sink: "a" });
    await pump.start();
    await bench.clock.advance(SECOND);
    bench.add("2", { sink: "b" });
    bench.add("3");
    pump.wake();
    await bench.clock.advance(SECOND);
    expect([bench.subjects("b"), bench.subjects("hook")]).toEqual([[], ["3"]]);
    bench.when("a", () => ({}));
    await bench.clock.advance(10 * SECOND);
    expect(bench.subjects("b")).toEqual(["2"]);
  });

  it("an attempt that never ends is cut after two minutes", async () => {
    const bench = createBench();
    bench.when("hook", never);
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(2 * MINUTE + 2 * SECOND);
    expect(bench.sent.length).toBe(2);
    expect(bench.sent[0]?.signal.aborted).toBe(true);
  });
});

describe("a dead destination", () => {
  it("keeps what it should give up while the state fails, says so in the log, and gives it up at the next failure", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, retryForMs: 4 * HOUR });
    bench.when("chat", fail(gone()));
    for (const subject of ["1", "2", "3", "4"]) bench.add(subject, { sink: "chat" });
    const read = bench.outbox.dueWork;
    let isFailing = true;
    bench.outbox.dueWork = (query) =>
      isFailing && query.limit > 100 ? Promise.reject(new Error("the disk is full")) : read(query);
    await bench.newPump().start();
    await bench.clock.advance(5 * HOUR);
    const dead = () => bench.outbox.messages.filter(({ state }) => state === "dead");
    expect(dead()).toHaveLength(1);
    const lines = bench.logged.filter(
      ({ message }) => message === "messages past retry_for could not be given up",
    );
    expect(lines[0]?.fields).toEqual({ sink: "chat", error: new Error("the disk is full") });
    isFailing = false;
    // All but the one that is tried at that moment.
    await bench.clock.advance(HOUR);
    expect(dead()).toHaveLength(3);
  });

  it("fault 42, fault 43: stills its sink at once, alerts once, keeps the backlog, and drains it in order when mended", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, retryForMs: 24 * HOUR });
    bench.when("chat", fail(gone()));
    const pump = bench.newPump();
    for (let i = 0; i < 12; i += 1) bench.add(String(i), { sink: "chat" });
    bench.add("other");
    await pump.start();
    await bench.clock.advance(59 * SECOND);
    expect([bench.subjects("chat"), bench.subjects("hook")]).toEqual([["0"], ["other"]]);
    expect(bench.opsAlerts).toEqual(["failing chat: channel_not_found"]);
    await bench.clock.advance(4 * HOUR);
    expect(bench.offsets("chat").map(Math.round).slice(0, 6)).toEqual([
      0, 60, 360, 1260, 4860, 8460,
    ]);
    expect(bench.opsAlerts).toHaveLength(1);
    bench.when("chat", () => ({}));
    await bench.clock.advance(HOUR);
    const drained = bench.subjects("chat").slice(-12);
    expect(drained).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    expect(bench.opsAlerts).toEqual(["failing chat: channel_not_found", "recovered chat"]);
    expect(bench.outbox.messages.every((message) => message.state === "sent")).toBe(true);
    expect(bench.outbox.health("chat")?.breaker).toBe("closed");
  });

  it("fault 45, fault 49: four attempts under way meet it, and it is reported and probed as one", async () => {
    const bench = createBench();
    bench.when("hook", async () => {
      await new Promise<void>((resolve) => void bench.clock.after(10, resolve));
      throw gone();
    });
    for (let i = 0; i < 100; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(10 * MINUTE);
    expect(bench.opsAlerts).toHaveLength(1);
    expect(bench.sent.length).toBe(4 + 2);
  });

  it("is remembered over a restart without a second alert, and probed at once", async () => {
    const bench = createBench();
    bench.when("hook", fail(gone()));
    bench.add("1");
    const first = bench.newPump();
    await first.start();
    await bench.clock.advance(20 * MINUTE);
    await first.stop(0);
    const before = bench.sent.length;
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.length).toBe(before + 1);
    expect(bench.opsAlerts).toHaveLength(1);
    bench.when("hook", () => ({}));
    await bench.clock.advance(HOUR);
    expect(bench.opsAlerts).toEqual(["failing hook: channel_not_found", "recovered hook"]);
  });

  it("fault 55: what has been due behind it for longer than retry_for goes to the dead letters, counted; what was held does not", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, retryForMs: 4 * HOUR });
    bench.when("chat", fail(gone()));
    for (let i = 0; i < 30; i += 1) bench.add(String(i), { sink: "chat" });
    bench.add("held", { sink: "chat", dueAtMs: bench.clock.now() + 3 * HOUR });
    await bench.newPump().start();
    await bench.clock.advance(6 * HOUR);
    const dead = bench.outbox.messages.filter((message) => message.state === "dead");
    expect(dead).toHaveLength(30);
    expect(bench.counts.get('chirpwatch_dead_letters_total{"sink":"chat"}')).toBe(30);
    expect(bench.counts.get('chirpwatch_deliveries_total{"sink":"chat","outcome":"dead"}')).toBe(
      30,
    );
    // The one that was tried, by itself; the others together.
    const given = bench.logged.filter(({ message }) =>
      message.startsWith("messages were given up: "),
    );
    expect(given.map(({ fields }) => fields)).toEqual([{ sink: "chat", messages: 29 }]);
    expect(bench.counts.get("onDead{}")).toBe(2);
    bench.when("chat", () => ({}));
    await bench.clock.advance(2 * HOUR);
    expect(bench.subjects("chat").at(-1)).toBe("held");
    expect(bench.outbox.messages.filter((message) => message.state === "sent")).toHaveLength(1);
  });
});
