import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readCount,
  readFlag,
  readId,
  readNumber,
  readTexts,
  readTime,
} from "../../src/api/read-value.ts";

describe("a time", () => {
  it.each([
    ["2026-03-06T13:38:49.000Z", "2026-03-06T13:38:49.000Z"],
    ["2026-03-06T13:38:49Z", "2026-03-06T13:38:49.000Z"],
    ["2026-03-06T15:38:49+02:00", "2026-03-06T13:38:49.000Z"],
    ["2026-03-06T13:38:49.123456Z", "2026-03-06T13:38:49.123Z"],
    ["Fri Mar 06 13:38:49 +0000 2026", "2026-03-06T13:38:49.000Z"],
    ["Fri Mar 06 14:38:49 +0100 2026", "2026-03-06T13:38:49.000Z"],
    ["2024-04-27 06:43:09", "2024-04-27T06:43:09.000Z"],
    ["2024-04-27T06:43:09", "2024-04-27T06:43:09.000Z"],
    ["2024-04-27", "2024-04-27T00:00:00.000Z"],
    [1_772_804_329, "2026-03-06T13:38:49.000Z"],
    [1_772_804_329_500, "2026-03-06T13:38:49.500Z"],
    ["1772804329", "2026-03-06T13:38:49.000Z"],
    ["1772804329500", "2026-03-06T13:38:49.500Z"],
    ["2126-03-06T13:38:49Z", "2126-03-06T13:38:49.000Z"],
  ])("%j is %s", (value, iso) => {
    expect(readTime(value)).toBe(iso);
  });

  it.each([
    null,
    undefined,
    "",
    "yesterday",
    "2026-13-45T99:00:00Z",
    "2026-13-45T99:00:00.000Z",
    0,
    "0",
    -5,
    Number.NaN,
    1e300,
    "0001-01-01T00:00:00Z",
    {},
    true,
  ])("%j cannot be read", (value) => {
    expect(readTime(value)).toBe("");
  });

  it("is the same in every form", () => {
    fc.assert(
      fc.property(fc.integer({ min: 946_684_800, max: 4_000_000_000 }), (seconds) => {
        const iso = new Date(seconds * 1_000).toISOString();
        const [day, month, date, year, clock] = new Date(seconds * 1_000)
          .toUTCString()
          .replace(",", "")
          .split(" ")
          .map(String)
          .map((part, index, all) => {
            // "Fri, 06 Mar 2026 13:38:49 GMT" as day, month, date, year, time
            return [all[0], all[2], all[1], all[3], all[4]][index] ?? part;
          });
        for (const form of [
          iso,
          seconds,
          seconds * 1_000,
          String(seconds),
          iso.slice(0, 19).replace("T", " "),
          `${day} ${month} ${date} ${clock} +0000 ${year}`,
        ]) {
          expect(readTime(form), String(form)).toBe(iso);
        }
      }),
    );
  });
});

it("reads ids as digits, and nothing else as an id", () => {
  expect(["1", 44196397, "1867041249938530657"].map(readId)).toEqual([
    "1",
    "44196397",
    "1867041249938530657",
  ]);
  expect([null, undefined, "", "0", 0, "12a", -1, 1.5, 2 ** 60, {}, []].map(readId).join("")).toBe(
    "",
  );
});

it("reads numbers in quotes, and nothing else as a number", () => {
  expect(["12", " 4.5 ", 7, 4183.88, "-3", 1e9].map(readNumber)).toEqual([
    12, 4.5, 7, 4183.88, -3, 1e9,
  ]);
  expect(
    [null, undefined, "", " ", "NaN", "Infinity", Number.NaN, "many", [], true].map(readNumber),
  ).toEqual(new Array(10).fill(undefined));
  expect(readCount(null)).toBe(0);
});

it("reads flags, and null as none", () => {
  expect([true, "true", 1, false, "false", 0, null, "yes"].map(readFlag)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    undefined,
    undefined,
  ]);
});

it("reads null and anything else than an array as no texts", () => {
  expect([null, undefined, "a", { 0: "a" }].map(readTexts)).toEqual([[], [], [], []]);
  expect(readTexts(["a", null, 7, ""])).toEqual(["a", "7"]);
});
