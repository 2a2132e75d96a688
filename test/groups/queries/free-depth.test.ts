import fc from "fast-check";
import { expect, it } from "vitest";
import { freeFloor } from "../../../src/groups/queries/free-depth.ts";
import { floorOf, pagesOfBatch, type Part } from "../../../src/groups/queries/query-batches.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 100 * HOUR_MS;

/** An account that is read down to so many hours ago, and posts evenly, so many posts an hour. */
const part = (hours: number, perHour: number): Part => ({
  member: { kind: "from", userId: "1", handle: "one" },
  floorMs: NOW_MS - hours * HOUR_MS,
  itemsSince: (sinceMs) => Math.floor(((NOW_MS - sinceMs) / HOUR_MS) * perHour),
});

it("is as deep as is asked where little is known", () => {
  expect(freeFloor([part(1, 0.1)], NOW_MS - 10 * HOUR_MS)).toBe(NOW_MS - 10 * HOUR_MS);
});

it("is what the search needs where nobody asks for more", () => {
  expect(freeFloor([part(2, 0.1)], NOW_MS - HOUR_MS)).toBe(NOW_MS - 2 * HOUR_MS);
});

it("leaves room on the pages for what nobody foresaw", () => {
  const busy = part(1, 3);
  expect(busy.itemsSince(freeFloor([busy], NOW_MS - 10 * HOUR_MS))).toBe(10);
});

it("takes no page more, and is no less than the search needs", () => {
  const someHours = fc.double({ min: 0.1, max: 24, noNaN: true });
  const someParts = fc.array(fc.tuple(someHours, fc.double({ min: 0, max: 6, noNaN: true })), { minLength: 1, maxLength: 18 });
  fc.assert(
    fc.property(someParts, someHours, (described, hours) => {
      const parts = described.map(([each, perHour]) => part(each, perHour));
      const floorMs = freeFloor(parts, NOW_MS - hours * HOUR_MS);
      expect(pagesOfBatch(parts, floorMs)).toBe(pagesOfBatch(parts));
      expect(floorMs).toBeLessThanOrEqual(floorOf(parts));
    }),
  );
});
