/**
 * The way to a sink closes while messages for it are being taken from the outbox: they stay there.
 */
import { expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, MINUTE, SECOND } from "./pump-bench.ts";

const gone = new SinkError("destination", "channel_not_found");
const limited = new SinkError("rate_limited", "slow down", 429, {
  retry: { afterMs: 30 * SECOND },
});

it.each([
  ["its breaker opens: one message at a time probes", gone],
  ["it asks for silence", limited],
])("what was taken while %s is not sent, and goes out later", async (_, error) => {
  const bench = createBench();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  bench.when("hook", async () => {
    await ended;
    throw error;
  });
  for (const subject of ["1", "2", "3", "4"]) bench.add(subject);
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(SECOND);
  expect(bench.sent).toHaveLength(4);
  for (const subject of ["5", "6", "7", "8"]) bench.add(subject);
  const { dueWork } = bench.outbox;
  bench.outbox.dueWork = async (query) => {
    const due = await dueWork(query);
    end();
    return due;
  };
  pump.wake();
  await bench.clock.advance(SECOND);
  expect(bench.outbox.messages).toHaveLength(8);
  expect(bench.sent).toHaveLength(4);
  await bench.clock.advance(29 * SECOND);
  bench.when("hook", () => ({}));
  await bench.clock.advance(2 * MINUTE);
  expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
  expect(new Set(bench.subjects()).size).toBe(8);
});

it("what was taken while the pump stops is not sent, and goes out after the next start under the same id", async () => {
  const bench = createBench();
  bench.add("1");
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(SECOND);
  bench.add("2");
  pump.wake();
  const stopped = pump.stop(SECOND);
  await bench.clock.advance(2 * SECOND);
  await stopped;
  expect(bench.subjects()).toEqual(["1"]);
  const [, sealed] = bench.outbox.messages;
  expect(sealed).toMatchObject({ state: "open", attempts: 0 });
  await bench.newPump().start();
  await bench.clock.advance(SECOND);
  expect(bench.sent.map(({ id, subjects }) => [id, subjects[0]])).toEqual([
    [expect.any(String), "1"],
    [sealed?.id, "2"],
  ]);
});
