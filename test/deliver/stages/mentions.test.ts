/**
 * Tests whom a message calls: for which events, how often, and never for what an operator has sent
 * again.
 */
import { expect, it } from "vitest";
import type { SinkMention } from "../../../src/model/sink.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";
import { createBench, HOUR, MINUTE, SECOND } from "../pump-bench.ts";

const loved: SinkMention = {
  text: "<!here>",
  minIntervalMs: 10 * MINUTE,
  matches: ({ tweet }) => (tweet?.likes_count ?? 0) > 500,
};
const always: SinkMention = { text: "<@U1>", minIntervalMs: 0, matches: () => true };

function benchWith(...mentions: readonly SinkMention[]) {
  const bench = createBench();
  bench.addSink("chat", { chat: true, concurrency: 1 }, { mentions });
  const post = (id: string, likes: number, groupKey = id) =>
    bench.outbox.add(
      makeEvent(id, { id, body: { tweet: { ...makeTweet(id), likes_count: likes } } }),
      { sink: "chat", groupKey },
    );
  const called = () =>
    bench.sent.map(({ subjects, mentions: who = [] }) => [subjects.join(), ...who]);
  return { ...bench, post, called };
}

it("calls those whose condition one of the events fulfils, each once", async () => {
  const { post, called, newPump, clock } = benchWith(loved, always, {
    ...always,
    matches: () => true,
  });
  post("1", 3, "both");
  post("2", 501, "both");
  post("3", 500);
  await newPump().start();
  await clock.advance(SECOND);
  expect(called()).toEqual([
    ["1,2", "<!here>", "<@U1>"],
    ["3", "<@U1>"],
  ]);
});

it("calls nobody again within min_interval, also after a restart, and sends the alerts in between", async () => {
  const { post, called, newPump, clock } = benchWith(loved);
  const pump = newPump();
  post("1", 600);
  post("2", 600);
  await pump.start();
  await clock.advance(10 * MINUTE - SECOND);
  await pump.stop(SECOND);
  post("3", 600);
  const next = newPump();
  await next.start();
  await clock.advance(SECOND);
  post("4", 600);
  next.wake();
  await clock.advance(SECOND);
  expect(called()).toEqual([["1", "<!here>"], ["2"], ["3"], ["4", "<!here>"]]);
});

it("remembers the mention of a message until it is given up: it has called nobody then", async () => {
  const bench = benchWith(loved);
  const { SinkError } = await import("../../../src/model/sink.ts");
  bench.when("chat", () => Promise.reject(new SinkError("message", "refused", 400)));
  bench.post("1", 600);
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(SECOND);
  bench.when("chat", () => ({}));
  bench.post("2", 600);
  pump.wake();
  await bench.clock.advance(SECOND);
  expect(bench.called()).toEqual([
    ["1", "<!here>"],
    ["2", "<!here>"],
  ]);
});

it("calls by the first message of a list alone", async () => {
  const { post, called, newPump, clock } = benchWith(always);
  for (let i = 0; i < 11; i += 1) post(`${i}`, 0, "many");
  await newPump().start();
  await clock.advance(HOUR);
  expect(called().map(([, ...who]) => who)).toEqual([["<@U1>"], []]);
});
