import { expect, it } from "vitest";
import { createHurriedClock } from "../../src/runtime/hurried-clock.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const NOW = Date.UTC(2026, 2, 6);
const DAY_MS = 86_400_000;

it("begins in the past, and calls each timer that became due once a leap, in order", () => {
  const clock = createHurriedClock(createVirtualClock(NOW), NOW - DAY_MS);
  const calls: string[] = [];
  const repeat = () => {
    calls.push(`repeat ${clock.now() - NOW}`);
    clock.after(1_000, repeat);
  };
  clock.after(1_000, repeat);
  clock.after(500, () => calls.push("first"));
  clock.after(700, () => calls.push("cancelled"))();
  clock.after(2 * DAY_MS, () => calls.push("later"));
  clock.leap(DAY_MS / 2);
  expect(calls).toEqual(["first", `repeat ${-DAY_MS / 2}`]);
  clock.leap(DAY_MS / 2);
  expect(calls.slice(2)).toEqual(["repeat 0"]);
});

it("calls nothing that an earlier call has cancelled", () => {
  const clock = createHurriedClock(createVirtualClock(NOW), NOW);
  const calls: string[] = [];
  let cancel = () => {};
  clock.after(1, () => cancel());
  cancel = clock.after(2, () => calls.push("cancelled"));
  clock.leap(10);
  expect(calls).toEqual([]);
});

it("keeps time afterwards, never goes backwards, and takes waiting timers along", async () => {
  const machine = createVirtualClock(NOW);
  const clock = createHurriedClock(machine, NOW - DAY_MS);
  const calls: number[] = [];
  clock.after(DAY_MS + 5_000, () => calls.push(clock.now()));
  clock.leap(DAY_MS);
  const before = clock.monotonic();
  clock.keepTime();
  expect([clock.now(), clock.monotonic()]).toEqual([NOW, before]);
  clock.after(6_000, () => calls.push(clock.now()));
  const cancel = clock.after(7_000, () => calls.push(0));
  await machine.advance(6_500);
  cancel();
  await machine.advance(6_500);
  expect(calls).toEqual([NOW + 5_000, NOW + 6_000]);
  expect(clock.monotonic() - before).toBe(13_000);
});
