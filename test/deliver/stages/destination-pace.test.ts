/**
 * What a vendor allows is kept before it refuses anything: by its documented limits, and by what
 * its answers say is left.
 */
import { describe, expect, it } from "vitest";
import { sleep } from "../../../src/model/clock.ts";
import { DestinationPace } from "../../../src/deliver/queue/destination-pace.ts";
import { createBench, SECOND } from "../pump-bench.ts";

const A_SECOND = [{ count: 1, intervalMs: SECOND }];
const add = (bench: ReturnType<typeof createBench>, sink: string, count: number) => {
  for (let n = 1; n <= count; n++) bench.add(`${sink}-${n}`, { sink });
};
const timesOf = (bench: ReturnType<typeof createBench>, sink: string) =>
  bench.sent
    .filter((one) => one.sink === sink)
    .map(({ atMs }) => (atMs - (bench.sent[0]?.atMs ?? 0)) / SECOND);

describe("a place with a documented limit", () => {
  it("gets a message as often as allowed, counted from the start of each attempt, in order", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1, pace: new DestinationPace(A_SECOND) });
    bench.when("chat", async () => {
      await sleep(bench.clock, 300);
      return {};
    });
    add(bench, "chat", 12);
    await bench.newPump().start();
    await bench.clock.advance(60 * SECOND);
    expect(timesOf(bench, "chat")).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(bench.sent.map(({ subjects }) => subjects[0])).toEqual(
      Array.from({ length: 12 }, (_, n) => `chat-${n + 1}`),
    );
  });

  it("is one place, whichever of its sinks posts there; another place does not wait for it", async () => {
    const bench = createBench();
    const pace = new DestinationPace(A_SECOND);
    bench.addSink("one", { chat: true, concurrency: 1, pace });
    bench.addSink("two", { chat: true, concurrency: 1, pace });
    bench.addSink("other", { chat: true, concurrency: 1, pace: new DestinationPace(A_SECOND) });
    for (const sink of ["one", "two", "other"]) add(bench, sink, 3);
    await bench.newPump().start();
    await bench.clock.advance(60 * SECOND);
    expect([...timesOf(bench, "one"), ...timesOf(bench, "two")].sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
    expect(timesOf(bench, "other")).toEqual([0, 1, 2]);
  });

  it("keeps several limits at once", async () => {
    const bench = createBench();
    const pace = new DestinationPace([...A_SECOND, { count: 3, intervalMs: 10 * SECOND }]);
    bench.addSink("chat", { chat: true, concurrency: 1, pace });
    add(bench, "chat", 7);
    await bench.newPump().start();
    await bench.clock.advance(60 * SECOND);
    expect(timesOf(bench, "chat")).toEqual([0, 1, 2, 10, 11, 12, 20]);
  });

  it("does not hold up a stop: what waits stays in the outbox for the next start", async () => {
    const bench = createBench();
    bench.addSink("chat", {
      chat: true,
      concurrency: 1,
      pace: new DestinationPace([{ count: 1, intervalMs: 30 * SECOND }]),
    });
    add(bench, "chat", 2);
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    await pump.stop(0);
    expect(bench.sent).toHaveLength(1);
    await bench.newPump().start();
    await bench.clock.advance(60 * SECOND);
    expect(timesOf(bench, "chat")).toEqual([0, 30]);
  });
});

describe("an answer that says none is left", () => {
  it("puts the next message off until then, and counts as no failure", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    bench.when("chat", () => (bench.sent.length % 5 === 0 ? { holdMs: 2 * SECOND } : {}));
    add(bench, "chat", 12);
    await bench.newPump().start();
    await bench.clock.advance(60 * SECOND);
    expect(timesOf(bench, "chat")).toEqual([0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 4, 4]);
    expect(
      bench.counts.get('chirpwatch_sink_errors_total{"sink":"chat","class":"rate_limited"}'),
    ).toBeUndefined();
  });
});
