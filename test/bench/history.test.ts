/** Tests the table of the benchmarks' history, and how it marks a drift. */
import { expect, test } from "vitest";
import { addLine, historyTable, historyText, parseHistory } from "../../bench/history.ts";

const line = (label: string, ratios: Readonly<Record<string, number>>) => ({
  ...{ label, date: "2026-11-29", node: "20.20.2" },
  ratios,
});

test("marks a ratio that is more than a tenth above the lowest recorded before it", () => {
  const history = [
    line("first", { "cold start / bare script": 3.154, "kB a watch": 4 }),
    line("second", { "cold start / bare script": 4.056, "requests of a burst": 46 }),
  ];
  const now = line("now", {
    "cold start / bare script": 3.4,
    "requests of a burst": 64,
    "kB a watch": 3.6,
  });
  expect(historyTable(history, now).split("\n")).toEqual([
    "ratio                     first  second  now",
    "cold start / bare script   3.15   4.06!  3.4",
    "kB a watch                    4       -  3.6",
    "requests of a burst           -      46  64!",
  ]);
});

test("shows the last six recorded runs, and compares with all of them", () => {
  const history = Array.from({ length: 9 }, (_, at) => line(`run ${at}`, { r: 1 + at }));
  const [head, row] = historyTable(history, line("now", { r: 1 })).split("\n");
  expect(head?.split(/ {2,}/)).toEqual([
    "ratio",
    ..."345678".split("").map((n) => `run ${n}`),
    "now",
  ]);
  expect(row?.split(/ +/)).toEqual(["r", "4!", "5!", "6!", "7!", "8!", "9!", "1"]);
});

test("a run that is recorded in parts is one line", () => {
  const text = historyText(
    addLine(addLine([line("old", { a: 1 })], line("new", { a: 2, b: 1 })), line("new", { b: 3 })),
  );
  expect(parseHistory(text)).toEqual([line("old", { a: 1 }), line("new", { a: 2, b: 3 })]);
});
