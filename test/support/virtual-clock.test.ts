import fc from "fast-check";
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const START = Date.UTC(2026, 0, 1);

it("fires timers in order of time, then of creation, each at its own time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 30 }), async (delays) => {
      const clock = createVirtualClock(START);
      const fired: [number, number][] = [];
      delays.forEach((ms, index) =>
        clock.after(ms, () => fired.push([clock.now() - START, index])),
      );
      await clock.advance(50);
      const expected = delays
        .map((ms, index) => [ms, index] as [number, number])
        .sort(([a, i], [b, j]) => a - b || i - j);
      expect(fired).toEqual(expected);
      expect(clock.pending()).toBe(0);
    }),
  );
});

it("lets what a timer started run to its next timer, and fires that in the same advance", async () => {
  const clock = createVirtualClock(START);
  const seen: number[] = [];
  const loop = async () => {
    for (let i = 0; i < 3; i += 1) {
      await sleep(clock, 10);
      for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
      seen.push(clock.now() - START);
    }
  };
  const done = loop();
  await clock.advance(29);
  expect(seen).toEqual([10, 20]);
  expect(clock.nextIn()).toBe(1);
  await clock.advanceTo(START + 30);
  expect(seen).toEqual([10, 20, 30]);
  await done;
});

it("fires nothing that was cancelled, and nothing early when the wall clock jumps", async () => {
  const clock = createVirtualClock(START);
  const fired: string[] = [];
  clock.after(10, () => fired.push("kept"));
  clock.after(5, () => fired.push("cancelled"))();
  clock.jump(3_600_000);
  await clock.advance(9);
  expect([fired, clock.now()]).toEqual([[], START + 3_600_009]);
  clock.jump(-7_200_000);
  await clock.advance(1);
  expect(fired).toEqual(["kept"]);
});

it("comes with a random that repeats itself", () => {
  const draw = (seed: number) => {
    const random = createSeededRandom(seed);
    return [random.float(), random.id(), random.float()];
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const floats = Array.from({ length: 1_000 }, createSeededRandom(3).float);
  expect(floats.every((float) => float >= 0 && float < 1)).toBe(true);
  expect(Math.abs(floats.reduce((sum, float) => sum + float) / 1_000 - 0.5)).toBeLessThan(0.05);
});
