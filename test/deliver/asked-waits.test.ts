/** What a sink asks to wait: how long its messages do, when people hear of it, and who ends it. */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const limited = (afterMs?: number) =>
  new SinkError(
    "rate_limited",
    "the sink asks to wait",
    429,
    afterMs === undefined ? {} : { retry: { afterMs } },
  );
const YEARS = 9_999_999 * SECOND;

describe("a sink that asks to wait", () => {
  it.each([
    ["for years", YEARS],
    ["for no time", 0],
    ["for less than no time", -HOUR],
    ["without saying how long", undefined],
  ])(
    "%s gets few attempts, and its message once it takes it again, within the hour",
    async (_, afterMs) => {
      const bench = createBench();
      bench.addSink("hook", { chat: true, concurrency: 1 });
      bench.when("hook", () => {
        throw limited(afterMs);
      });
      for (let n = 0; n < 9; n += 1) bench.add(`${n}`);
      await bench.newPump().start();
      await bench.clock.advance(3 * MINUTE);
      expect(bench.sent.length).toBeLessThanOrEqual(9);
      bench.when("hook", () => ({}));
      await bench.clock.advance(HOUR);
      expect(new Set(bench.outbox.messages.map(({ state }) => state))).toEqual(new Set(["sent"]));
      expect(bench.subjects().slice(-9)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    },
  );

  it("once for each of twenty messages has them all within 40 seconds", async () => {
    const bench = createBench();
    bench.addSink("hook", { chat: true, concurrency: 1 });
    const refused = new Set<string>();
    bench.when("hook", ({ id }) => {
      if (refused.has(id)) return {};
      refused.add(id);
      throw limited(SECOND);
    });
    for (let n = 0; n < 20; n += 1) bench.add(`${n}`);
    await bench.newPump().start();
    await bench.clock.advance(40 * SECOND);
    expect(bench.outbox.messages.filter(({ state }) => state === "sent")).toHaveLength(20);
    expect(bench.opsAlerts).toEqual([]);
  });

  it("for a fraction of a second gets the next attempt after it", async () => {
    const bench = createBench();
    const waits = [300, 300];
    bench.when("hook", () => {
      const afterMs = waits.shift();
      if (afterMs !== undefined) throw limited(afterMs);
      return {};
    });
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.offsets()).toEqual([0, 0.3, 0.6]);
  });

  it("with four messages under way has refused once, whatever each of them hears", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw limited(30 * SECOND);
    });
    for (let n = 0; n < 4; n += 1) bench.add(`${n}`);
    await bench.newPump().start();
    await bench.clock.advance(89 * SECOND);
    // Thirty seconds, thirty, and then sixty.
    expect(bench.offsets()).toEqual([0, 0, 0, 0, 30, 30, 30, 30, 60, 60, 60, 60]);
  });

  it("fails after two minutes of nothing else: breaker, metric, ops alert and the time of the next attempt", async () => {
    const bench = createBench();
    bench.addSink("hook", { chat: true, concurrency: 1 });
    bench.when("hook", () => {
      throw limited(YEARS);
    });
    bench.add("1");
    await bench.newPump().start();
    const startMs = bench.clock.now();
    await bench.clock.advance(2 * MINUTE - SECOND);
    expect(bench.opsAlerts).toEqual([]);
    await bench.clock.advance(2 * SECOND);
    expect(bench.opsAlerts).toEqual(["failing hook: the sink asks to wait"]);
    expect(bench.gauges.get('chirpwatch_breaker_open{"sink":"hook"}')).toBe(1);
    expect(await bench.outbox.loadSinkHealth()).toMatchObject([
      { breaker: "open", openedAtMs: startMs, probeAtMs: startMs + HOUR },
    ]);
    bench.when("hook", () => ({}));
    await bench.clock.advance(HOUR);
    expect(bench.opsAlerts.at(-1)).toBe("recovered hook");
    expect(bench.gauges.get('chirpwatch_breaker_open{"sink":"hook"}')).toBe(0);
  });

  it("fails too where it answers 503 and says for how long", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw new SinkError("transient", "503", 503, { retry: { afterMs: YEARS } });
    });
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(2 * MINUTE + SECOND);
    expect(bench.opsAlerts).toEqual(["failing hook: 503"]);
    expect(bench.sent).toHaveLength(1);
  });

  it("does not fail where another one was refused by the limit of all, and nothing waits for it", async () => {
    const bench = createBench();
    bench.addSink("other");
    bench.when("hook", () => {
      throw new SinkError("rate_limited", "the sink asks to wait", 429, {
        retry: { afterMs: YEARS },
        fields: { global: true },
      });
    });
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(3 * MINUTE);
    expect(bench.opsAlerts).toEqual(["failing hook: the sink asks to wait"]);
  });

  it("gives up what has waited for retry_for, without an attempt at the end of it", async () => {
    const bench = createBench();
    bench.addSink("hook", { chat: true, concurrency: 1, retryForMs: 5 * MINUTE });
    bench.when("hook", () => {
      throw limited(YEARS);
    });
    bench.add("1");
    bench.add("2");
    await bench.newPump().start();
    await bench.clock.advance(6 * MINUTE);
    expect(bench.outbox.messages.map(({ state, error }) => [state, error])).toEqual([
      ["dead", "the sink asks to wait"],
      ["dead", "the sink asks to wait"],
    ]);
    expect(bench.counts.get("onDead{}")).toBeGreaterThan(0);
  });

  it.each([10 * SECOND, 10 * MINUTE])(
    "is tried once at once where it is resumed %i ms later, and waits longer where it refuses again",
    async (afterMs) => {
      const bench = createBench();
      bench.when("hook", () => {
        throw limited(YEARS);
      });
      for (let n = 0; n < 4; n += 1) bench.add(`${n}`);
      const pump = bench.newPump();
      await pump.start();
      await bench.clock.advance(afterMs);
      const before = bench.sent.length;
      await pump.resume("hook");
      await bench.clock.advance(MINUTE);
      expect(bench.sent).toHaveLength(before + 1);
      bench.when("hook", () => ({}));
      await pump.resume("hook");
      await bench.clock.advance(SECOND);
      expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    },
  );

  it.each([10 * SECOND, 10 * MINUTE])(
    "is tried at once by a process that starts %i ms later",
    async (afterMs) => {
      const bench = createBench();
      bench.addSink("hook", { chat: true, concurrency: 1 });
      bench.when("hook", () => {
        throw limited(YEARS);
      });
      bench.add("1");
      bench.add("2");
      const pump = bench.newPump();
      await pump.start();
      await bench.clock.advance(afterMs);
      await pump.stop(0);
      const again = bench.newPump();
      await again.start();
      await bench.clock.advance(SECOND);
      expect(bench.sent).toHaveLength(2);
      await again.stop(0);
      bench.when("hook", () => ({}));
      await bench.newPump().start();
      await bench.clock.advance(SECOND);
      expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
    },
  );

  it("is no failure where its message is not to be sent any more", async () => {
    const bench = createBench();
    bench.when("hook", () => {
      throw limited(30 * SECOND);
    });
    bench.add("1");
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    await bench.outbox.record([
      {
        messageId: bench.outbox.messages[0]?.id ?? "",
        kind: "dead",
        atMs: bench.clock.now(),
        error: "",
        cause: "expired",
        countAttempt: false,
      },
    ]);
    await bench.clock.advance(5 * MINUTE);
    bench.when("hook", () => ({}));
    bench.add("2");
    await bench.clock.advance(MINUTE);
    expect(bench.opsAlerts).toEqual([]);
    expect(bench.outbox.messages.at(-1)?.state).toBe("sent");
  });
});
