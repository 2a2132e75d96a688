/** What becomes one message: which events, in which order, in how many parts. */
import { describe, expect, it } from "vitest";
import { isUnrendered } from "../../../src/deliver/stages/lay-out.ts";
import type { Throttle } from "../../../src/route/route.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createBench, MINUTE, SECOND } from "../pump-bench.ts";

const throttle: Throttle = {
  limit: 1,
  intervalMs: 10 * MINUTE,
  onExceed: "digest",
  digestIntervalMs: 2 * MINUTE,
};

describe("one message", () => {
  it("holds its events in the order in which they were detected, whichever was stored first", async () => {
    const bench = createBench();
    const nowMs = bench.clock.now();
    for (const [subject, agoMs] of [
      ["3", 1],
      ["1", 30],
      ["2", 20],
    ] as const)
      bench.outbox.add(makeEvent(subject, { id: subject, detectedAtMs: nowMs - agoMs }), {
        groupKey: "team",
      });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.map(({ subjects }) => subjects)).toEqual([["1", "2", "3"]]);
    expect(bench.sent[0]).not.toHaveProperty("sample");
  });

  it("lists all that happened to one account, but where it is a summary of its comings and goings", async () => {
    const bench = createBench();
    for (const again of [0, 1]) bench.add("1", { again, groupKey: "team" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.map(({ subjects }) => subjects)).toEqual([["1", "1"]]);
  });

  it("of a group that is no digest is a list only where it has more events than the sink shows one by one", async () => {
    const bench = createBench();
    bench.addSink("chat", { chat: true, concurrency: 1 });
    for (let i = 0; i < 10; i += 1) bench.add(`a${i}`, { sink: "chat", groupKey: "ten" });
    for (let i = 0; i < 11; i += 1) bench.add(`b${i}`, { sink: "chat", groupKey: "eleven" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(
      bench.sent.map(({ subjects, digest }) => [subjects[0]?.[0], subjects.length, digest]),
    ).toEqual([
      ["a", 10, false],
      ["b", 10, true],
      ["b", 1, true],
    ]);
  });

  it("may have any body that a sink can make of it", () => {
    expect([null, "text", 7, true, [], {}].map(isUnrendered)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("a throttled sink for programs", () => {
  it("gets no announcement, and gets its events a little later, a thousand at once", async () => {
    const bench = createBench({ throttles: new Map([["sink:hook", throttle]]) });
    const names = Array.from({ length: 2_001 }, (_, i) => String(i));
    for (const name of names) bench.add(name, { throttleKey: "sink:hook" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects()).toEqual(["0"]);
    await bench.clock.advance(2 * MINUTE);
    expect(bench.sent.map(({ subjects }) => subjects.length)).toEqual([1, 1_000, 1_000]);
    expect(bench.subjects()).toEqual(names);
    expect(bench.logged).toEqual([]);
  });
});
