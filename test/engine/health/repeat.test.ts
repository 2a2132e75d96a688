import { expect, it } from "vitest";
import { repeat } from "../../../src/engine/health/repeat.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START_MS = Date.UTC(2026, 0, 1);

it("waits after the end of one run before the next, so that two never overlap", async () => {
  const clock = createVirtualClock(START_MS);
  const startedMs: number[] = [];
  const work = async () => {
    startedMs.push(clock.now() - START_MS);
    await new Promise<void>((resolve) => clock.after(25, resolve));
  };
  repeat({ clock, everyMs: 10, work, onError: () => undefined });
  await clock.advance(100);
  expect(startedMs).toEqual([10, 45, 80]);
});

it("continues after a run that failed, and reports the failure", async () => {
  const clock = createVirtualClock(START_MS);
  const alerted: unknown[] = [];
  const work = () => Promise.reject(new Error("no answer"));
  repeat({ clock, everyMs: 10, firstAfterMs: 1, work, onError: (error) => alerted.push(error) });
  await clock.advance(21);
  expect(alerted.map(String)).toEqual(["Error: no answer", "Error: no answer", "Error: no answer"]);
});

it("does nothing any more once it is stopped, also when it is stopped at work", async () => {
  const clock = createVirtualClock(START_MS);
  const finish: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => finish.push(resolve));
  const stop = repeat({ clock, everyMs: 10, work, onError: () => undefined });
  await clock.advance(10);
  stop();
  finish[0]?.();
  await clock.advance(100);
  expect(finish).toHaveLength(1);
});
