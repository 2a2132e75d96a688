/** A group that was kept from its turns: what it finds late then says nothing of its pace. Days of such groups: test/long/group-on-time.test.ts. */
import { describe, expect, it } from "vitest";
import type { GroupMemory } from "../../../../src/groups/accounts/group-memory.ts";
import { firstPace, probesForMean } from "../../../../src/groups/accounts/pacing/group-mean.ts";
import { createOnTime } from "../../../../src/groups/accounts/pacing/on-time.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

describe("a group is on time", () => {
  it("from its first run on, as long as the next ones begin when they are due", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    expect(onTime.begin("g", MIN)).toBe(START);
    onTime.end("g", START + 10 * MIN);
    await clock.advance(11 * MIN);
    expect(onTime.begin("g", MIN)).toBe(START);
    expect(onTime.begin("other", MIN)).toBe(START + 11 * MIN);
  });

  it("again from a run that began late, or followed one that failed", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("late", MIN);
    onTime.end("late", START + 10 * MIN);
    onTime.begin("failed", MIN);
    await clock.advance(12 * MIN);
    expect(onTime.begin("late", MIN)).toBe(START + 12 * MIN);
    expect(onTime.begin("failed", MIN)).toBe(START + 12 * MIN);
  });

  it("again from a run that finds the clock set back", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    onTime.end("g", START + 10 * MIN);
    clock.jump(-DAY);
    expect(onTime.begin("g", MIN)).toBe(START - DAY);
  });

  it("again from a run that finds the clock set back by less than it has been on time", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    onTime.end("g", START + HOUR);
    await clock.advance(HOUR);
    onTime.begin("g", MIN);
    onTime.end("g", START + HOUR + 10 * MIN);
    clock.jump(-HOUR / 2);
    await clock.advance(10 * MIN);
    expect(onTime.begin("g", MIN)).toBe(START + 40 * MIN);
  });

  it("again from the end of a run that took too long", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    await clock.advance(5 * MIN);
    onTime.end("g", START + 6 * MIN);
    await clock.advance(MIN);
    expect(onTime.begin("g", MIN)).toBe(START + 5 * MIN);
  });
});

it("learns nothing of its pace while it is slowed down on purpose", () => {
  const freshness = { kind: "mean", meanMs: MIN, maxMs: HOUR } as const;
  const pace = firstPace(
    Array.from({ length: 150 }, () => 12),
    freshness,
    START,
  );
  const query = {
    waiting: [],
    memory: { pace } as GroupMemory,
    awaited: [{ posts: 50, waitedMs: 50 * HOUR }],
    hasProbed: true,
    delaysMs: [HOUR, HOUR],
    startedAtMs: START + HOUR,
    nowMs: START + HOUR,
  };
  const { after } = probesForMean(freshness);
  expect(after({ ...query, factor: 1.5 }).pace).toBe(pace);
  expect(after({ ...query, factor: 1 }).pace?.worth).toBeLessThan(0.9 * pace.worth);
});
