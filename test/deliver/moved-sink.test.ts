/** A sink with a new name keeps its queue: what waits, what is under way, and what its throttle counts. */
import { expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { renamedKey } from "../../src/state/outbox/move-sink.ts";
import { makeEvent } from "../support/make-event.ts";
import { createBench, MINUTE, SECOND } from "./pump-bench.ts";

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

it.each([
  ['["a/b","old","x"]', '["a/b","new","x"]'],
  ['["old","other","old"]', '["old","other","old"]'],
  ["sink:old", "sink:new"],
  ["route:0/1:old", "route:0/1:new"],
  ["route:0/1:bold", "route:0/1:bold"],
  ["digest\nthrottle\nroute:0:old", "digest\nthrottle\nroute:0:new"],
  ["digest\nreturn\nold", "digest\nreturn\nold"],
  ["an-event-id", "an-event-id"],
])("the key %s becomes %s", (key, next) => {
  expect(renamedKey(key, { from: "old", to: "new" })).toBe(next);
});
