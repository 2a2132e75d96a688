import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quotaPeriod } from "../../src/budget/quota-period.ts";

const at = (iso: string) => Date.parse(iso);
const period = (iso: string, resetDay: number, timezone = "UTC") => {
  const { startMs, endMs, id } = quotaPeriod(at(iso), { resetDay, timezone });
  return {
    start: new Date(startMs).toISOString().slice(0, 16),
    end: new Date(endMs).toISOString().slice(0, 16),
    id,
  };
};

describe("quota period", () => {
  it("runs from reset day to reset day", () => {
    expect(period("2026-03-10T12:00:00Z", 1)).toEqual({
      start: "2026-03-01T00:00",
      end: "2026-04-01T00:00",
      id: "2026-03-01",
    });
    expect(period("2026-03-10T12:00:00Z", 15)).toEqual({
      start: "2026-02-15T00:00",
      end: "2026-03-15T00:00",
      id: "2026-02-15",
    });
    expect(period("2026-01-10T12:00:00Z", 15)).toEqual({
      start: "2025-12-15T00:00",
      end: "2026-01-15T00:00",
      id: "2025-12-15",
    });
  });

  it("resets on the last day of months that are too short", () => {
    expect(period("2026-02-28T00:00:00Z", 31)).toEqual({
      start: "2026-02-28T00:00",
      end: "2026-03-31T00:00",
      id: "2026-02-28",
    });
    expect(period("2028-02-28T23:59:59Z", 31)).toEqual({
      start: "2028-01-31T00:00",
      end: "2028-02-29T00:00",
      id: "2028-01-31",
    });
    expect(period("2026-04-30T05:00:00Z", 30)).toEqual({
      start: "2026-04-30T00:00",
      end: "2026-05-30T00:00",
      id: "2026-04-30",
    });
  });

  it("fault 77: the month turns at midnight of the configured zone, not of UTC", () => {
    expect(period("2026-03-31T14:59:59Z", 1, "Asia/Tokyo").id).toBe("2026-03-01");
    expect(period("2026-03-31T15:00:00Z", 1, "Asia/Tokyo")).toEqual({
      start: "2026-03-31T15:00",
      end: "2026-04-30T15:00",
      id: "2026-04-01",
    });
    expect(period("2026-04-01T03:59:59Z", 1, "America/New_York").id).toBe("2026-03-01");
    expect(period("2026-04-01T04:00:00Z", 1, "America/New_York").id).toBe("2026-04-01");
  });

  it("starts at the first instant of a day whose midnight is skipped", () => {
    // Santiago: 2026-09-06 00:00 does not exist, clocks go to 01:00 at 04:00 UTC.
    expect(period("2026-09-06T04:00:00Z", 6, "America/Santiago")).toMatchObject({
      start: "2026-09-06T04:00",
      id: "2026-09-06",
    });
    expect(period("2026-09-06T03:59:59Z", 6, "America/Santiago")).toMatchObject({
      end: "2026-09-06T04:00",
      id: "2026-08-06",
    });
  });

  it("knows the offset of midnight itself on a day that changes the clocks later", () => {
    expect(period("2026-09-27T05:00:00Z", 27, "Pacific/Auckland")).toMatchObject({
      start: "2026-09-26T12:00",
      id: "2026-09-27",
    });
    expect(period("2026-03-08T12:00:00Z", 8, "America/New_York")).toMatchObject({
      start: "2026-03-08T05:00",
      id: "2026-03-08",
    });
  });

  it("fault 77: every moment belongs to one period, and periods meet without gap or overlap", () => {
    const zones = [
      "UTC",
      "Asia/Tokyo",
      "America/New_York",
      "America/Santiago",
      "Europe/Berlin",
      "Pacific/Auckland",
      "Asia/Kathmandu",
      "Africa/Cairo",
    ];
    const moment = fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2030-01-01T00:00:00Z") });
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 1, max: 31 }),
        fc.constantFrom(...zones),
        (nowMs, resetDay, timezone) => {
          const calendar = { resetDay, timezone };
          const now = quotaPeriod(nowMs, calendar);
          expect(now.startMs).toBeLessThanOrEqual(nowMs);
          expect(now.endMs).toBeGreaterThan(nowMs);
          expect(quotaPeriod(now.startMs, calendar)).toEqual(now);
          expect(quotaPeriod(now.endMs - 1, calendar)).toEqual(now);
          expect(quotaPeriod(now.endMs, calendar).startMs).toBe(now.endMs);
          expect(now.endMs - now.startMs).toBeGreaterThan(27 * 86_400_000);
          expect(now.endMs - now.startMs).toBeLessThan(32 * 86_400_000);
        },
      ),
      { numRuns: 400 },
    );
  });
});
