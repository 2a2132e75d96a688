import fc from "fast-check";
import { expect, it } from "vitest";
import { FIRST_LIMITS, writeMerged } from "../../../src/query/merging/merge.ts";
import { withBounds } from "../../../src/query/with-bounds.ts";
import {
  batchParts,
  floorOf,
  pagesOfBatch,
  type Part,
} from "../../../src/groups/accounts/search-parts.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 100 * HOUR_MS;

/**
 * Creates an account that was read down to some hours ago and posts evenly, `perHour` posts an
 * hour.
 */
const part = (name: string, hours: number, perHour: number): Part => ({
  member: { kind: "from", userId: name, handle: name },
  floorMs: NOW_MS - hours * HOUR_MS,
  itemsSince: (sinceMs) => Math.floor(((NOW_MS - sinceMs) / HOUR_MS) * perHour),
});

it("a batch takes a request more for every twenty posts above its deepest part", () => {
  const [busy, quiet] = [part("busy", 1, 10), part("quiet", 6, 0)];
  expect(pagesOfBatch([busy])).toBe(1);
  expect(floorOf([busy, quiet])).toBe(quiet.floorMs);
  expect(pagesOfBatch([busy, quiet])).toBe(4);
});

const someParts = fc
  .array(
    fc.record({
      // The accounts of a burst are all read equally far back.
      hours: fc.oneof(fc.double({ min: 0.1, max: 24, noNaN: true }), fc.constantFrom(1, 6)),
      perHour: fc.double({ min: 0, max: 6, noNaN: true }),
    }),
    {
      maxLength: 60,
    },
  )
  .map((all) =>
    all
      .sort((a, b) => a.hours - b.hours)
      .map(({ hours, perHour }, index) => part(`account_${index}`, hours, perHour)),
  );

it("batches hold every part once and in order, each in one query, and take no page more for a part, or no more than apart for one that is read equally far back", () => {
  fc.assert(
    fc.property(someParts, (parts) => {
      const batches = batchParts(parts, FIRST_LIMITS);
      expect(batches.flat()).toEqual(parts);
      for (const batch of batches) {
        const query = withBounds(writeMerged(batch.map(({ member }) => member)), {
          sinceTime: 1_800_000_000,
        });
        expect(query.length).toBeLessThanOrEqual(FIRST_LIMITS.characters);
        expect(batch.length).toBeLessThan(FIRST_LIMITS.operators);
        const apart = batch.filter(
          ({ floorMs }, index) => index === 0 || floorMs === batch[index - 1]?.floorMs,
        );
        const pages = apart.reduce((sum, one) => sum + pagesOfBatch([one]), 0);
        expect(pagesOfBatch(batch)).toBeLessThanOrEqual(pages);
      }
    }),
  );
});

it("quiet members with a deep lookback share no search with busy ones, whose known posts it would return again", () => {
  const batches = batchParts(
    [part("busy", 0.1, 10), part("busier", 0.2, 10), part("quiet", 12, 0.1)],
    FIRST_LIMITS,
  );
  expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
});

it("members that are read equally far back share a search that takes no page more than two would", () => {
  const burst = ["a", "b", "c"].map((name) => part(name, 1, 12));
  const deeper = part("deeper", 3, 12);
  const batches = batchParts([...burst, deeper], FIRST_LIMITS);
  expect(batches.map((batch) => batch.length)).toEqual([3, 1]);
  expect(batches.map(pagesOfBatch)).toEqual([2, 2]);
});
