/**
 * Tests that the counters of a report behave like a map and a set, but use less memory or are split
 * into small parts.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { LargeIdSet } from "../../../src/operate/reports/large-id-set.ts";
import { LargeTally } from "../../../src/operate/reports/large-tally.ts";
import { LargeMap } from "../../../src/operate/reports/large-map.ts";

it("holds what a map holds, in many small parts", async () => {
  const large = new LargeMap<number>();
  const map = new Map<string, number>();
  for (const key of ["", "a", "ab", "é…", ...Array.from({ length: 50_000 }, (_, n) => `u${n}`)])
    for (const value of [1, key.length]) {
      large.set(key, value);
      map.set(key, value);
    }
  expect(large.get("u7")).toBe(2);
  expect(large.get("u-7")).toBeUndefined();
  const entries: (readonly [string, number])[] = [];
  for await (const part of large.parts()) {
    entries.push(...part);
    expect(part.size).toBeLessThan(2_000);
  }
  expect(new Map(entries)).toEqual(map);
});

const id = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 65n) - 1n }).map(String),
  fc.nat(50).map(String),
  fc.constantFrom("", "0", "007", "-1", "1e3", "id", "4294967296", "18446744073709551615"),
);

it("holds each id once, numeric or not", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200, size: "max" }), (ids) => {
      const [large, set] = [new LargeIdSet(), new Set<string>()];
      for (const one of ids) {
        expect(large.add(one)).toBe(!set.has(one));
        set.add(one);
      }
    }),
  );
  const large = new LargeIdSet();
  const first = 2_029_911_223_344_556_000n;
  const all = Array.from({ length: 50_000 }, (_, n) => String(first + BigInt(n) * 4_096n));
  for (const isNew of [true, false])
    expect(all.filter((one) => large.add(one) !== isNew)).toEqual([]);
});

it("returns the highest counts, and of equal ones those that were first", async () => {
  const names = fc.array(fc.nat(12).map(String), { maxLength: 80, size: "max" });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 9 }), async (all, most) => {
      const tally = new LargeTally();
      for (const [at, name] of all.entries()) tally.add(name, `@${name}`, `${name} at ${at}`);
      const counts = new Map<string, number>();
      for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1);
      expect(await tally.highest(most)).toEqual(
        [...counts]
          .sort(([, a], [, b]) => b - a)
          .slice(0, most)
          .map(([name, count]) => ({
            ...{ key: name, handle: `@${name}`, count },
            name: `${name} at ${all.indexOf(name)}`,
          })),
      );
    }),
  );
  const tally = new LargeTally();
  for (let n = 0; n < 5_000; n += 1) tally.add(`u${n % 3_000}`);
  expect((await tally.highest(2)).map(({ key, count }) => [key, count])).toEqual([
    ["u0", 2],
    ["u1", 2],
  ]);
});
