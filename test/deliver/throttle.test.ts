import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBench, MINUTE, SECOND } from "./pump-bench.ts";

const LIMIT = 20;
const throttles = new Map([["sink:chat", { limit: LIMIT, intervalMs: 10 * MINUTE, onExceed: "digest" } as const]]);

function throttledBench() {
  const bench = createBench({ throttles });
  bench.addSink("chat", { chat: true, concurrency: 1 });
  const add = (subject: string, dueAtMs = bench.clock.now()) => bench.add(subject, { sink: "chat", throttleKey: "sink:chat", dueAtMs });
  return { ...bench, add };
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

describe("a throttle", () => {
  it("lets its limit through alone and tells the surplus as one digest when the interval ends", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 50)) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(9 * MINUTE);
    expect(bench.sent.map((one) => one.subjects)).toEqual(names(0, LIMIT).map((subject) => [subject]));
    await bench.clock.advance(MINUTE + SECOND);
    expect(bench.sent.slice(LIMIT).map((one) => [one.digest, one.subjects])).toEqual([[true, names(LIMIT, 50)]]);
  });

  it("puts what comes while it is full into the same digest, and then tells events alone again", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    for (const subject of names(0, 21)) bench.add(subject);
    await pump.start();
    await bench.clock.advance(5 * MINUTE);
    bench.add("during");
    pump.wake();
    await bench.clock.advance(6 * MINUTE);
    bench.add("after");
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.sent.slice(LIMIT).map((one) => [one.digest, one.subjects])).toEqual([
      [true, ["20", "during"]],
      [false, ["after"]],
    ]);
  });

  it("remembers what it put off over a restart", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 50)) bench.add(subject);
    const first = bench.newPump();
    await first.start();
    await bench.clock.advance(MINUTE);
    await first.stop(0);
    await bench.newPump().start();
    await bench.clock.advance(10 * MINUTE);
    expect(bench.sent.slice(LIMIT).map((one) => [one.digest, one.subjects])).toEqual([[true, names(LIMIT, 50)]]);
  });

  it("sends a night's held events alone up to the limit, the rest as a digest", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 30)) bench.add(subject, bench.clock.now() + 600 * MINUTE);
    await bench.newPump().start();
    await bench.clock.advance(601 * MINUTE);
    expect(bench.sent).toHaveLength(LIMIT);
    await bench.clock.advance(10 * MINUTE);
    expect(bench.sent.at(-1)?.subjects).toEqual(names(LIMIT, 30));
  });

  it("loses nothing, tells nothing twice and never passes its limit, however events arrive", async () => {
    const bursts = fc.array(fc.record({ count: fc.integer({ min: 0, max: 45 }), waitS: fc.integer({ min: 0, max: 700 }) }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(bursts, async (plan) => {
        const bench = throttledBench();
        const pump = bench.newPump();
        await pump.start();
        let total = 0;
        for (const { count, waitS } of plan) {
          for (let i = 0; i < count; i += 1) bench.add(String(total++));
          pump.wake();
          await bench.clock.advance(waitS * SECOND);
        }
        await bench.clock.advance(60 * MINUTE);
        expect([...bench.subjects("chat")].sort()).toEqual(names(0, total).sort());
        for (const [index, one] of bench.sent.entries()) {
          const next = bench.sent[index + LIMIT];
          if (next !== undefined) expect(next.atMs - one.atMs).toBeGreaterThanOrEqual(10 * MINUTE - 50);
        }
        await pump.stop(0);
      }),
      { numRuns: 25 },
    );
  });
});
