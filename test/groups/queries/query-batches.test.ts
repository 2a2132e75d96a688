import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_LIMITS, handlesPerQuery, batchMembers, writeMerged } from "../../../src/query/merging/merge.ts";
import { floorOf, batchQueries, pagesOfBatch, type Part } from "../../../src/groups/queries/query-batches.ts";
import { withBounds } from "../../../src/query/with-bounds.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 100 * HOUR_MS;

/** An account that is read down to so many hours ago, and posts evenly, so many posts an hour. */
const part = (name: string, hours: number, perHour: number): Part => ({
  member: { kind: "from", userId: name, handle: name },
  floorMs: NOW_MS - hours * HOUR_MS,
  itemsSince: (sinceMs) => Math.floor(((NOW_MS - sinceMs) / HOUR_MS) * perHour),
});
const named = (batches: readonly (readonly Part[])[]) =>
  batches.map((batch) => batch.map(({ member }) => member.kind === "from" && member.handle));
const requestsOf = (batches: readonly (readonly Part[])[]) => batches.reduce((sum, batch) => sum + pagesOfBatch(batch), 0);

const partsUpTo = (mostPerHour: number) =>
  fc
    .array(
      fc.record({ hours: fc.double({ min: 0.1, max: 24, noNaN: true }), perHour: fc.double({ min: 0, max: mostPerHour, noNaN: true }) }),
      { maxLength: 60 },
    )
    .map((all) => all.sort((a, b) => a.hours - b.hours).map(({ hours, perHour }, index) => part(`account_${index}`, hours, perHour)));
const someParts = partsUpTo(6);
/** Of which no query holds more than it may ask pages for: one that would is split, which can take a page more. */
const shortParts = partsUpTo(0.3);

describe("batches of a search", () => {
  it("hold every part once and in order, each in one query", () => {
    fc.assert(
      fc.property(someParts, (parts) => {
        const batches = batchQueries(parts, FIRST_LIMITS);
        expect(batches.flat()).toEqual(parts);
        for (const batch of batches) {
          const query = withBounds(writeMerged(batch.map(({ member }) => member)), { sinceTime: 1_800_000_000 });
          expect(query.length).toBeLessThanOrEqual(FIRST_LIMITS.characters);
          expect(batch.length).toBeLessThan(FIRST_LIMITS.operators);
        }
      }),
    );
  });

  it("never take more requests than queries that are filled one after the other", () => {
    fc.assert(
      fc.property(shortParts, (parts) => {
        const filled = batchMembers(parts, ({ member }) => member, FIRST_LIMITS);
        expect(requestsOf(batchQueries(parts, FIRST_LIMITS))).toBeLessThanOrEqual(requestsOf(filled));
      }),
    );
  });

  it("keep the quiet, who reach far back, from the busy, whose known posts they would ask for again", () => {
    const batches = batchQueries([part("busy", 0.1, 10), part("busier", 0.2, 10), part("quiet", 12, 0.1)], FIRST_LIMITS);
    expect(named(batches)).toEqual([["busy", "busier"], ["quiet"]]);
  });

  it("put deep and shallow into one where all their posts fit on a page", () => {
    const batches = batchQueries([part("shallow", 0.1, 0.5), part("deep", 12, 0.1)], FIRST_LIMITS);
    expect(named(batches)).toEqual([["shallow", "deep"]]);
  });

  it("are as few as can be where all are equally deep", () => {
    const parts = Array.from({ length: 3 * handlesPerQuery(FIRST_LIMITS) }, () => part("averagehandle", 1, 0.1));
    expect(batchQueries(parts, FIRST_LIMITS)).toHaveLength(3);
  });

  it("leave one that is too long for any query alone", () => {
    const long = { ...part("a", 1, 0), member: { kind: "from", userId: "1", handle: "a".repeat(500) } } as const;
    expect(batchQueries([part("b", 1, 0), long, part("c", 1, 0)], FIRST_LIMITS).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });
});

describe("the requests of a batch", () => {
  it("grow with every twenty posts above its deepest part", () => {
    const [busy, quiet] = [part("busy", 1, 10), part("quiet", 6, 0)];
    expect(pagesOfBatch([busy])).toBe(1);
    expect(floorOf([busy, quiet])).toBe(quiet.floorMs);
    expect(pagesOfBatch([busy, quiet])).toBe(4);
  });
});
