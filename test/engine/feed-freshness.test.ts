/**
 * Tests feeds of tweets whose reads are placed by freshness. test/long/feed-freshness.test.ts
 * measures the cost and the delay over days.
 */
import { describe, expect, it } from "vitest";
import type { Freshness } from "../../src/model/schedule.ts";
import { readRatios } from "../../src/engine/quota/day-counter.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { DAY, feedOf, HOUR, MIN, search, setup, START } from "./fresh-feed.ts";

const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };

describe("a search of bursts", () => {
  it("waits no longer than `max`, and after a restart goes on with what it learned", async () => {
    const feed = feedOf(2, 4, 15);
    const { clock, harness, alerted, since } = await setup(
      [search({ freshness: MEAN })],
      feed.answer,
    );
    await clock.advance(DAY);
    const before = since(START + DAY / 2).length;
    await harness.restart();
    const from = clock.now();
    await clock.advance(0.5 * DAY);
    const times = since(from);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10 * MIN + 1_000);
    expect(Math.max(...gaps)).toBeGreaterThan(4 * MIN);
    expect(times.length / before).toBeGreaterThan(0.6);
    expect(times.length / before).toBeLessThan(1.6);
    expect(times.length).toBeLessThan(0.85 * 360);
    const ids = await alerted();
    expect(ids).toEqual(expect.arrayContaining(feed.posted(clock.now() - 20 * MIN)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is forecast by its own days, once one was counted", async () => {
    const feed = feedOf(3.2, 30, 4);
    const { clock, harness, since } = await setup([search({ freshness: MEAN })], feed.answer, true);
    const forecast = async () => {
      const ratioOf = await readRatios(harness.store);
      return createForecast(harness.engine.polls, {
        timetable: createTimetable(),
        nowMs: clock.now(),
        ratioOf,
      }).watches.get("s");
    };
    expect(await forecast()).toMatchObject({ basis: "assumed", requestsPerDay: 576 });
    // The first hour is not counted, and a day ends with the hour that completes it.
    await clock.advance(27 * HOUR);
    const counted = await forecast();
    expect(counted).toMatchObject({ basis: "counted" });
    const from = clock.now();
    await clock.advance(DAY);
    const share = (counted?.requestsPerDay ?? 0) / since(from).length;
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(1.25);
    // The daemon reports the same figure.
    expect(harness.quotaMonitor.status.paces.get("s")?.askedPerDay).toBeCloseTo(
      (await forecast())?.requestsPerDay ?? 0,
    );
    await harness.restart();
    expect(await forecast()).toMatchObject({ basis: "counted" });
  });

  it("is read by the schedule of a subscriber who has one, and by the strictest freshness of those who have none", async () => {
    const feed = feedOf(1, 2, 1);
    const scheduled = { ...search({ schedule: { kind: "every", intervalMs: 5 * MIN } }), id: "b" };
    const lax = search({ freshness: { kind: "mean", meanMs: HOUR, maxMs: DAY } });
    const { clock, harness, since } = await setup([lax, scheduled], feed.answer);
    await clock.advance(HOUR);
    expect(since(START).length).toBeGreaterThanOrEqual(12);
    await harness.setWatches([lax, { ...search({ freshness: MEAN }), id: "b" }]);
    expect(harness.engine.polls.map(({ timing }) => timing)).toEqual([
      { kind: "freshness", freshness: MEAN },
    ]);
  });
});
