import fc from "fast-check";
import { expect, it } from "vitest";
import {
  detectReading,
  readValues,
  type ReadingMemory,
  type ReadingRule,
} from "../../src/detect/reading.ts";
import { isCrossed, isRearmed, parseThreshold } from "../../src/detect/threshold.ts";

const threshold = (text: string) => {
  const parsed = parseThreshold("n", text);
  if (parsed === undefined) throw new Error(`no threshold: ${text}`);
  return parsed;
};
const ruleOf = (text: string): ReadingRule => ({
  name: "r",
  fields: ["n"],
  crossing: { event: "e", thresholds: [threshold(text)], rearm: 0.1 },
});

/** Returns how many thresholds each reading of a series crosses. */
function fires(text: string, series: readonly number[]): number[] {
  let memory: ReadingMemory | undefined;
  return series.map((n) => {
    const finding = detectReading(memory, { n }, ruleOf(text));
    memory = finding.memory;
    return finding.facts.flatMap(({ crossed }) => crossed).length;
  });
}

it.each([
  [">= 25", [10, 25, 24, 26, 22.4, 25], [0, 1, 0, 0, 0, 1]],
  ["<= -60", [0, -60, -55, -61, -53, -60], [0, 1, 0, 0, 0, 1]],
  ["> 0", [0, 1, 0, 1], [0, 1, 0, 1]],
  ["every 100", [250, 299, 300, 199, 310, 520, 530, 600], [0, 0, 1, 0, 0, 1, 0, 1]],
  ["< 0", [1, -1, 0, -1], [0, 1, 0, 1]],
  [">= 25", [30, 31, 22, 25], [0, 0, 0, 1]],
])("%s over %j fires %j", (text, series, expected) => {
  expect(fires(text, series)).toEqual(expected);
});

it("never fires twice without having come back in between", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(">= 25", "<= -60", "> 0", "< 3.5"),
      fc.array(fc.double({ min: -100, max: 100, noNaN: true })),
      (text, series) => {
        const limit = threshold(text);
        let isArmed = false;
        for (const [i, fired] of fires(text, series).entries()) {
          const n = series[i] ?? 0;
          if (fired > 0) expect([isArmed, isCrossed(limit, n)]).toEqual([true, true]);
          if (fired > 0) isArmed = false;
          else if (!isCrossed(limit, n) && (i === 0 || isArmed || isRearmed(limit, n, 0.1)))
            isArmed = true;
          else if (i === 0) isArmed = false;
        }
      },
    ),
  );
});

it("fires a milestone when a higher one is reached than ever, below zero as above it", () => {
  const values = fc.array(fc.integer({ min: -2_500, max: 2_500 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.constantFrom(1, 100, 1_000), values, (step, series) => {
      let highest = 0;
      const expected = series.map((n, index) => {
        const isHigher = Math.floor(n / step) > highest;
        if (isHigher) highest = Math.floor(n / step);
        return isHigher && index > 0 ? 1 : 0;
      });
      expect(fires(`every ${step}`, series)).toEqual(expected);
    }),
  );
});

it("reads no value from null, NaN, an object or nothing, and keeps what a name missing had", () => {
  for (const n of [null, Number.NaN, Number.POSITIVE_INFINITY, {}, undefined])
    expect(readValues({ n }, { fields: ["n"] })).toBeUndefined();
  expect(readValues({ n: 1, m: null }, { fields: ["n", "m"] })).toEqual({ n: 1 });
  const memory = { values: { n: 30, m: 2 }, across: ["n"] };
  const rule = { ...ruleOf(">= 25"), fields: ["n", "m"] };
  expect(detectReading(memory, { m: 3 }, rule).memory).toMatchObject({
    values: { n: 30, m: 3 },
    across: ["n"],
  });
});

it("takes a number seen for the first time for its own baseline", () => {
  const finding = detectReading({ values: { m: 1 }, across: [] }, { n: 40 }, ruleOf(">= 25"));
  expect([finding.facts, finding.memory.across]).toEqual([[], ["n"]]);
});

it("reads comparisons with a number and nothing else", () => {
  expect(parseThreshold("n", ">= 25")).toEqual({ name: "n", op: ">=", value: 25 });
  expect(parseThreshold("n", " <-60.5 ")).toEqual({ name: "n", op: "<", value: -60.5 });
  for (const text of ["25", "== 25", ">= ", ">= 25 points", "=> 25", ">= 1e3"])
    expect(parseThreshold("n", text)).toBeUndefined();
});

it("reports fields that changed with what they were, and nothing at the first sight of a field", () => {
  const rule: ReadingRule = {
    name: "user",
    fields: ["name", "bio"],
    changes: { event: "profile.changed", fields: ["name", "bio"] },
  };
  const first = detectReading(undefined, { name: "a" }, rule);
  expect(first.facts).toEqual([]);
  const second = detectReading(first.memory, { name: "b", bio: "new" }, rule);
  expect(second.facts).toEqual([{ event: "profile.changed", crossed: [], changed: ["name"] }]);
  expect(second.previous).toEqual({ name: "a" });
  expect(detectReading(second.memory, { name: "b", bio: "new" }, rule).facts).toEqual([]);
});

it("reports a crossing and a change of one event type as one event", () => {
  const crossing = { event: "space.changed", thresholds: [threshold(">= 10")], rearm: 0.1 };
  const rule: ReadingRule = {
    name: "space",
    fields: ["n", "state"],
    crossing,
    changes: { event: "space.changed", fields: ["state"] },
  };
  const { memory } = detectReading(undefined, { n: 1, state: "Running" }, rule);
  expect(detectReading(memory, { n: 12, state: "Ended" }, rule).facts).toEqual([
    { event: "space.changed", crossed: ["n"], changed: ["state"] },
  ]);
});

it("refuses a step that is not positive", () => {
  expect(parseThreshold("n", "every 1000")).toEqual({ name: "n", op: "every", value: 1000 });
  for (const text of ["every 0", "every -5", "every", "every ten"])
    expect(parseThreshold("n", text)).toBeUndefined();
});

it("reads a value from its place in the record, and none from an empty field or a hidden record", () => {
  const rule = {
    fields: ["n", "state"],
    paths: { n: "stats.total" },
    unknown: ["", 0],
    hiddenBy: "closed",
  };
  expect(readValues({ stats: { total: 3 }, state: "" }, rule)).toEqual({ n: 3 });
  expect(readValues({ stats: { total: 0 }, state: "" }, rule)).toBeUndefined();
  expect(readValues({ stats: null, state: "on" }, rule)).toEqual({ state: "on" });
  expect(readValues({ stats: { total: 3 }, state: "on", closed: true }, rule)).toBeUndefined();
});

it("takes an edited threshold for a new one: what is across already raises no event", () => {
  let memory: ReadingMemory | undefined;
  const eventsAt = (text: string, n: number) => {
    const finding = detectReading(memory, { n }, ruleOf(text));
    memory = finding.memory;
    return finding.facts.length;
  };
  expect([
    eventsAt(">= 100", 70),
    eventsAt(">= 50", 70),
    eventsAt(">= 50", 40),
    eventsAt(">= 50", 60),
  ]).toEqual([0, 0, 0, 1]);
  expect([
    eventsAt("every 1000", 1_550),
    eventsAt("every 100", 1_550),
    eventsAt("every 100", 1_599),
    eventsAt("every 100", 1_600),
  ]).toEqual([0, 0, 0, 1]);
});

it("keeps an edited threshold new until it was read once", () => {
  const rule = { ...ruleOf(">= 50"), fields: ["n", "m"] };
  const before = { values: { n: 70, m: 1 }, across: [], thresholds: { n: ">= 100" } };
  const partial = detectReading(before, { m: 2 }, rule);
  expect(detectReading(partial.memory, { n: 70, m: 2 }, rule).facts).toEqual([]);
});

it("knows the thresholds of a memory that did not keep them", () => {
  expect(
    detectReading({ values: { n: 10 }, across: [] }, { n: 60 }, ruleOf(">= 50")).facts,
  ).toHaveLength(1);
});

it("forgets a value that is no longer read: read again, it is its own baseline", () => {
  const rule = (...fields: string[]): ReadingRule => ({
    name: "user",
    fields,
    changes: { event: "profile.changed", fields },
  });
  const first = detectReading(undefined, { name: "a", bio: "x" }, rule("name", "bio"));
  const without = detectReading(first.memory, { name: "a" }, rule("name"));
  expect(detectReading(without.memory, { name: "a", bio: "y" }, rule("name", "bio")).facts).toEqual(
    [],
  );
});
