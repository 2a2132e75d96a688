import { expect, it } from "vitest";
import { formatCount, formatTable, plural } from "../../../src/cli/terminal/table.ts";

it("aligns columns by what is seen, numbers to the right, and ends no line with a space", () => {
  const columns = [{ title: "NAME" }, { title: "N", align: "right" as const }, { title: "" }];
  expect(
    formatTable(columns, [
      ["é😀", "1,234", ""],
      ["alice", "7", "x"],
    ]),
  ).toBe("NAME       N\né😀     1,234\nalice      7  x");
});

it("lets no text of strangers break out of its cell", () => {
  expect(formatTable([{ title: "T" }], [["a\nb\u001b[31m"]])).toBe("T\na b[31m");
});

it("writes numbers for people", () => {
  expect([0, 0.04, 3.26, 12.6, 43_200].map(formatCount)).toEqual(["0", "0", "3.3", "13", "43,200"]);
  expect([plural(1, "request"), plural(0, "request")]).toEqual(["1 request", "0 requests"]);
});
