/**
 * Crossposts of a scripted sink: when each is made, tried again and given up, and what the operator
 * hears of it.
 */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

type Publish = (ref: string, signal: AbortSignal) => Promise<void>;

const failWith = (error: Error) => (): never => {
  throw error;
};
const unavailable = failWith(new SinkError("transient", "503 from the other side", 503));

/** A sink whose messages are to be published: each under its subject. */
function publishingBench() {
  const bench = createBench();
  const attempts: { readonly ref: string; readonly atMs: number }[] = [];
  let publish: Publish = async () => {};
  const chat = { chat: true, concurrency: 1 };
  bench.addSink("chat", chat);
  const crosspost: Publish = async (ref, signal) => {
    attempts.push({ ref, atMs: bench.clock.now() });
    await publish(ref, signal);
  };
  bench.addSink("chat", { ...chat, sink: { ...bench.sinkNamed("chat").sink, crosspost } });
  bench.when("chat", ({ subjects }) => ({ ref: subjects.join(), crosspost: true }));
  const pump = bench.newPump();
  return {
    ...bench,
    pump,
    whenPublishing: (next: Publish) => {
      publish = next;
    },
    post: (...subjects: readonly string[]) => {
      for (const subject of subjects) bench.add(subject, { sink: "chat" });
      pump.wake();
    },
    attempts,
    refs: () => attempts.map(({ ref }) => ref),
    /** Since the first attempt. */
    secondsAt: () => attempts.map(({ atMs }) => (atMs - (attempts[0]?.atMs ?? 0)) / SECOND),
    count: (outcome: string) =>
      bench.counts.get(`chirpwatch_crossposts_total{"sink":"chat","outcome":"${outcome}"}`),
    lines: () =>
      bench.logged.flatMap(({ message, fields }) =>
        message === "a message was not published to followers" ? [fields] : [],
      ),
  };
}

it("is made once of each message, as soon as it is sent, and counted", async () => {
  const bench = publishingBench();
  await bench.pump.start();
  await bench.clock.advance(MINUTE);
  bench.post("1", "2");
  await bench.clock.advance(100);
  expect(bench.refs().sort()).toEqual(["1", "2"]);
  await bench.clock.advance(HOUR);
  expect([bench.attempts.length, bench.count("published")]).toEqual([2, 2]);
  expect([bench.unpublished, bench.lines()]).toEqual([[], []]);
});

it("that is refused for good is not tried again: it is counted, logged and reported", async () => {
  for (const kind of ["destination", "message"] as const) {
    const bench = publishingBench();
    bench.whenPublishing(failWith(new SinkError(kind, "no")));
    await bench.pump.start();
    bench.post("1");
    await bench.clock.advance(HOUR);
    expect([bench.attempts.length, bench.count("not_published"), bench.count("published")]).toEqual(
      [1, 1, undefined],
    );
    expect(bench.lines()).toEqual([{ sink: "chat", outcome: "not_published", error: "no" }]);
    expect(bench.unpublished).toEqual([{ sink: "chat", count: 1, reason: "no" }]);
  }
});

it("that fails for reasons that may pass is tried again as messages are, until it is an hour old", async () => {
  for (const error of [
    new SinkError("transient", "the line is down"),
    new Error("the line is down"),
  ]) {
    const bench = publishingBench();
    bench.whenPublishing(failWith(error));
    await bench.pump.start();
    bench.post("1");
    await bench.clock.advance(HOUR + MINUTE);
    const times = bench.secondsAt();
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    for (const [index, wait] of [1, 2, 5, 15, 30, 60, 120, 300, 900, 1800].entries())
      expect(Math.abs((waits[index] ?? 0) / wait - 1)).toBeLessThanOrEqual(0.1001);
    expect([times.length, bench.count("retried"), bench.count("not_published")]).toEqual([
      11, 11, 1,
    ]);
    expect(bench.lines()[0]).toEqual({
      sink: "chat",
      outcome: "retried",
      error: "the line is down",
    });
    expect(bench.unpublished).toEqual([{ sink: "chat", count: 1, reason: "the line is down" }]);
  }
});

it("that the sink asks to wait with holds up the others and no message, and goes on to the millisecond", async () => {
  const bench = publishingBench();
  bench.whenPublishing(
    failWith(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 90_500 } })),
  );
  await bench.pump.start();
  bench.post("1");
  await bench.clock.advance(30 * SECOND);
  bench.post("2");
  await bench.clock.advance(30 * SECOND);
  expect([bench.refs(), bench.subjects("chat")]).toEqual([["1"], ["1", "2"]]);
  expect([bench.count("retried"), bench.unpublished]).toEqual([1, []]);
  // The newest first.
  bench.whenPublishing(async () => {});
  await bench.clock.advance(40 * SECOND);
  expect([bench.refs(), bench.secondsAt()]).toEqual([
    ["1", "2", "1"],
    [0, 90.5, 90.5],
  ]);
});

it("keeps its place in the schedule over a wait that the sink asked for", async () => {
  const bench = publishingBench();
  bench.whenPublishing(
    failWith(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 10 * SECOND } })),
  );
  await bench.pump.start();
  bench.post("1");
  await bench.clock.advance(55 * SECOND);
  expect(bench.secondsAt()).toEqual([0, 10, 20, 40]);
  await bench.clock.advance(20 * SECOND);
  bench.whenPublishing(unavailable);
  await bench.clock.advance(5.5 * SECOND);
  expect(bench.secondsAt().slice(4)).toEqual([80]);
  await bench.clock.advance(700);
  expect(bench.attempts).toHaveLength(6);
  // Its own next wait is longer than the one that the sink asks for after that.
  await bench.clock.advance(10 * SECOND);
  bench.whenPublishing(
    failWith(new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 3 * SECOND } })),
  );
  await bench.clock.advance(40 * SECOND);
  const [one = 0, two = 0] = bench.secondsAt().slice(-2);
  // The fifth refusal in a row: none was published in between.
  expect(two - one).toBeCloseTo(24, 5);
});

it("whose attempt fails when its hour is over is over with it", async () => {
  const bench = publishingBench();
  bench.whenPublishing(async () => {
    await sleep(bench.clock, 61 * MINUTE);
    unavailable();
  });
  await bench.pump.start();
  bench.post("1");
  await bench.clock.advance(62 * MINUTE);
  expect([bench.attempts.length, bench.count("retried"), bench.count("not_published")]).toEqual([
    1,
    undefined,
    1,
  ]);
  expect(bench.lines()).toEqual([
    { sink: "chat", outcome: "not_published", error: "503 from the other side" },
  ]);
});

it("that was never tried within its hour is over at its end, and adds no second report to that of the day", async () => {
  const bench = publishingBench();
  // The longest wait that is kept is as long as a message is news: it was asked for after the
  // others were there.
  bench.whenPublishing(async () => {
    await sleep(bench.clock, 2 * MINUTE);
    throw new SinkError("rate_limited", "slow down", 429, { retry: { afterMs: 70 * MINUTE } });
  });
  await bench.pump.start();
  await bench.clock.advance(7 * SECOND);
  bench.post("1");
  await bench.clock.advance(50 * SECOND);
  bench.post("2", "3");
  await bench.clock.advance(HOUR - 49 * SECOND);
  expect(bench.unpublished).toEqual([{ sink: "chat", count: 1, reason: "slow down" }]);
  await bench.clock.advance(48 * SECOND);
  expect(bench.count("not_published")).toBe(1);
  await bench.clock.advance(SECOND + 100);
  expect([bench.refs(), bench.count("not_published")]).toEqual([["1"], 3]);
  await bench.clock.advance(MINUTE);
  expect(bench.unpublished).toHaveLength(1);
});

it("that outlasts a stop is ended and left as it was: the next start makes it", async () => {
  const bench = publishingBench();
  const ended: boolean[] = [];
  bench.whenPublishing(
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          ended.push(true);
          reject(new SinkError("destination", "aborted"));
        }),
      ),
  );
  await bench.pump.start();
  bench.post("1");
  await bench.clock.advance(SECOND);
  const stopping = bench.pump.stop(8 * SECOND);
  await bench.clock.advance(8 * SECOND);
  await stopping;
  expect([ended, bench.count("not_published"), bench.lines()]).toEqual([[true], undefined, []]);
  bench.whenPublishing(async () => {});
  await bench.newPump().start();
  await bench.clock.advance(SECOND);
  expect([bench.refs(), bench.count("published")]).toEqual([["1", "1"], 1]);
});
