import { expect, it } from "vitest";
import { floorOf, pagesOfBatch, type Part } from "../../../src/groups/queries/query-batches.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 100 * HOUR_MS;

/** An account that is read down to so many hours ago, and posts evenly, so many posts an hour. */
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
