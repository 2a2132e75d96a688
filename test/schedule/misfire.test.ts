import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../src/model/schedule.ts";
import { createJumpMonitor, nextTick } from "../../src/schedule/misfire.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";

const timetable = createTimetable();
const at = (time: string) => Date.parse(`2026-06-10T${time}Z`);
const text = (ms: number) => new Date(ms).toISOString().slice(0, 19);
const HOUR = 3_600_000;
const minutely: Schedule = { kind: "cron", pattern: "* * * * *", timezone: "UTC" };
const daily: Schedule = { kind: "cron", pattern: "0 12 * * *", timezone: "UTC" };
const hourly: Schedule = { kind: "cron", pattern: "0 * * * *", timezone: "UTC" };
const every5m: Schedule = { kind: "every", intervalMs: 300_000 };
const ask = (schedule: Schedule, lastTickMs: number, nowMs: number, spreadMs = 0) =>
  nextTick(timetable, { schedule, lastTickMs, nowMs, spreadMs });

describe("the tick that follows", () => {
  it("keeps an interval on the grid of its last tick, however late the poll started", () => {
    expect(ask(every5m, at("12:00:00"), at("12:00:41"))).toBe(at("12:05:00"));
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10_000_000 }),
        fc.integer({ min: 0, max: 100_000_000 }),
        (intervalMs, lateMs) => {
          const next = ask({ kind: "every", intervalMs }, 1_000_000, 1_000_000 + lateMs);
          expect((next - 1_000_000) % intervalMs).toBe(0);
          expect(next).toBeGreaterThan(1_000_000 + lateMs);
          expect(next - intervalMs).toBeLessThanOrEqual(1_000_000 + lateMs);
        },
      ),
    );
  });

  it("does not count a tick as missed whose spread is still to come", () => {
    expect(ask(minutely, at("12:00:00"), at("12:01:03"), 6_000)).toBe(at("12:01:00"));
    expect(ask(minutely, at("12:00:00"), at("12:01:07"), 6_000)).toBe(at("12:02:00"));
    expect(ask(every5m, at("12:00:00"), at("12:05:03"), 6_000)).toBe(at("12:05:00"));
  });

  it("fault 76: eight hours of sleep leave one run and then the ordinary next tick", () => {
    expect(ask(minutely, at("01:00:00"), at("09:00:30"))).toBe(at("09:01:00"));
    expect(ask(every5m, at("01:00:00"), at("09:00:30"))).toBe(at("09:05:00"));
    expect(ask(hourly, at("01:00:00"), at("09:00:30"))).toBe(at("10:00:00"));
  });

  it("fault 71: a jump of an hour ahead leaves one run and then the ordinary next tick", () => {
    expect(text(ask(minutely, at("12:00:00"), at("13:00:10")))).toBe("2026-06-10T13:01:00");
    expect(text(ask(daily, at("12:00:00"), at("13:00:10")))).toBe("2026-06-11T12:00:00");
  });

  it("fault 72: a jump of an hour back freezes no frequent poll", () => {
    expect(text(ask(minutely, at("12:00:00"), at("11:00:10")))).toBe("2026-06-10T11:01:00");
    expect(text(ask(every5m, at("12:00:00"), at("11:00:10")))).toBe("2026-06-10T11:05:10");
  });

  it("fault 72: a jump of an hour back runs no tick a second time", () => {
    expect(text(ask(daily, at("12:00:00"), at("11:05:00")))).toBe("2026-06-11T12:00:00");
    expect(text(ask(hourly, at("12:00:00"), at("11:05:00")))).toBe("2026-06-10T13:00:00");
  });

  it("waits as many intervals as the governor asks, and cron ticks stay on the pattern", () => {
    const slowed = (schedule: Schedule, factor: number) =>
      nextTick(timetable, {
        schedule,
        lastTickMs: at("12:00:00"),
        nowMs: at("12:00:05"),
        spreadMs: 0,
        slowDownFactor: factor,
      });
    expect(slowed(minutely, 3)).toBe(at("12:03:00"));
    expect(slowed(minutely, 2.5)).toBe(at("12:03:00"));
    expect(slowed(every5m, 1.5)).toBe(at("12:07:30"));
    expect(slowed(minutely, 1)).toBe(at("12:01:00"));
  });

  it("is always in the future and never the tick that ran", () => {
    const schedules = [minutely, hourly, daily, every5m];
    const jumpMs = fc.integer({ min: -3 * HOUR, max: 30 * HOUR });
    fc.assert(
      fc.property(fc.constantFrom(...schedules), jumpMs, (schedule, jump) => {
        const next = ask(schedule, at("12:00:00"), at("12:00:00") + jump);
        expect(next).toBeGreaterThan(at("12:00:00") + jump);
        expect(next).not.toBe(at("12:00:00"));
      }),
    );
  });
});

describe("noticing a clock that was set", () => {
  it("reports a jump once, in both directions", () => {
    const watch = createJumpMonitor(1_000_000, 0);
    expect(watch.observe(1_010_000, 10_000)).toBe(0);
    expect(watch.observe(1_010_000 + HOUR, 10_000)).toBe(HOUR);
    expect(watch.observe(1_020_000 + HOUR, 20_000)).toBe(0);
    expect(watch.observe(1_030_000, 30_000)).toBe(-HOUR);
  });

  it("fault 75: takes a smeared leap second for ordinary correction", () => {
    const watch = createJumpMonitor(0, 0);
    for (let i = 1; i <= 100; i += 1) expect(watch.observe(i * 10_010, i * 10_000)).toBe(0);
  });
});
