import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMutedForever, muteOf } from "../../src/route/mute.ts";
import type { Muting } from "../../src/route/route.ts";
import {
  createTimeInterval,
  parseDates,
  parseTimeOfDay,
  parseWeekdays,
  type TimeWindow,
} from "../../src/route/time-interval.ts";
import { isTimezone } from "../../src/route/zone.ts";
import { manyRuns } from "../support/many-runs.ts";

const berlin = (start: string, end: string, weekdays: readonly number[] = []): TimeWindow => ({
  times: [{ startMinute: parseTimeOfDay(start) ?? -1, endMinute: parseTimeOfDay(end) ?? -1 }],
  weekdays,
  timezone: "Europe/Berlin",
});

function endOf(windows: readonly TimeWindow[], at: string): string | undefined {
  const endMs = createTimeInterval({ name: "test", windows }).endsAt(Date.parse(at));
  return endMs === undefined ? undefined : new Date(endMs).toISOString();
}

const startOf = (windows: readonly TimeWindow[], at: string): string =>
  new Date(createTimeInterval({ name: "test", windows }).startsAt(Date.parse(at))).toISOString();

describe("the next start of a time interval", () => {
  it("is that of any of its windows, on any of their days", () => {
    const windows = [berlin("09:00", "18:00", [1, 2, 3, 4, 5]), berlin("12:00", "13:00", [0])];
    expect(startOf(windows, "2026-01-15T08:00:00Z")).toBe("2026-01-16T08:00:00.000Z");
    expect(startOf(windows, "2026-01-16T17:00:00Z")).toBe("2026-01-18T11:00:00.000Z");
    expect(startOf(windows, "2026-01-18T11:00:00Z")).toBe("2026-01-19T08:00:00.000Z");
  });

  it("is the wall clock's, before and after a change of the clocks", () => {
    const nights = [berlin("22:00", "07:00")];
    expect(startOf(nights, "2026-03-28T22:00:00Z")).toBe("2026-03-29T20:00:00.000Z");
    expect(startOf(nights, "2026-03-28T20:00:00Z")).toBe("2026-03-28T21:00:00.000Z");
  });

  it("is a week away for a window that the clocks skip", () => {
    expect(startOf([berlin("02:10", "02:50", [0])], "2026-03-28T12:00:00Z")).toBe(
      "2026-04-05T00:10:00.000Z",
    );
  });
});

describe("a time interval", () => {
  const nights = [berlin("22:00", "07:00")];

  it("crosses midnight in its own time zone", () => {
    expect(endOf(nights, "2026-01-10T20:59:59.999Z")).toBeUndefined();
    expect(endOf(nights, "2026-01-10T21:00:00.000Z")).toBe("2026-01-11T06:00:00.000Z");
    expect(endOf(nights, "2026-01-11T05:59:59.999Z")).toBe("2026-01-11T06:00:00.000Z");
    expect(endOf(nights, "2026-01-11T06:00:00.000Z")).toBeUndefined();
  });

  it("that ends when it starts holds a whole day", () => {
    const thursday = [berlin("09:00", "09:00", [4])];
    expect(endOf(thursday, "2026-01-15T07:59:59.999Z")).toBeUndefined();
    expect(endOf(thursday, "2026-01-15T08:00:00Z")).toBe("2026-01-16T08:00:00.000Z");
  });

  it("ends at the wall clock's time in the nights the clock is changed", () => {
    expect(endOf(nights, "2026-03-28T22:00:00Z")).toBe("2026-03-29T05:00:00.000Z");
    expect(endOf(nights, "2026-10-24T21:00:00Z")).toBe("2026-10-25T06:00:00.000Z");
  });

  it("starts when the clock jumps over its start, and never holds when it lies wholly in the gap", () => {
    const early = [berlin("02:30", "04:00")];
    expect(endOf(early, "2026-03-29T00:59:59Z")).toBeUndefined();
    expect(endOf(early, "2026-03-29T01:00:00Z")).toBe("2026-03-29T02:00:00.000Z");
    expect(endOf([berlin("02:10", "02:50")], "2026-03-29T01:20:00Z")).toBeUndefined();
  });

  it("holds through both passes of an hour the clock repeats", () => {
    expect(endOf([berlin("02:00", "03:00")], "2026-10-25T00:30:00Z")).toBe(
      "2026-10-25T02:00:00.000Z",
    );
    expect(endOf([berlin("01:00", "02:30")], "2026-10-25T00:45:00Z")).toBe(
      "2026-10-25T01:30:00.000Z",
    );
  });

  it("counts a window over midnight to the weekday it starts on", () => {
    const fridayNight = [berlin("22:00", "07:00", [5])];
    expect(endOf(fridayNight, "2026-01-10T03:00:00Z")).toBe("2026-01-10T06:00:00.000Z");
    expect(endOf(fridayNight, "2026-01-09T03:00:00Z")).toBeUndefined();
  });

  it("joins windows that touch", () => {
    const weekend: TimeWindow = { times: [], weekdays: [6, 0], timezone: "Europe/Berlin" };
    const mondayMorning = berlin("00:00", "08:00", [1]);
    expect(endOf([weekend, mondayMorning], "2026-01-10T12:00:00Z")).toBe(
      "2026-01-12T07:00:00.000Z",
    );
  });

  it("has no end where it always holds", () => {
    const always: TimeWindow = { times: [], weekdays: [], timezone: "UTC" };
    const { endsAt } = createTimeInterval({ name: "always", windows: [always] });
    expect(endsAt(Date.parse("2026-01-10T12:00:00Z"))).toBe(Number.POSITIVE_INFINITY);
  });

  it("never holds without windows", () => {
    expect(endOf([], "2026-01-10T12:00:00Z")).toBeUndefined();
  });

  it("always ends after now, and does not hold at its own end", () => {
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Pacific/Kiritimati",
      "Australia/Lord_Howe",
    );
    const minute = fc.integer({ min: 0, max: 1439 });
    const time = fc.record({ startMinute: minute, endMinute: minute });
    const windows = fc.array(
      fc.record({
        times: fc.array(time, { minLength: 1, maxLength: 2 }),
        weekdays: fc.subarray([1, 2, 3, 4, 5, 6], { minLength: 1 }),
        timezone: zone,
      }),
      { minLength: 1, maxLength: 2 },
    );
    const year = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) });
    fc.assert(
      fc.property(windows, year, (spec, atMs) => {
        const interval = createTimeInterval({ name: "any", windows: spec });
        const endMs = interval.endsAt(atMs);
        if (endMs === undefined) return;
        expect(endMs).toBeGreaterThan(atMs);
        // An interval that lasts this long never ends.
        if (endMs - atMs >= 9 * 86_400_000) return;
        expect(interval.endsAt(endMs)).toBeUndefined();
        expect(interval.endsAt(endMs - 1)).toBe(endMs);
      }),
      { numRuns: 60 },
    );
  });
});

describe("parsing", () => {
  it("reads times of day", () => {
    expect(
      ["00:00", " 7:05 ", "24:00", "24:01", "25:00", "9", "09:60", "09:000", "109:00"].map(
        parseTimeOfDay,
      ),
    ).toEqual([0, 425, 1440, undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  it("reads weekdays and ranges of them", () => {
    expect(
      [
        " Sat ",
        "monday:friday",
        "fri:mon",
        "sunday",
        "sat:sun",
        "funday",
        "funday:mon",
        "mon:funday",
        "mon:tue:fri",
      ].map(parseWeekdays),
    ).toEqual([
      [6],
      [1, 2, 3, 4, 5],
      [5, 6, 0, 1],
      [0],
      [6, 0],
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("knows time zones", () => {
    expect(["Europe/Berlin", "UTC", "Mars/Base"].map(isTimezone)).toEqual([true, true, false]);
  });
});

/**
 * Returns whether all parts of the entry match a minute, by a wall clock in the entry's time zone.
 */
function holdsAt({ timezone, weekdays, times, dates = [] }: TimeWindow, minute: number): boolean {
  const shown = new Date(minute * 60_000).toLocaleString("sv-SE", { timeZone: timezone });
  const [date = "", clock = ""] = shown.split(" ");
  const today = Date.parse(`${date}T00:00Z`) / 86_400_000;
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  const now = hours * 60 + minutes;
  const isOn = (day: number) =>
    dates.some(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay) &&
    (weekdays.length === 0 || weekdays.includes(new Date(day * 86_400_000).getUTCDay()));
  if (times.length === 0) return isOn(today);
  return times.some(({ startMinute, endMinute }) =>
    startMinute < endMinute
      ? isOn(today) && startMinute <= now && now < endMinute
      : (isOn(today) && startMinute <= now) || (isOn(today - 1) && now < endMinute),
  );
}

describe("a time interval with dates", () => {
  const on = (dates: string, rest: Partial<TimeWindow> = {}): TimeWindow => {
    const range = parseDates(dates);
    if (range === undefined) throw new Error(`${dates} is no range`);
    return { times: [], weekdays: [], timezone: "Europe/Berlin", dates: [range], ...rest };
  };

  it("holds on these days of its own time zone, both included, and ends at its true end, weeks later", () => {
    const holidays = [on("2026-12-20:2027-01-06")];
    expect(endOf(holidays, "2026-12-19T22:59:59Z")).toBeUndefined();
    expect(endOf(holidays, "2026-12-19T23:00:00Z")).toBe("2027-01-06T23:00:00.000Z");
    expect(endOf(holidays, "2027-01-06T22:59:59Z")).toBe("2027-01-06T23:00:00.000Z");
    expect(endOf(holidays, "2027-01-06T23:00:00Z")).toBeUndefined();
  });

  it("begins years from now, and never again once its days have passed", () => {
    const far = [on("2031-05-01:2031-05-31")];
    expect(startOf(far, "2026-01-01T00:00:00Z")).toBe("2031-04-30T22:00:00.000Z");
    const { startsAt } = createTimeInterval({ name: "far", windows: far });
    expect(startsAt(Date.parse("2031-06-01T00:00:00Z"))).toBe(Number.POSITIVE_INFINITY);
  });

  it("holds only where all parts of an entry do", () => {
    const { times } = berlin("22:00", "07:00");
    const nights = [on("2026-12-24:2026-12-26", { times, weekdays: [5] })];
    // 25 December 2026 is a Friday, and a night belongs to the day on which it begins.
    expect(endOf(nights, "2026-12-24T22:00:00Z")).toBeUndefined();
    expect(endOf(nights, "2026-12-25T22:00:00Z")).toBe("2026-12-26T06:00:00.000Z");
    expect(endOf(nights, "2027-01-01T22:00:00Z")).toBeUndefined();
  });

  it("joins the intervals that touch it, also over months", () => {
    const both = [on("2026-12-01:2027-03-31"), berlin("20:00", "08:00")];
    expect(endOf(both, "2026-12-01T12:00:00Z")).toBe("2027-04-01T06:00:00.000Z");
  });

  it("agrees with the wall clock of any time zone, which is read minute by minute", () => {
    const drawn = fc.record({
      timezone: fc.constantFrom("Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"),
      firstDay: fc.integer({ min: 20_800, max: 20_830 }),
      length: fc.integer({ min: 0, max: 24 }),
      weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6]),
      times: fc.constantFrom<TimeWindow["times"]>(
        [],
        [{ startMinute: 8 * 60, endMinute: 17 * 60 + 30 }],
        [{ startMinute: 22 * 60, endMinute: 7 * 60 }],
      ),
      at: fc.integer({ min: 20_795 * 1_440, max: 20_860 * 1_440 }),
    });
    fc.assert(
      fc.property(drawn, ({ timezone, firstDay, length, weekdays, times, at }) => {
        const dates = [{ firstDay, lastDay: firstDay + length }];
        const window = { timezone, weekdays, times, dates };
        const { endsAt } = createTimeInterval({ name: "any", windows: [window] });
        const endMs = endsAt(at * 60_000);
        if (!holdsAt(window, at)) {
          expect(endMs).toBeUndefined();
          return;
        }
        let end = at;
        while (holdsAt(window, end)) end += 30;
        // The clocks of these zones differ from UTC by whole half hours.
        expect(endMs).toBe(Math.floor(end / 30) * 30 * 60_000);
      }),
      { numRuns: manyRuns(60, 2_000) },
    );
  });

  it.each([
    "2026-12-24:2026-12-23",
    "2026-02-30",
    "24.12.2026",
    "2026-12-24:",
    "2026-12-24:2026-12-25:2026-12-26",
    "",
  ])("is refused as %j", (text) => {
    expect(parseDates(text)).toBeUndefined();
  });
});

describe("a mute with dates", () => {
  const interval = (dates: string) => {
    const range = parseDates(dates);
    return createTimeInterval({
      name: "x",
      windows: [
        { times: [], weekdays: [], timezone: "UTC", dates: range === undefined ? [] : [range] },
      ],
    });
  };
  const nowMs = Date.parse("2026-12-10T12:00:00Z");
  const until = (muting: Muting) => {
    const mute = muteOf({ ...muting, onMute: "hold" }, nowMs, nowMs);
    return mute.kind === "hold" ? new Date(mute.untilMs).toISOString() : mute.kind;
  };

  it("holds until its true end: weeks for a mute, years before active hours begin", () => {
    expect(until({ mutes: [interval("2026-12-01:2027-01-31")] })).toBe("2027-02-01T00:00:00.000Z");
    expect(
      until({ mutes: [interval("2026-12-01:2026-12-20"), interval("2026-12-21:2027-02-28")] }),
    ).toBe("2027-03-01T00:00:00.000Z");
    expect(until({ actives: [interval("2030-01-01:2030-12-31")] })).toBe(
      "2030-01-01T00:00:00.000Z",
    );
    expect(until({ mutes: [interval("2025-01-01:2025-12-31")] })).toBe("none");
  });

  it("is for ever where active hours never come again, and only then", () => {
    expect(isMutedForever({ actives: [interval("2025-01-01:2025-12-31")] }, nowMs)).toBe(true);
    expect(isMutedForever({ actives: [interval("2030-01-01:2030-12-31")] }, nowMs)).toBe(false);
    expect(isMutedForever({ mutes: [interval("2026-01-01:2059-12-31")] }, nowMs)).toBe(false);
  });
});
