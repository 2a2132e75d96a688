import { describe, expect, it } from "vitest";
import { createCooldowns, doubling, backoffAfter, backoffSince } from "../../src/model/backoff.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

describe("a backoff", () => {
  it("doubles up to its cap, whatever the cap is a multiple of", () => {
    expect(doubling(1_000, 8_000)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(doubling(60_000, 900_000)).toEqual([60_000, 120_000, 240_000, 480_000, 900_000]);
  });

  it("repeats its last step, and takes no failure yet for the first one", () => {
    const stepsMs = [1_000, 5_000];
    expect([0, 1, 2, 3, 99].map((failures) => backoffAfter({ stepsMs }, failures))).toEqual([
      1_000, 1_000, 5_000, 5_000, 5_000,
    ]);
  });

  it("never exceeds its cap, jitter included", () => {
    const jitter = { from: 1, to: 2, random: { float: () => 0.75, id: () => "" } };
    expect(backoffAfter({ stepsMs: [1_000, 4_000], jitter, capMs: 5_000 }, 1)).toBe(1_750);
    expect(backoffAfter({ stepsMs: [1_000, 4_000], jitter, capMs: 5_000 }, 2)).toBe(5_000);
  });

  it("follows from the time alone where failures are not counted", () => {
    const stepsMs = [5, 15, 30];
    expect([0, 4, 5, 19, 20, 49, 50, 500].map((forMs) => backoffSince({ stepsMs }, forMs))).toEqual(
      [5, 5, 15, 15, 30, 30, 30, 30],
    );
  });
});

describe("a cooldown", () => {
  it("fault 72: lasts as long as was said, whatever the wall clock does", async () => {
    const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
    const cooldowns = createCooldowns(clock);
    cooldowns.begin("poll", 60_000);
    clock.jump(-3_600_000);
    await clock.advance(59_000);
    expect(cooldowns.isCoolingDown("poll")).toBe(true);
    await clock.advance(2_000);
    expect(cooldowns.isCoolingDown("poll")).toBe(false);
  });

  it("ends when it is released, and with a new one of no length", () => {
    const cooldowns = createCooldowns(createVirtualClock(0));
    cooldowns.begin("one", 60_000);
    cooldowns.begin("other", 60_000);
    cooldowns.release("one");
    cooldowns.begin("other", 0);
    expect([cooldowns.isCoolingDown("one"), cooldowns.isCoolingDown("other")]).toEqual([
      false,
      false,
    ]);
  });
});
