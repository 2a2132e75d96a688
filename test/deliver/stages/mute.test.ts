/** Mutes that begin while messages wait for their attempts. */
import { describe, expect, it } from "vitest";
import type { WaitRules } from "../../../src/deliver/stages/mute.ts";
import { SinkError } from "../../../src/model/sink.ts";
import { createBench, MINUTE, SECOND } from "../pump-bench.ts";

/** A bench whose only send slot is taken for ten seconds, and a mute that a test begins. */
function mutedBench(canMuteAtFirst: boolean) {
  const bench = createBench();
  bench.addSink("hook", { concurrency: 1 });
  let failures = 0;
  bench.when("hook", async () => {
    if (failures-- > 0) {
      // The last failure lets all messages wait for the same time.
      const retry = failures === 0 ? { retry: { afterMs: 30 * SECOND } } : {};
      throw new SinkError("transient", "503", 503, retry);
    }
    await new Promise<void>((resolve) => void bench.clock.after(10 * SECOND, resolve));
    return {};
  });
  for (const subject of ["1", "2"]) bench.add(subject);
  let untilMs: number | undefined;
  const hold = () =>
    untilMs === undefined || bench.clock.now() >= untilMs ? undefined : { untilMs, heldBy: "mute" };
  const waitRules: WaitRules = {
    canMute: () => canMuteAtFirst || untilMs !== undefined,
    holdOf: hold,
    holdOfSink: hold,
    snoozeOf: () => undefined,
    placeAgain: () => undefined,
  };
  const read: (readonly string[])[] = [];
  const store = {
    ...bench.outbox,
    messageMembers: async (ids: readonly string[]) => {
      if (ids.length > 0) read.push(ids);
      return bench.outbox.messageMembers(ids);
    },
  };
  return {
    bench,
    read,
    pump: bench.newPump({ store, waitRules }),
    failFirst: (count: number) => void (failures = count),
    begin: () => void (untilMs = bench.clock.now() + 5 * MINUTE),
  };
}

describe("a mute that begins while a message waits for its attempt", () => {
  it("holds the message by alerts that are read where no mute was to be expected", async () => {
    const { bench, read, pump, begin } = mutedBench(false);
    await pump.start();
    await bench.clock.advance(SECOND);
    begin();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects()).toEqual(["1"]);
    expect(read).toHaveLength(1);
    await bench.clock.advance(5 * MINUTE);
    expect(bench.subjects()).toEqual(["1", "2"]);
  });

  it("holds a message that has failed before and waits for its next attempt", async () => {
    const { bench, pump, failFirst, begin } = mutedBench(true);
    failFirst(2);
    await pump.start();
    await bench.clock.advance(30 * SECOND);
    expect(bench.subjects()).toEqual(["1", "2", "2"]);
    begin();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects()).toEqual(["1", "2", "2"]);
    await bench.clock.advance(5 * MINUTE);
    expect(bench.subjects()).toEqual(["1", "2", "2", "1"]);
  });

  it("holds the message by its own alerts where a mute may hold some", async () => {
    const { bench, read, pump, begin } = mutedBench(true);
    await pump.start();
    await bench.clock.advance(SECOND);
    begin();
    await bench.clock.advance(MINUTE);
    expect(bench.subjects()).toEqual(["1"]);
    expect(read).toEqual([]);
  });
});
