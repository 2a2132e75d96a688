import { expect, it } from "vitest";
import { createPollTrace } from "../../../src/polling/run/poll-trace.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const makeTrace = () => createPollTrace(createVirtualClock(Date.UTC(2026, 0, 1)));

it("gives every run an id of its own, and what a poll asks for beside its source the same", () => {
  const trace = makeTrace();
  const first = trace.begin("a");
  expect([
    trace.ofSource("a"),
    trace.ofSource("beside:a"),
    trace.ofSource("ask:a"),
    trace.ofSource("a:search"),
  ]).toEqual([first, first, first, first]);
  expect([trace.ofSource("b"), trace.ofSource("usage")]).toEqual([undefined, undefined]);
  trace.end("a");
  expect(trace.ofSource("a")).toBeUndefined();
  expect(trace.begin("a")).not.toBe(first);
});

it("lets the members of a group share the id of its run", () => {
  const trace = makeTrace();
  const group = trace.begin("group", ["a", "b"]);
  expect(trace.begin("a")).toBe(group);
  trace.remember("a", ["e1"]);
  trace.end("a");
  expect(trace.begin("b")).toBe(group);
  trace.end("b");
  trace.end("group", ["a", "b"]);
  expect(trace.ofEvents(["e1"])).toEqual([group]);
  expect(trace.begin("a")).not.toBe(group);
});

it("remembers events beyond their poll, each run once, and the latest ten thousand of them", () => {
  const trace = makeTrace();
  const one = trace.begin("a");
  trace.remember("a", ["e1", "e2"]);
  trace.end("a");
  const two = trace.begin("b");
  trace.remember("b", ["e3"]);
  expect(trace.ofEvents(["e1", "e2", "e3", "unknown"])).toEqual([one, two]);
  trace.remember(
    "b",
    Array.from({ length: 9_999 }, (_, n) => `m${n}`),
  );
  expect(trace.ofEvents(["e1", "e2"])).toEqual([]);
  expect(trace.ofEvents(["e3"])).toEqual([two]);
});
