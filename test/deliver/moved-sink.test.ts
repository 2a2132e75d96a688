/**
 * A sink with a new name keeps its queue: what waits, what is under way, and what its throttle
 * counts.
 */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { renamedKey } from "../../src/state/outbox/move-sink.ts";
import { makeEvent } from "../support/make-event.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

const down = () => new SinkError("transient", "503", 503);

it("what waits for its old name, sealed or not, goes out under the new one in order and once", async () => {
  const bench = createBench();
  bench.when("hook", () => {
    throw down();
  });
  bench.add("1", { groupKey: JSON.stringify(["", "hook", "x"]) });
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(100);
  bench.add("2", { groupKey: JSON.stringify(["", "hook", "x"]) });
  await pump.stop(0);
  const sealedId = bench.sent[0]?.id;
  bench.addSink("renamed");
  bench.moves.push({ from: "hook", to: "renamed" });
  // A new event of the same group waits for those that were there before.
  bench.add("3", { sink: "renamed", groupKey: JSON.stringify(["", "renamed", "x"]) });
  const next = bench.newPump();
  await next.start();
  await bench.clock.advance(MINUTE);
  const sent = bench.sent.filter(({ sink }) => sink === "renamed");
  expect(sent[0]?.id).toBe(sealedId);
  expect(sent.flatMap(({ subjects }) => subjects)).toEqual(["1", "2", "3"]);
  await next.stop(0);
  const count = bench.sent.length;
  await bench.newPump().start();
  await bench.clock.advance(MINUTE);
  expect(bench.sent).toHaveLength(count);
});

it("what waits for its old name keeps it until this process delivers to the destination", async () => {
  const bench = createBench();
  bench.add("1");
  bench.addSink("renamed");
  bench.moves.push({ from: "hook", to: "renamed" });
  bench.addSink("other", { place: "elsewhere" });
  let holds = false;
  const pump = bench.newPump({ holds: ({ place }) => holds || place === "elsewhere" });
  await pump.start();
  const sinksOf = async () =>
    (await bench.outbox.countWaiting(bench.clock.now())).map(({ sink }) => sink);
  expect(await sinksOf()).toEqual(["hook"]);
  holds = true;
  await pump.takeShare();
  expect(await sinksOf()).toEqual(["renamed"]);
  await bench.clock.advance(SECOND);
  expect(bench.sent.map(({ sink }) => sink)).toEqual(["renamed"]);
});

it("an event that both names have goes out under each once", async () => {
  const bench = createBench();
  bench.outbox.add(makeEvent("1"), { sink: "hook" });
  bench.addSink("renamed");
  bench.outbox.add(makeEvent("1"), { sink: "renamed" });
  bench.moves.push({ from: "hook", to: "renamed" });
  await bench.newPump().start();
  await bench.clock.advance(SECOND);
  expect(bench.sent.map(({ sink }) => sink).sort()).toEqual(["hook", "renamed"]);
});

it("a disabled sink stays disabled under its new name", async () => {
  const bench = createBench();
  bench.when("hook", () => {
    throw new SinkError("destination", "410", 410, { fields: { gone: true } });
  });
  bench.add("1");
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(SECOND);
  await pump.stop(0);
  bench.addSink("renamed");
  bench.moves.push({ from: "hook", to: "renamed" });
  await bench.newPump().start();
  await bench.clock.advance(MINUTE);
  expect(bench.sent.filter(({ sink }) => sink === "renamed")).toEqual([]);
});

describe("a sink of another type", () => {
  const failing = async (bench: ReturnType<typeof createBench>, ...subjects: readonly string[]) => {
    bench.when("hook", () => {
      throw down();
    });
    for (const subject of subjects) bench.add(subject);
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(MINUTE);
    await pump.stop(0);
    return new Set(bench.sent.map(({ id }) => id));
  };

  it("lays out anew what was sealed for its former name, in order and once", async () => {
    const bench = createBench();
    const ids = await failing(bench, "1", "2");
    bench.addSink("renamed", { type: "slack", chat: true, concurrency: 1 });
    bench.moves.push({ from: "hook", to: "renamed" });
    const next = bench.newPump();
    await next.start();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects("renamed")).toEqual(["1", "2"]);
    expect(bench.sent.filter(({ sink, id }) => sink === "renamed" && ids.has(id))).toEqual([]);
    expect(bench.logged.map(({ message }) => message)).toContain(
      "a sink has another type: its waiting messages are rendered again",
    );
    await next.stop(0);
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects("renamed")).toEqual(["1", "2"]);
  });

  it("does so too where only its type was changed", async () => {
    const bench = createBench();
    const ids = await failing(bench, "1");
    bench.when("hook", () => ({}));
    bench.addSink("hook", { type: "file" });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects().at(-1)).toBe("1");
    expect(ids.has(bench.sent.at(-1)?.id ?? "")).toBe(false);
  });

  it("makes the rest of a digest a digest again", async () => {
    const bench = createBench();
    bench.addSink("hook", { chat: true, concurrency: 1 });
    let left = 2;
    bench.when("hook", () => {
      if (left-- > 0) return { ref: "r" };
      throw down();
    });
    for (let i = 0; i < 35; i += 1)
      bench.add(String(i), { groupKey: JSON.stringify(["", "hook", "x"]) });
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(MINUTE);
    await pump.stop(0);
    const before = new Set(bench.sent.slice(0, 2).flatMap(({ subjects }) => subjects));
    bench.addSink("hook", { type: "slack", chat: true, concurrency: 1 });
    bench.when("hook", () => ({ ref: "s" }));
    const from = bench.sent.length;
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    const after = bench.sent.slice(from).flatMap(({ subjects }) => subjects);
    expect(bench.sent[from]?.digest).toBe(true);
    expect(bench.sent.slice(0, from).some(({ id }) => id === bench.sent[from]?.id)).toBe(false);
    expect([...before, ...after].sort()).toEqual(
      Array.from({ length: 35 }, (_, i) => String(i)).sort(),
    );
  });
});

it("a thread of a group goes on under the new name", async () => {
  const bench = createBench();
  const threads = { by: "group", windowMs: 24 * HOUR, place: "#brand" } as const;
  bench.addSink("hook", { concurrency: 1 }, { threads });
  bench.when("hook", () => ({ ref: "first" }));
  bench.add("1", { groupKey: JSON.stringify(["", "hook", "x"]) });
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(MINUTE);
  await pump.stop(0);
  bench.addSink("renamed", { concurrency: 1 }, { threads });
  bench.moves.push({ from: "hook", to: "renamed" });
  bench.add("2", { sink: "renamed", groupKey: JSON.stringify(["", "renamed", "x"]) });
  await bench.newPump().start();
  await bench.clock.advance(MINUTE);
  expect(bench.sent.at(-1)).toMatchObject({ sink: "renamed", subjects: ["2"], threadRef: "first" });
});

it.each([
  ['["a/b","old","x"]', '["a/b","new","x"]'],
  ['["old","other","old"]', '["old","other","old"]'],
  ['#brand\ngroup\n["a/b","old","x"]', '#brand\ngroup\n["a/b","new","x"]'],
  ["sink:old", "sink:new"],
  ["route:0/1:old", "route:0/1:new"],
  ["route:0/1:bold", "route:0/1:bold"],
  ["digest\nthrottle\nroute:0:old", "digest\nthrottle\nroute:0:new"],
  ["digest\nreturn\nold", "digest\nreturn\nold"],
  ["an-event-id", "an-event-id"],
])("the key %s becomes %s", (key, next) => {
  expect(renamedKey(key, { from: "old", to: "new" })).toBe(next);
});
