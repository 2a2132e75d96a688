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

it.each([
  [
    "acme AND rival",
    5,
    "`AND` is a word to search for here, so tweets must contain it too: remove it, all terms are required anyway",
  ],
  [
    "acme NOT rival",
    5,
    "`NOT` is a word to search for here, so tweets must contain it too: write - before the term to exclude",
  ],
  [
    "NOT from:acme x",
    0,
    "`NOT` is a word to search for here, so tweets must contain it too: write - before the term to exclude",
  ],
  [
    "acme (a AND b)",
    8,
    "`AND` is a word to search for here, so tweets must contain it too: remove it, all terms are required anyway",
  ],
])("points to an operator of other languages: %s", (text, offset, message) => {
  expect(queryDoubts(text)).toEqual([{ offset, message }]);
});

it.each([
  "acme NOT",
  "AND acme",
  "acme not rival",
  "acme and rival",
  '"a AND b"',
  "acme (rival NOT)",
])("takes %s as it stands", (text) => {
  expect(queryDoubts(text)).toEqual([]);
});

it("points to curly quotes", () => {
  expect(offsets("from:acme “launch day”")).toEqual([10]);
  expect(offsets("„launch day")).toEqual([0]);
});

it("points to a query that excludes only", () => {
  expect(offsets("-a -from:b -(c OR d)")).toEqual([0]);
  expect(offsets("-a OR -b")).toEqual([0]);
});
