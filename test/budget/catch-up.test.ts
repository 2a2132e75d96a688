import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CatchUp, createCatchUp, sparePace } from "../../src/budget/catch-up.ts";
import type { Priority } from "../../src/model/schedule.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const query = {
  softLimit: 9_000,
  spent: 0,
  nowMs: 0,
  periodEndMs: 30 * DAY,
  plannedPerDay: 100,
  plannedPagesPerDay: 10,
};

describe("what the month can spare", () => {
  it("is an hour of an even pace at once, then what the plan leaves besides the pages it plans for", () => {
    // An even use would be 300 a day, and the plan leaves 200 of them. 6,000 in total, and a
    // quarter of the remaining time is 7.5 days.
    expect(sparePace(query)).toEqual({ capacity: 20, perDay: 810 });
    expect(sparePace({ ...query, softLimit: 90_000 })).toEqual({
      capacity: 125,
      perDay: 10 + 2_900 * 4,
    });
  });

  it("is given out within a day at the end of the period", () => {
    expect(sparePace({ ...query, nowMs: 28 * DAY, spent: 8_700 })?.perDay).toBe(10 + 100);
    expect(sparePace({ ...query, nowMs: 29.5 * DAY, spent: 8_900 })?.perDay).toBe(10 + 100);
  });

  it("is a tenth of an even pace where the plan leaves nothing", () => {
    expect(sparePace({ ...query, plannedPerDay: 5_000 })?.perDay).toBe(40);
  });

  it("is unknown while the limit is", () => {
    expect(sparePace({ ...query, softLimit: undefined })).toBeUndefined();
  });
});

describe("pages beyond the first", () => {
  /**
   * Makes polls that read this many further pages each, one after the other. Returns how many pages
   * they got.
   */
  const read = (
    catchUp: CatchUp,
    polls: number,
    pages: number,
    nowMs: number,
    priority: Priority = "high",
  ): number => {
    let count = 0;
    for (let poll = 0; poll < polls; poll += 1) {
      catchUp.begin(`s${poll}`, nowMs);
      for (let page = 0; page < pages && catchUp.take(`s${poll}`, priority, nowMs); page += 1)
        count += 1;
    }
    for (let poll = 0; poll < polls; poll += 1) catchUp.begin(`s${poll}`, nowMs);
    return count;
  };

  it("may be read without end while no limit is known", () => {
    expect(read(createCatchUp(), 10, 100, 0)).toBe(1_000);
  });

  it("begin with a full bucket and then come at the pace", () => {
    const catchUp = createCatchUp();
    catchUp.adjust({ capacity: 40, perDay: 24 }, 0);
    expect(read(catchUp, 10, 10, 0)).toBe(40);
    expect(read(catchUp, 10, 10, 9 * HOUR)).toBe(0);
    expect(read(catchUp, 10, 10, 10 * HOUR)).toBe(10);
  });

  it("are let to the end of a walk once it was let in, and what that took too much is made good", () => {
    const catchUp = createCatchUp();
    catchUp.adjust({ capacity: 20, perDay: 24 }, 0);
    expect(read(catchUp, 1, 30, 0)).toBe(30);
    expect(read(catchUp, 1, 1, 19 * HOUR)).toBe(0);
    expect(read(catchUp, 1, 1, 20 * HOUR)).toBe(1);
  });

  it("may be more at once as soon as the bucket is larger, less what was taken", () => {
    const catchUp = createCatchUp();
    catchUp.adjust({ capacity: 20, perDay: 0 }, 0);
    expect(read(catchUp, 1, 10, 0)).toBe(10);
    catchUp.adjust({ capacity: 120, perDay: 0 }, 0);
    expect(read(catchUp, 20, 10, 0)).toBe(110);
  });

  it("are fewer by those that others have read, until that is made good", () => {
    const catchUp = createCatchUp();
    catchUp.takenByOthers(1_000);
    catchUp.adjust({ capacity: 40, perDay: 24 }, 0);
    catchUp.takenByOthers(50);
    expect(read(catchUp, 10, 10, 0)).toBe(0);
    catchUp.takenByOthers(-10);
    expect(read(catchUp, 10, 10, 9 * HOUR)).toBe(0);
    expect(read(catchUp, 10, 10, 10 * HOUR)).toBe(10);
    catchUp.takenByOthers(-1_000);
    expect(read(catchUp, 10, 10, 10 * HOUR)).toBe(40);
  });

  it("give back what was reserved and not needed, at the next walk or after a minute", () => {
    const catchUp = createCatchUp();
    catchUp.adjust({ capacity: 20, perDay: 0 }, 0);
    for (let poll = 0; poll < 5; poll += 1) expect(read(catchUp, 1, 1, 0)).toBe(1);
    expect(catchUp.take("a", "high", 0)).toBe(true);
    expect(catchUp.take("b", "high", 0)).toBe(false);
    expect(catchUp.take("b", "high", 60_000)).toBe(true);
  });

  it("are left to high priority when few may be read", () => {
    const catchUp = createCatchUp();
    catchUp.adjust({ capacity: 50, perDay: 0 }, 0);
    expect(read(catchUp, 9, 10, 0, "low")).toBe(20);
    expect(read(catchUp, 9, 10, 0, "normal")).toBe(20);
    expect(read(catchUp, 9, 10, 0, "high")).toBe(10);
  });

  it("never exceed the bucket and the pace by more than one walk, however the pace changes", () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 6 * HOUR }),
      perDay: fc.integer({ min: 0, max: 5_000 }),
      pages: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const catchUp = createCatchUp();
        let nowMs = 0;
        let taken = 0;
        let allowed = 20;
        let perDay = 0;
        catchUp.adjust({ capacity: 20, perDay }, 0);
        for (const { waitMs, perDay: next, pages } of steps) {
          nowMs += waitMs;
          allowed += (perDay * waitMs) / DAY;
          taken += read(catchUp, 1, pages, nowMs);
          perDay = next;
          catchUp.adjust({ capacity: 20, perDay }, nowMs);
        }
        expect(taken).toBeLessThanOrEqual(allowed + 30);
      }),
    );
  });
});
