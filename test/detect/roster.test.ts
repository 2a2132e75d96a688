import { expect, it } from "vitest";
import { detectLeft, detectRoster } from "../../src/detect/roster.ts";

const members = [{ id: "3", joinedAtMs: 300 }, { id: "2" }, { id: "1", joinedAtMs: 100 }];
const found = (known: string[], isBaselined: boolean, registeredAtMs = 200) =>
  detectRoster(members, new Set(known), { isBaselined, registeredAtMs }).map(
    ({ id, verdict }) => `${id} ${verdict}`,
  );

it("counts every member as baseline until the first read is complete, except those who joined after the watch began", () => {
  expect(found([], false)).toEqual(["3 news", "2 baseline", "1 baseline"]);
});

it("reports every member without a verdict once the baseline is complete, whatever their date", () => {
  expect(found(["3"], true, 1_000)).toEqual(["2 news", "1 news"]);
});

it("finds nobody twice", () => {
  expect(
    detectRoster([...members, ...members], new Set(), { isBaselined: true, registeredAtMs: 0 })
      .length,
  ).toBe(3);
});

const absent = [
  { id: "a", seenAtMs: 100 },
  { id: "b", seenAtMs: 200 },
];
const left = (previousAtMs: number | null, foundCount = 5) =>
  detectLeft(absent, { foundCount, previousAtMs }).map(({ id }) => id);

it("reports an account as left when two complete reads in a row did not find it", () => {
  expect(left(200)).toEqual(["a"]);
  expect(left(300)).toEqual(["a", "b"]);
});

it("reports nobody as left after the first complete read, nor after an empty one", () => {
  expect(left(null)).toEqual([]);
  expect(left(300, 0)).toEqual([]);
});
