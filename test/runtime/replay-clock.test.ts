import { expect, it } from "vitest";
import { createReplayClock } from "../../src/runtime/replay-clock.ts";

it("calls each timer at its own time, also one that another timer sets", async () => {
  const clock = createReplayClock(1_000);
  const calls: string[] = [];
  const call = (name: string) => () => void calls.push(`${name} ${clock.now()}`);
  const repeat = () => {
    call("repeat")();
    clock.after(400, repeat);
  };
  clock.after(400, repeat);
  clock.after(500, call("once"));
  clock.after(700, call("cancelled"))();
  clock.after(Number.POSITIVE_INFINITY, call("never"));
  await clock.passTo(2_000);
  expect(calls).toEqual(["repeat 1400", "once 1500", "repeat 1800"]);
  expect(clock.now()).toBe(2_000);
});
