/**
 * Which messages go below which: the first of a thread, what waits for it, and what becomes of them
 * when it never arrives.
 */
import { expect, it } from "vitest";
import { SinkError, type SinkThreads } from "../../../src/model/sink.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createBench, HOUR, MINUTE, SECOND } from "../pump-bench.ts";

const byConversation: SinkThreads = { by: "conversation", windowMs: 24 * HOUR, place: "#brand" };

interface Post {
  readonly conversation?: string;
  readonly watchKey?: string;
  readonly groupKey?: string;
}

function benchWith(threads: SinkThreads = byConversation) {
  const bench = createBench();
  bench.addSink("chat", { chat: true, concurrency: 1 }, { threads });
  // The sink's own id of a message says what it is about.
  bench.when("chat", ({ subjects }) => ({ ref: `ref-${subjects[0]}` }));
  const post = (id: string, { conversation = "", watchKey = "", groupKey = id }: Post = {}) =>
    bench.outbox.add(makeEvent(id, { id, watchKey, labels: { conversation } }), {
      sink: "chat",
      groupKey,
      dueAtMs: bench.clock.now(),
    });
  const placed = () =>
    bench.sent.map(({ subjects, threadRef }) => [
      subjects.join(),
      ...(threadRef === undefined ? [] : [threadRef]),
    ]);
  const start = async () => {
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    return pump;
  };
  return { ...bench, post, placed, start };
}

it("messages of one conversation go below the first of them, in order, whichever are sealed together", async () => {
  const { post, placed, start, sent } = benchWith();
  for (const id of ["1", "2", "3"]) post(id, { conversation: "c" });
  post("4", { conversation: "d" });
  post("5");
  await start();
  expect(placed()).toEqual(
    [["1"], ["2", "ref-1"], ["3", "ref-1"], ["4"], ["5"]].sort(
      (a, b) => order(sent, a) - order(sent, b),
    ),
  );
  expect(placed().filter(([, ref]) => ref !== undefined)).toHaveLength(2);
});

const order = (
  sent: readonly { readonly subjects: readonly string[] }[],
  [id = ""]: readonly string[],
) => sent.findIndex(({ subjects }) => subjects[0] === id);

it("a thread goes on after a restart, and ends a window after its first message", async () => {
  const { post, placed, start, clock } = benchWith();
  post("1", { conversation: "c" });
  const pump = await start();
  await pump.stop(SECOND);
  await clock.advance(24 * HOUR - 3 * SECOND);
  post("2", { conversation: "c" });
  const next = await start();
  await clock.advance(5 * SECOND);
  post("3", { conversation: "c" });
  next.wake();
  await clock.advance(SECOND);
  post("4", { conversation: "c" });
  next.wake();
  await clock.advance(SECOND);
  expect(placed()).toEqual([["1"], ["2", "ref-1"], ["3"], ["4", "ref-3"]]);
});

it("what belongs below a message waits until that was sent, and delays nobody else", async () => {
  const { post, placed, start, when, clock } = benchWith();
  let failures = 2;
  when("chat", ({ subjects }) => {
    if (subjects[0] === "1" && failures-- > 0) throw new SinkError("transient", "503", 503);
    return { ref: `ref-${subjects[0]}` };
  });
  post("1", { conversation: "c" });
  post("2", { conversation: "c" });
  post("3");
  await start();
  expect(placed()).toEqual([["1"], ["3"]]);
  await clock.advance(MINUTE);
  expect(placed()).toEqual([["1"], ["3"], ["1"], ["1"], ["2", "ref-1"]]);
});

it("the oldest that waits takes the place of a message that was given up", async () => {
  const { post, placed, start, when, clock } = benchWith();
  when("chat", ({ subjects }) => {
    if (subjects[0] === "1") throw new SinkError("message", "refused", 400);
    return { ref: `ref-${subjects[0]}` };
  });
  for (const id of ["1", "2", "3"]) post(id, { conversation: "c" });
  const pump = await start();
  post("4", { conversation: "c" });
  pump.wake();
  await clock.advance(SECOND);
  expect(placed()).toEqual([["1"], ["2"], ["3", "ref-2"], ["4", "ref-2"]]);
});

it("a message given up with nothing behind it begins no thread", async () => {
  const { post, placed, start, when, clock } = benchWith();
  when("chat", ({ subjects }) => {
    if (subjects[0] === "1") throw new SinkError("message", "refused", 400);
    return { ref: `ref-${subjects[0]}` };
  });
  post("1", { conversation: "c" });
  const pump = await start();
  for (const id of ["2", "3"]) post(id, { conversation: "c" });
  pump.wake();
  await clock.advance(SECOND);
  expect(placed()).toEqual([["1"], ["2"], ["3", "ref-2"]]);
});

it("the message that found the first of its thread gone begins it anew", async () => {
  const { post, placed, start, when, clock } = benchWith();
  when("chat", ({ subjects, threadRef }) => ({
    ref: `ref-${subjects[0]}`,
    ...(threadRef === "ref-1" ? { missingThread: "ref-1" } : {}),
  }));
  post("1", { conversation: "c" });
  const pump = await start();
  for (const id of ["2", "3", "4"]) {
    post(id, { conversation: "c" });
    pump.wake();
    await clock.advance(SECOND);
  }
  expect(placed()).toEqual([["1"], ["2", "ref-1"], ["3", "ref-2"], ["4", "ref-2"]]);
});

it("by group or by watch: what shares it, and nothing that is alone or of several", async () => {
  const byGroup = benchWith({ ...byConversation, by: "group" });
  byGroup.post("1", { groupKey: "g" });
  const pump = await byGroup.start();
  byGroup.post("2", { groupKey: "g" });
  byGroup.post("3", { conversation: "c" });
  pump.wake();
  await byGroup.clock.advance(SECOND);
  expect(byGroup.placed()).toEqual([["1"], ["2", "ref-1"], ["3"]]);

  const byWatch = benchWith({ ...byConversation, by: "watch" });
  byWatch.post("1", { watchKey: "w" });
  byWatch.post("2", { watchKey: "w", groupKey: "both" });
  byWatch.post("3", { watchKey: "v", groupKey: "both" });
  byWatch.post("4", { watchKey: "w" });
  await byWatch.start();
  expect(byWatch.placed()).toEqual([["1"], ["2,3"], ["4", "ref-1"]]);
});

it("all parts of a list go below the first message of the thread, not below each other", async () => {
  const { post, placed, start, clock } = benchWith({ ...byConversation, by: "group" });
  post("0", { groupKey: "g" });
  const pump = await start();
  for (let i = 1; i <= 11; i += 1) post(`${i}`, { groupKey: "g" });
  pump.wake();
  await clock.advance(MINUTE);
  expect(placed().map(([, ref]) => ref)).toEqual([undefined, "ref-0", "ref-0"]);
});
