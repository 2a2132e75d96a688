import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const transient = () => new SinkError("transient", "503 from the other side", 503);
const gone = () => new SinkError("destination", "channel_not_found", 404);
const fail = (error: SinkError) => (): never => {
  throw error;
};
const never = () => new Promise<never>(() => {});

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

  it("looks at once when woken, and by itself when something held comes due", async () => {
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
    const dueAt = (hours: number) => ({ groupKey: "team", dueAtMs: bench.clock.now() + hours * HOUR });
    const held = [dueAt(0), dueAt(1), dueAt(5)];
    for (const [index, added] of held.entries()) bench.add(String(index), added);
    await bench.newPump().start();
    await bench.clock.advance(6 * HOUR);
    expect(bench.offsets()).toEqual([0, 3600, 5 * 3600]);
  });

  it("says in one line of a summary how often an account came and went, the last to change last, and says it once", async () => {
    const bench = createBench();
    const summary = { groupKey: "summary\nfollower\n99" };
    for (const [again, subject] of ["7", "8", "7", "9", "7", "8"].entries()) bench.add(subject, { ...summary, again });
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
    bench.when("hook", () => new Promise((resolve) => void bench.clock.after(20 * SECOND, () => resolve({}))));
    for (let i = 0; i < 500; i += 1) bench.add(`slow${i}`);
    bench.add("quick", { sink: "other" });
    await bench.newPump().start();
    await bench.clock.advance(0);
    expect(bench.subjects("other")).toEqual(["quick"]);
  });
});

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
    for (const [index, wait] of waits.entries()) expect(Math.abs(wait / (schedule[index] ?? 0) - 1)).toBeLessThanOrEqual(0.1001);
    expect(new Set(own.map(({ id }) => id)).size).toBe(1);
    const delays = bench.observed.filter(({ name }) => name === "chirpwatch_delivery_delay_seconds");
    expect(delays).toHaveLength(bench.outbox.messages.length);
    expect(Math.max(...delays.map(({ value }) => value))).toBeGreaterThan(3 * 3600);
    expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    expect(bench.told).toEqual([]);
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
    // The breaker tries a sink that fails every five minutes: the last attempt is the first one after the end.
    expect((bench.offsets().at(-1) ?? 0) * SECOND - 5 * HOUR).toBeGreaterThanOrEqual(0);
    expect((bench.offsets().at(-1) ?? 0) * SECOND - 5 * HOUR).toBeLessThanOrEqual(5 * MINUTE);
    expect(bench.outbox.messages[0]).toMatchObject({ state: "dead", error: expect.stringContaining("503") });
    expect(bench.counts.get('chirpwatch_dead_letters_total{"sink":"hook"}')).toBe(1);
    expect(bench.logged.filter(({ message }) => message === "messages were given up")).toHaveLength(1);
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
    expect(bench.logged.find(({ level }) => level === "error")?.fields).toMatchObject({ sink: "hook", error: "400: invalid" });
    expect(bench.told).toEqual([]);
  });

  it("fault 41: Retry-After stills the whole sink for its time, uses up no step, and leaves others alone", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("chat", fail(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 30 * SECOND } })));
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
    bench.when("chat", () => ({}));
    await bench.clock.advance(2 * SECOND);
    expect(bench.offsets("chat")[1]).toBe(30);
    expect(bench.subjects("chat")).toEqual(["1", "1", "2", "3", "later"]);
  });

  it("fault 41: of two answers that ask for silence the longer one counts, the second time too", async () => {
    const bench = createBench();
    const limited = (afterMs: number) => fail(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs } }));
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

  it("fault 44: a global limit stills every sink of the type", async () => {
    const bench = createBench();
    for (const name of ["a", "b"]) bench.addSink(name, { type: "discord", chat: true, concurrency: 1 });
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
  it("fault 42, fault 43: stills its sink at once, tells once, keeps the backlog, and drains it in order when mended", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, retryForMs: 24 * HOUR });
    bench.when("chat", fail(gone()));
    const pump = bench.newPump();
    for (let i = 0; i < 12; i += 1) bench.add(String(i), { sink: "chat" });
    bench.add("other");
    await pump.start();
    await bench.clock.advance(59 * SECOND);
    expect([bench.subjects("chat"), bench.subjects("hook")]).toEqual([["0"], ["other"]]);
    expect(bench.told).toEqual(["failing chat: channel_not_found"]);
    await bench.clock.advance(4 * HOUR);
    expect(bench.offsets("chat").map(Math.round).slice(0, 6)).toEqual([0, 60, 360, 1260, 4860, 8460]);
    expect(bench.told).toHaveLength(1);
    bench.when("chat", () => ({}));
    await bench.clock.advance(HOUR);
    const drained = bench.subjects("chat").slice(-12);
    expect(drained).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    expect(bench.told).toEqual(["failing chat: channel_not_found", "recovered chat"]);
    expect(bench.outbox.messages.every((message) => message.state === "sent")).toBe(true);
    expect(bench.outbox.health("chat")?.breaker).toBe("closed");
  });

  it("fault 45, fault 49: four attempts under way meet it, and it is told and probed as one", async () => {
    const bench = createBench();
    bench.when("hook", async () => {
      await new Promise<void>((resolve) => void bench.clock.after(10, resolve));
      throw gone();
    });
    for (let i = 0; i < 100; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(10 * MINUTE);
    expect(bench.told).toHaveLength(1);
    expect(bench.sent.length).toBe(4 + 2);
  });

  it("is remembered over a restart without being told again, and probed at once", async () => {
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
    expect(bench.told).toHaveLength(1);
    bench.when("hook", () => ({}));
    await bench.clock.advance(HOUR);
    expect(bench.told).toEqual(["failing hook: channel_not_found", "recovered hook"]);
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
    expect(bench.counts.get('chirpwatch_deliveries_total{"sink":"chat","outcome":"dead"}')).toBe(30);
    // The one that was tried, by itself; the others together.
    const given = bench.logged.filter(({ message }) => message.startsWith("messages were given up: "));
    expect(given.map(({ fields }) => fields)).toEqual([{ sink: "chat", messages: 29 }]);
    expect(bench.counts.get("onDead{}")).toBe(2);
    bench.when("chat", () => ({}));
    await bench.clock.advance(2 * HOUR);
    expect(bench.subjects("chat").at(-1)).toBe("held");
    expect(bench.outbox.messages.filter((message) => message.state === "sent")).toHaveLength(1);
  });
});

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

  it("fault 57: on a stop, attempts under way finish within the grace and are recorded; the rest stays", async () => {
    const bench = createBench();
    bench.when("hook", () => new Promise((resolve) => void bench.clock.after(3 * SECOND, () => resolve({}))));
    for (let i = 0; i < 10; i += 1) bench.add(String(i));
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    let stopped = false;
    const stopping = pump.stop(8 * SECOND).then(() => {
      stopped = true;
    });
    await bench.clock.advance(2 * SECOND);
    await stopping;
    expect(stopped).toBe(true);
    expect(bench.sent).toHaveLength(4);
    expect(bench.outbox.messages.filter((message) => message.state === "sent")).toHaveLength(4);
    expect(bench.outbox.messages.filter((message) => message.state === "open")).toHaveLength(6);
    pump.wake();
    await bench.clock.advance(HOUR);
    expect(bench.sent).toHaveLength(4);
    expect(bench.clock.pending()).toBe(0);
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

  it("fault 61: results that come while one waits for the store in vain are stored with it", async () => {
    const bench = createBench();
    bench.outbox.failsAfterMs = 5 * SECOND;
    bench.when("hook", async ({ subjects }) => {
      bench.outbox.breakDown(true);
      await new Promise<void>((resolve) => void bench.clock.after(Number(subjects[0]) * SECOND, resolve));
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
        close: async () => {},
      },
    });
    bench.add("1", { sink: "broken" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.messages).toMatchObject([{ state: "dead" }]);
    const lines = bench.logged.filter(({ message }) => message === "a message could not be rendered");
    expect(lines.map(({ fields }) => fields)).toEqual([{ sink: "broken", events: 1, error: "a bug" }]);
  });
});
