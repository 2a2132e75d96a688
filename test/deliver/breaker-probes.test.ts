/** Attempts that end while the breaker is open, and a state that cannot take what it says. */
import { describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { SinkError } from "../../src/model/sink.ts";
import { closedBreaker, setBack } from "../../src/deliver/queue/sink-queue.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const down = () => new SinkError("transient", "503 from the other side", 503);
const gone = () => new SinkError("destination", "channel_not_found");
type Bench = ReturnType<typeof createBench>;

/** Five that fail at once, and one that ends four seconds later. */
async function startWithLateOne(bench: Bench, late: () => Error): Promise<void> {
  bench.addSink("hook", { concurrency: 6 });
  bench.when("hook", async ({ subjects }) => {
    if (subjects[0] !== "late") throw down();
    await sleep(bench.clock, 4 * SECOND);
    throw late();
  });
  for (const subject of ["late", "1", "2", "3", "4", "5"]) bench.add(subject);
  await bench.newPump().start();
}

describe("an attempt that was under way when the breaker opened", () => {
  it("does not put off the next probe", async () => {
    const bench = createBench();
    await startWithLateOne(bench, down);
    await bench.clock.advance(7 * SECOND);
    expect(bench.offsets()).toEqual([0, 0, 0, 0, 0, 0, 5]);
  });

  it("says nothing new of the sink, whatever it ends with", async () => {
    const bench = createBench();
    await startWithLateOne(bench, gone);
    await bench.clock.advance(4.5 * SECOND);
    expect(bench.outbox.health("hook")).toMatchObject({ breaker: "open", cause: "transient" });
    expect(bench.opsAlerts).toEqual([]);
  });
});

describe("another group's first attempt ahead of the next probe", () => {
  const startWithBadOne = async (bench: Bench, other: () => Error) => {
    bench.when("hook", ({ subjects }) => {
      throw subjects[0] === "bad" ? down() : other();
    });
    bench.add("bad");
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(90 * SECOND);
    expect(bench.outbox.health("hook")).toMatchObject({ breaker: "open", cause: "transient" });
    const probes = bench.sent.length;
    bench.add("other");
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.sent.slice(probes).map(({ subjects }) => subjects)).toEqual([["other"]]);
  };

  it("does not put it off when it fails in the same way", async () => {
    const alone = createBench();
    await startWithBadOne(alone, down);
    const before = alone.sent.filter(({ subjects }) => subjects[0] === "bad").length;
    await alone.clock.advance(2 * MINUTE);
    const times = alone.offsets();
    const probes = alone.sent.flatMap(({ subjects }, index) =>
      subjects[0] === "bad" ? [times[index] ?? 0] : [],
    );
    expect(probes.length).toBeGreaterThan(before);
    // As if nothing else had come.
    const bench = createBench();
    bench.when("hook", () => {
      throw down();
    });
    bench.add("bad");
    await bench.newPump().start();
    await bench.clock.advance(MINUTE * 3.5);
    expect(times.filter((at) => at > 91)[0]).toBe(bench.offsets().filter((at) => at > 91)[0]);
  });

  it("that finds the destination gone says so at once", async () => {
    const bench = createBench();
    await startWithBadOne(bench, gone);
    expect(bench.outbox.health("hook")).toMatchObject({
      breaker: "open",
      cause: "destination",
      reason: "channel_not_found",
    });
    expect(bench.opsAlerts).toEqual(["failing hook: channel_not_found"]);
  });
});

describe("what closes a breaker", () => {
  const startWithOpen = async (bench: Bench) => {
    const { outbox, newPump, clock } = bench;
    bench.when("hook", ({ subjects }) => {
      if (subjects[0] === "refused") throw new SinkError("message", "400: invalid", 400);
      throw down();
    });
    bench.add("bad");
    const pump = newPump();
    await pump.start();
    await clock.advance(90 * SECOND);
    expect(outbox.health("hook")?.breaker).toBe("open");
    return pump;
  };

  it("is any answer about a message: one that refuses it, too", async () => {
    const bench = createBench();
    const pump = await startWithOpen(bench);
    bench.add("refused");
    pump.wake();
    await bench.clock.advance(100);
    expect(bench.outbox.health("hook")?.breaker).toBe("closed");
  });

  it("is no message that could not be rendered: the sink was not asked", async () => {
    const bench = createBench();
    const { sink } = bench.sinkNamed("hook");
    bench.addSink("hook", {
      sink: {
        ...sink,
        render: (batch) => {
          if (batch.events.some(({ event }) => event.subject === "unreadable"))
            throw new Error("a bug");
          return sink.render(batch);
        },
      },
    });
    const pump = await startWithOpen(bench);
    bench.add("unreadable");
    pump.wake();
    await bench.clock.advance(100);
    expect(bench.outbox.messages.map(({ state }) => state)).toEqual(["open", "dead"]);
    expect(bench.outbox.health("hook")?.breaker).toBe("open");
  });
});

describe("an operator who asks for a probe", () => {
  it("has every breaker that is open tried at once, and is not alerted again when it fails", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    for (const sink of ["hook", "chat"]) {
      bench.when(sink, () => {
        throw gone();
      });
      bench.add("1", { sink });
    }
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(10 * MINUTE);
    expect([bench.offsets("hook"), bench.offsets("chat")]).toEqual([
      [0, 60, 360],
      [0, 60, 360],
    ]);
    bench.when("chat", () => ({}));
    await pump.probe();
    await bench.clock.advance(SECOND);
    expect([bench.offsets("hook").slice(3), bench.offsets("chat").slice(3)]).toEqual([
      [600],
      [600],
    ]);
    expect(bench.outbox.health("hook")).toMatchObject({
      breaker: "open",
      cause: "destination",
      reason: "channel_not_found",
    });
    expect(bench.outbox.health("chat")).toMatchObject({ breaker: "closed" });
    expect(bench.opsAlerts).toEqual([
      "failing hook: channel_not_found",
      "failing chat: channel_not_found",
      "recovered chat",
    ]);
  });
});

describe("a clock that is set back", () => {
  it("puts off no probe of an open breaker and no report about it, and the report says since when by the new clock", async () => {
    const bench = createBench();
    const startMs = bench.clock.now();
    const startedAt = bench.clock.monotonic();
    const attempts: number[] = [];
    bench.when("hook", () => {
      attempts.push((bench.clock.monotonic() - startedAt) / SECOND);
      throw down();
    });
    for (let i = 0; i < 5; i += 1) bench.add(String(i));
    const pump = bench.newPump();
    await pump.start();
    const setBackByAnHour = async () => {
      bench.clock.jump(-HOUR);
      await bench.outbox.setTimesBack(HOUR);
      pump.setTimesBack(HOUR);
      pump.wake();
    };
    await bench.clock.advance(10 * SECOND);
    await setBackByAnHour();
    await bench.clock.advance(109 * SECOND);
    expect(attempts).toEqual([0, 0, 0, 0, 0, 5, 20, 50, 110]);
    expect(bench.troubles).toEqual([]);
    await bench.clock.advance(SECOND);
    expect(bench.troubles).toMatchObject([{ sinceMs: startMs - HOUR }]);
    bench.when("hook", () => ({}));
    await bench.clock.advance(3 * MINUTE);
    await setBackByAnHour();
    bench.when("hook", () => {
      throw down();
    });
    for (let i = 5; i < 10; i += 1) bench.add(String(i));
    pump.wake();
    // Two reports are a quarter of an hour apart.
    await bench.clock.advance(11 * MINUTE);
    expect(bench.troubles).toHaveLength(1);
    await bench.clock.advance(2 * MINUTE);
    expect(bench.troubles).toHaveLength(2);
  });

  it("gives no sink a time at which something happened that never did", () => {
    const health = closedBreaker("hook");
    expect(setBack(health, HOUR)).toEqual(health);
  });
});

describe("the report of a sink that fails", () => {
  it("says since when, why, what to do, and how long its messages are kept: of a dead destination at once, of trouble that may pass after two minutes", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, retryForMs: 24 * 60 * MINUTE });
    const startMs = bench.clock.now();
    bench.when("hook", () => {
      throw down();
    });
    bench.when("chat", () => {
      throw new SinkError("destination", "channel_not_found", undefined, {
        hint: "invite the bot",
      });
    });
    for (let i = 0; i < 6; i += 1)
      for (const sink of ["hook", "chat"]) bench.add(String(i), { sink });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    const chat = {
      sink: "chat",
      reason: "channel_not_found",
      hint: "invite the bot",
      sinceMs: startMs,
      retryForMs: 24 * 60 * MINUTE,
    };
    expect(bench.troubles).toEqual([chat]);
    await bench.clock.advance(2 * MINUTE - 2 * SECOND);
    expect(bench.troubles).toHaveLength(1);
    await bench.clock.advance(SECOND);
    const hook = {
      sink: "hook",
      reason: "503 from the other side",
      hint: "If this continues, look for the cause at the receiver.",
      sinceMs: startMs,
      retryForMs: 76 * 60 * MINUTE,
    };
    expect(bench.troubles).toEqual([chat, hook]);
  });

  it("is made once, although the state cannot take that it was made, and the log says so", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw down();
    });
    for (let i = 0; i < 6; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(2 * MINUTE - SECOND);
    bench.outbox.breakDown(true);
    await bench.clock.advance(5 * MINUTE);
    bench.outbox.breakDown(false);
    await bench.clock.advance(20 * MINUTE);
    expect(bench.opsAlerts).toEqual(["failing hook: 503 from the other side"]);
    const lines = bench.logged.filter(
      ({ message }) => message === "the report about a sink could not be stored",
    );
    expect(lines.map(({ fields }) => fields)).toEqual([
      { sink: "hook", error: new Error("the disk is full") },
    ]);
  });
});

describe("a breaker", () => {
  it("that was open before a restart stays open for the wait of its cause when the first probe fails", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw down();
    });
    bench.add("1");
    const first = bench.newPump();
    await first.start();
    await bench.clock.advance(10 * MINUTE);
    await first.stop(0);
    const before = bench.sent.length;
    await bench.newPump().start();
    await bench.clock.advance(4 * MINUTE);
    expect(bench.sent.length - before).toBe(1);
  });

  it("is shown as open and closed by the metric of its sink, over a restart too, and logged with what the sink said", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("hook", () => {
      throw down();
    });
    for (let i = 0; i < 6; i += 1)
      for (const sink of ["hook", "chat"]) bench.add(String(i), { sink });
    const first = bench.newPump();
    await first.start();
    const gauge = (sink: string) => bench.gauges.get(`chirpwatch_breaker_open{"sink":"${sink}"}`);
    expect([gauge("hook"), gauge("chat")]).toEqual([0, 0]);
    await bench.clock.advance(SECOND);
    expect([gauge("hook"), gauge("chat")]).toEqual([1, 0]);
    await first.stop(0);
    await bench.newPump().start();
    expect([gauge("hook"), gauge("chat")]).toEqual([1, 0]);
    bench.when("hook", () => ({}));
    await bench.clock.advance(MINUTE);
    expect([gauge("hook"), gauge("chat")]).toEqual([0, 0]);
    const fields = (text: string) =>
      bench.logged.flatMap(({ message, fields: own }) => (message === text ? [own] : []));
    expect(fields("a sink takes no messages")).toEqual([
      { sink: "hook", error: "503 from the other side", hint: expect.any(String), failures: 5 },
    ]);
    expect(fields("a sink takes messages again")).toEqual([{ sink: "hook" }]);
  });

  it("that the state cannot take works all the same, and the log says that it is not stored", async () => {
    const bench = createBench();
    let attempts = 0;
    bench.when("hook", () => {
      attempts += 1;
      if (attempts === 5) bench.outbox.breakDown(true);
      throw down();
    });
    for (let i = 0; i < 6; i += 1) bench.add(String(i));
    await bench.newPump().start();
    await bench.clock.advance(2 * SECOND);
    const notStored = { sink: "hook", error: new Error("the disk is full") };
    expect(
      bench.logged.filter(({ message }) => message === "the state of a sink could not be stored"),
    ).toMatchObject([{ fields: notStored }]);
    bench.outbox.breakDown(false);
    bench.when("hook", () => ({}));
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.messages.map(({ state }) => state)).toEqual(
      Array.from({ length: 6 }, () => "sent"),
    );
  });
});
