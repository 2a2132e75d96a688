/**
 * A receiver that says its address is gone for good (410): the sink is disabled until it has
 * another address, or someone resumes it.
 */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { createBench, HOUR, SECOND } from "./pump-bench.ts";

const gone = () =>
  new SinkError("destination", "the webhook answered 410", 410, {
    hint: "change `url`",
    fields: { gone: true },
  });

/** Answered 410 once, and taken since then. */
async function startGone() {
  const bench = createBench();
  bench.when("hook", () => {
    throw gone();
  });
  bench.add("1");
  bench.add("2");
  const pump = bench.newPump();
  await pump.start();
  await bench.clock.advance(SECOND);
  const attempts = bench.sent.length;
  bench.when("hook", () => ({}));
  return { bench, pump, attempts };
}

describe("a sink whose receiver answered 410", () => {
  it("gets no attempt any more, is reported at once and keeps what waits", async () => {
    const { bench, attempts } = await startGone();
    expect(bench.troubles).toMatchObject([
      { sink: "hook", reason: "the webhook answered 410", hint: "change `url`" },
    ]);
    await bench.clock.advance(20 * HOUR);
    bench.add("3");
    await bench.clock.advance(20 * HOUR);
    expect(bench.sent).toHaveLength(attempts);
    expect(bench.outbox.health("hook")).toMatchObject({
      breaker: "open",
      reason: "the webhook answered 410",
    });
  });

  it("gets none after a restart either, nor when other sinks are tried", async () => {
    const { bench, pump, attempts } = await startGone();
    await pump.stop(0);
    const next = bench.newPump();
    await next.start();
    await next.probe();
    await bench.clock.advance(20 * HOUR);
    expect(bench.sent).toHaveLength(attempts);
    await next.stop(0);
  });

  it("gets all that waited, in order, once it has another address", async () => {
    const { bench, pump, attempts } = await startGone();
    await pump.stop(0);
    bench.addSink("hook", { place: "elsewhere" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.slice(attempts).map(({ subjects }) => subjects)).toEqual([["1"], ["2"]]);
  });

  it("gets all that waited once someone resumes it", async () => {
    const { bench, pump, attempts } = await startGone();
    expect(await pump.resume("nobody")).toBeUndefined();
    expect(await pump.resume("hook")).toEqual({ wasDisabled: true });
    await bench.clock.advance(SECOND);
    expect(bench.sent.slice(attempts).map(({ subjects }) => subjects)).toEqual([["1"], ["2"]]);
    expect(await pump.resume("hook")).toEqual({ wasDisabled: false });
  });

  it("gets all that waited once someone resumes it at a process that does not deliver to it", async () => {
    const { bench, pump, attempts } = await startGone();
    const other = bench.newPump({ holds: () => false });
    await other.start();
    expect(await other.resume("hook")).toEqual({ wasDisabled: true });
    await pump.takeShare();
    await bench.clock.advance(SECOND);
    expect(bench.sent.slice(attempts).map(({ subjects }) => subjects)).toEqual([["1"], ["2"]]);
  });

  it("is disabled again when the address is still gone", async () => {
    const { bench, pump, attempts } = await startGone();
    bench.when("hook", () => {
      throw gone();
    });
    await pump.resume("hook");
    await bench.clock.advance(20 * HOUR);
    expect(bench.sent).toHaveLength(attempts + 1);
  });

  it("loses what waited longer than retry_for to the dead letters", async () => {
    const { bench } = await startGone();
    await bench.clock.advance(77 * HOUR);
    expect(bench.counts.get('chirpwatch_dead_letters_total{"sink":"hook"}')).toBe(2);
  });
});
