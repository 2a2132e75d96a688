import { expect, it } from "vitest";
import { wholeReadEveryMs } from "../../../src/plan/polls/whole-reads.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const DAY = 86_400_000;
const LARGE = 100_001;

const every = (members: number, ...changes: readonly WatchChanges[]): number =>
  wholeReadEveryMs(
    changes.map((change, index) => ({
      watch: makeWatch(`w${index}`, "new_followers", { accounts: ["acme"] }, change),
    })),
    members,
  );

it("reads a list of more than 100,000 whole once, and a shorter one every day", () => {
  expect(every(LARGE, {})).toBe(Number.POSITIVE_INFINITY);
  expect(every(LARGE - 1, {})).toBe(DAY);
});

it("reads it as often as the watch says that wants it most often", () => {
  expect(every(LARGE, { fullReadEveryMs: DAY })).toBe(DAY);
  expect(every(LARGE, {}, { fullReadEveryMs: 7 * DAY })).toBe(7 * DAY);
  expect(every(LARGE - 1, { fullReadEveryMs: Number.POSITIVE_INFINITY }, {})).toBe(DAY);
});
