import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../src/model/schedule.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const cron = (pattern: string, timezone = "UTC"): Schedule => ({ kind: "cron", pattern, timezone });
const every = (intervalMs: number): Schedule => ({ kind: "every", intervalMs });
const at = (iso: string) => Date.parse(iso);
const runs = (schedule: Schedule, from: string, count: number) =>
  createTimetable()
    .nextRuns(schedule, at(from), count)
    .map((ms) => new Date(ms).toISOString());

describe("next times", () => {
  it("gives the first tick strictly after a moment", () => {
    expect(runs(cron("*/5 * * * *"), "2026-03-01T10:00:00Z", 2)).toEqual([
      "2026-03-01T10:05:00.000Z",
      "2026-03-01T10:10:00.000Z",
    ]);
    expect(runs(cron("*/2 * * * * *"), "2026-03-01T10:00:00.500Z", 2)).toEqual([
      "2026-03-01T10:00:02.000Z",
      "2026-03-01T10:00:04.000Z",
    ]);
  });

  it("counts an interval from the moment itself, whatever its length", () => {
    expect(createTimetable().nextDue(every(1_000), 12_345)).toBe(13_345);
    expect(createTimetable().nextRuns(every(90_000), 0, 3)).toEqual([90_000, 180_000, 270_000]);
  });

  it("reads a pattern in its own time zone", () => {
    expect(runs(cron("15 6 * * *", "Europe/Berlin"), "2026-01-10T00:00:00Z", 1)).toEqual([
      "2026-01-10T05:15:00.000Z",
    ]);
    expect(runs(cron("15 6 * * *", "Asia/Kathmandu"), "2026-01-10T00:00:00Z", 1)).toEqual([
      "2026-01-10T00:30:00.000Z",
    ]);
  });

  it("finds the next 29 February", () => {
    expect(runs(cron("0 12 29 2 *"), "2026-03-01T00:00:00Z", 2)).toEqual([
      "2028-02-29T12:00:00.000Z",
      "2032-02-29T12:00:00.000Z",
    ]);
  });

  it("says Infinity for a pattern that never matches", () => {
    expect(createTimetable().nextDue(cron("0 0 30 2 *"), 0)).toBe(Number.POSITIVE_INFINITY);
    expect(createTimetable().nextRuns(cron("0 0 30 2 *"), 0, 3)).toEqual([]);
  });

  it.each(["61 * * * *", "* * *", "a b c d e", "", "0 0 0 0 0 0 0"])(
    "refuses the pattern %j with SCHEDULE_INVALID",
    (pattern) => {
      expect(() => createTimetable().nextDue(cron(pattern), 0)).toThrow(
        expect.objectContaining({ code: "SCHEDULE_INVALID" }),
      );
    },
  );

  it("refuses an unknown time zone with SCHEDULE_INVALID", () => {
    expect(() => createTimetable().intervalMs(cron("* * * * *", "Mars/Olympus"), 0)).toThrow(
      expect.objectContaining({ code: "SCHEDULE_INVALID" }),
    );
  });

  it("gives every one of many patterns its own ticks, however they take turns", () => {
    const used = createTimetable();
    const minutes = Array.from({ length: 30 }, (_, minute) => minute);
    for (const fromMs of [at("2026-03-01T10:59:30Z"), at("2026-03-01T11:59:30Z")]) {
      const due = minutes.map((minute) => used.nextDue(cron(`${minute} * * * *`), fromMs));
      expect(due).toEqual(minutes.map((minute) => fromMs + 30_000 + minute * 60_000));
    }
  });

  it("remembers a thousand patterns in less than 10 MB", () => {
    const used = createTimetable();
    const usedBytes = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = usedBytes();
    for (let i = 0; i < 1_000; i += 1)
      used.nextDue(cron(`${i % 60} ${Math.floor(i / 60)} * * *`), 0);
    expect(usedBytes() - before).toBeLessThan(10_000_000);
    expect(used.nextDue(cron("0 0 * * *"), 0)).toBe(86_400_000);
  });

  it("answers the same for any order of questions as a timetable that was never asked before", () => {
    const schedules = [
      cron("*/7 * * * *", "Europe/Berlin"),
      cron("30 1,2,3 * * *", "Europe/Berlin"),
      cron("5 */6 * * 1-5", "America/New_York"),
    ];
    const used = createTimetable();
    const year = { min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") };
    fc.assert(
      fc.property(fc.integer(year), fc.constantFrom(...schedules), (fromMs, schedule) => {
        const next = used.nextDue(schedule, fromMs);
        expect(next).toBeGreaterThan(fromMs);
        expect(next).toBe(createTimetable().nextDue(schedule, fromMs));
        expect(createTimetable().nextDue(schedule, next - 1)).toBe(next);
      }),
      { numRuns: 300 },
    );
  });

  it("stays cheap when ten thousand watches share sixty patterns", () => {
    const timetable = createTimetable();
    const heapBefore = process.memoryUsage().heapUsed;
    for (let i = 0; i < 10_000; i += 1)
      timetable.nextDue(cron(`${i % 60} * * * *`, "Europe/Berlin"), 1_000_000);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(60_000_000);
  });
});

describe("daylight saving", () => {
  it("fault 73: 02:30 runs once on the night that has no 02:30, right after the gap", () => {
    expect(runs(cron("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00Z", 3)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
      "2026-03-31T00:30:00.000Z",
    ]);
  });

  it("fault 73: a list of hours keeps the one that falls into the gap", () => {
    const night = runs(cron("30 1,2,3 * * *", "Europe/Berlin"), "2026-03-28T23:00:00Z", 4);
    expect(night.slice(0, 3)).toEqual([
      "2026-03-29T00:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-29T01:30:00.000Z",
    ]);
  });

  it("fault 74: 01:30 runs once on the night that has it twice", () => {
    expect(runs(cron("30 1 * * *", "America/New_York"), "2026-10-31T12:00:00Z", 2)).toEqual([
      "2026-11-01T05:30:00.000Z",
      "2026-11-02T06:30:00.000Z",
    ]);
  });

  it("fault 74: asking between the two 01:30 does not bring the second one", () => {
    const next = createTimetable().nextDue(
      cron("30 1 * * *", "America/New_York"),
      at("2026-11-01T05:45:00Z"),
    );
    expect(new Date(next).toISOString()).toBe("2026-11-02T06:30:00.000Z");
  });

  it("fault 74: a list of hours runs each once", () => {
    const night = runs(cron("30 1,2,3 * * *", "Europe/Berlin"), "2026-10-24T22:00:00Z", 4);
    expect(night).toEqual([
      "2026-10-24T23:30:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T02:30:00.000Z",
      "2026-10-26T00:30:00.000Z",
    ]);
  });

  it("a pattern for every hour follows real time through both nights", () => {
    for (const from of ["2026-03-28T23:10:00Z", "2026-10-24T23:10:00Z"]) {
      const ticks = createTimetable().nextRuns(cron("*/20 * * * *", "Europe/Berlin"), at(from), 15);
      expect(new Set(ticks.slice(1).map((ms, i) => ms - (ticks[i] ?? 0)))).toEqual(
        new Set([1_200_000]),
      );
    }
  });
});

describe("interval and rate", () => {
  const noon = at("2026-05-06T12:00:00Z");

  it("calls the shortest gap the interval", () => {
    const timetable = createTimetable();
    expect(timetable.intervalMs(cron("*/10 * * * *"), noon)).toBe(600_000);
    expect(timetable.intervalMs(cron("0,1 9 * * *"), noon)).toBe(60_000);
    expect(timetable.intervalMs(cron("0 0 29 2 *"), noon)).toBeGreaterThan(365 * 86_400_000);
    expect(timetable.intervalMs(cron("0 0 30 2 *"), noon)).toBe(Number.POSITIVE_INFINITY);
    expect(timetable.intervalMs(every(5_000), noon)).toBe(5_000);
  });

  it.each([
    [cron("* * * * *"), 1_440],
    [cron("*/20 * * * * *"), 4_320],
    [cron("* 9-16 * * *"), 480],
    [cron("7 */6 * * *", "Europe/Berlin"), 4],
    [every(5_000), 17_280],
  ])("counts the polls of an average day: %j", (schedule, expected) => {
    expect(createTimetable().pollsPerDay(schedule, noon)).toBeCloseTo(expected, 6);
  });

  it("counts rare patterns as fractions of a day", () => {
    expect(createTimetable().pollsPerDay(cron("0 8 * * 1"), noon)).toBeCloseTo(1 / 7, 2);
    expect(createTimetable().pollsPerDay(cron("0 8 1 * *"), noon)).toBeCloseTo(12 / 365, 6);
  });

  it("prefers the shortest interval, and of equals the one with more polls", () => {
    const timetable = createTimetable();
    expect(timetable.fastest([every(300_000), cron("* * * * *"), every(120_000)], noon)).toEqual(
      cron("* * * * *"),
    );
    expect(timetable.fastest([cron("* 9-16 * * *"), cron("* * * * *")], noon)).toEqual(
      cron("* * * * *"),
    );
    expect(timetable.fastest([every(60_000), every(60_000)], noon)).toEqual(every(60_000));
  });
});
