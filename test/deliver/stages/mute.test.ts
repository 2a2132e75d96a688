/** Mutes that begin while messages wait for their attempts. */
import { describe, expect, it } from "vitest";
import type { WaitRules } from "../../../src/deliver/stages/mute.ts";
import { createBench, MINUTE, SECOND } from "../pump-bench.ts";

/** A bench whose only send slot is taken for ten seconds, and a mute that a test begins. */
function mutedBench(canMuteAtFirst: boolean) {
  const bench = createBench();
  bench.addSink("hook", { concurrency: 1 });
  bench.when("hook", async () => {
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
