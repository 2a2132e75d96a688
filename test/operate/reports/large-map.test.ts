/** A map of many keys holds what a map holds, in parts that stay small. */
import { expect, it } from "vitest";
import { LargeMap } from "../../../src/operate/reports/large-map.ts";

it("holds what a map holds, in many small parts", async () => {
  const large = new LargeMap<number>();
  const map = new Map<string, number>();
  for (const key of ["", "a", "ab", "é…", ...Array.from({ length: 50_000 }, (_, n) => `u${n}`)])
    for (const value of [1, key.length]) {
      large.set(key, value);
      map.set(key, value);
    }
  expect(large.size).toBe(map.size);
  expect(large.get("u7")).toBe(2);
  expect(large.get("u-7")).toBeUndefined();
  const entries: (readonly [string, number])[] = [];
  for await (const part of large.parts()) {
    entries.push(...part);
    expect(part.size).toBeLessThan(2_000);
  }
  expect(new Map(entries)).toEqual(map);
});
