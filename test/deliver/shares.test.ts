/** Two processes that deliver from one outbox, each to its own destinations. */
import { expect, it } from "vitest";
import { StoreError } from "../../src/model/store-error.ts";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, SECOND } from "./pump-bench.ts";

it("delivers nothing more to a destination that it does not hold any more", async () => {
  const bench = createBench();
  let holds = true;
  const pump = bench.newPump({ holds: () => holds });
  await pump.start();
  bench.add("1");
  pump.wake();
  await bench.clock.advance(SECOND);
  holds = false;
  await pump.takeShare();
  bench.add("2");
  pump.wake();
  await bench.clock.advance(SECOND);
  expect(bench.subjects()).toEqual(["1"]);
  holds = true;
  await pump.takeShare();
  await bench.clock.advance(SECOND);
  expect(bench.subjects()).toEqual(["1", "2"]);
});

it("tries a sink that fails once someone resumes it at another process", async () => {
  const bench = createBench();
  bench.when("hook", () => {
    throw new SinkError("destination", "the webhook answered 403", 403);
  });
  const [pump, other] = [bench.newPump(), bench.newPump({ holds: () => false })];
  await pump.start();
  await other.start();
  bench.add("1");
  pump.wake();
  await bench.clock.advance(SECOND);
  const attempts = bench.sent.length;
  bench.when("hook", () => ({}));
  await pump.takeShare();
  await bench.clock.advance(SECOND);
  expect(bench.sent).toHaveLength(attempts);
  expect(await other.resume("hook")).toEqual({ wasDisabled: false });
  await pump.takeShare();
  await bench.clock.advance(SECOND);
  expect(bench.sent).toHaveLength(attempts + 1);
});

it("tries a sink that fails once someone sends alerts again at another process, but none that is disabled", async () => {
  const bench = createBench();
  let status = 503;
  bench.when("hook", () => {
    throw status === 503
      ? new SinkError("transient", "the webhook answered 503", 503)
      : new SinkError("destination", "the webhook answered 410", 410, { fields: { gone: true } });
  });
  const [pump, other] = [bench.newPump(), bench.newPump({ holds: () => false })];
  await pump.start();
  await other.start();
  bench.add("1");
  pump.wake();
  await bench.clock.advance(60 * SECOND);
  const again = async () => {
    const before = bench.sent.length;
    await other.probe();
    await pump.takeShare();
    await bench.clock.advance(100);
    return bench.sent.length - before;
  };
  expect(await again()).toBe(1);
  status = 410;
  await again();
  expect(await again()).toBe(0);
});

it("delivers to a destination whose health could not be read at first, at its start or when it got it, once it can be read", async () => {
  const bench = createBench();
  let [holds, isAway] = [true, true];
  const loadSinkHealth = () =>
    isAway
      ? Promise.reject(new StoreError("STORE_UNREACHABLE", "away"))
      : bench.outbox.loadSinkHealth();
  const pump = bench.newPump({ holds: () => holds, store: { ...bench.outbox, loadSinkHealth } });
  await pump.start();
  for (const subject of ["1", "2"]) {
    bench.add(subject);
    await bench.clock.advance(20 * SECOND);
    expect(bench.subjects()).not.toContain(subject);
    isAway = false;
    await bench.clock.advance(20 * SECOND);
    expect(bench.subjects()).toContain(subject);
    holds = false;
    await pump.takeShare();
    [holds, isAway] = [true, true];
    await expect(pump.takeShare()).rejects.toThrow("away");
  }
});
