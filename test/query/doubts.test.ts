import { expect, it } from "vitest";
import { queryDoubts } from "../../src/query/doubts.ts";

const offsets = (text: string): readonly number[] => queryDoubts(text).map(({ offset }) => offset);

it.each([
  "acme OR rival",
  '"this or that" acme',
  "or",
  "acme or",
  "(or acme)",
  "acme -or",
  "order",
  "-jobs acme",
  "acme (a OR -b)",
  "-(a) b",
  "lang:en -b",
  "(acme or)",
  "",
  " ",
])("%s is meant as it stands", (text) => {
  expect(queryDoubts(text)).toEqual([]);
});

it("points to an `or` in small letters between two terms, wherever it stands", () => {
  expect(offsets("acme or rival")).toEqual([5]);
  expect(offsets("(a Or b) c or d")).toEqual([3, 11]);
});

it("points to curly quotes", () => {
  expect(offsets("from:acme “launch day”")).toEqual([10]);
  expect(offsets("„launch day")).toEqual([0]);
});

it("points to a query that excludes only", () => {
  expect(offsets("-a -from:b -(c OR d)")).toEqual([0]);
  expect(offsets("-a OR -b")).toEqual([0]);
});
