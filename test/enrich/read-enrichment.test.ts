/** Tests which parts of an answer about an event are accepted. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { readEnrichment } from "../../src/enrich/read-enrichment.ts";

const read = (answer: unknown, declared: readonly string[] = ["mood"]) =>
  readEnrichment(JSON.stringify(answer), declared);

it("takes declared labels as lines and fields as they are, both clean; leaves out nulls, and names what is not declared", () => {
  expect(
    read(
      {
        labels: { mood: "so\u202e\nso ", score: 3, topic: null },
        fields: { a: "x\u0000\ny", b: 1.5, c: false, d: null },
      },
      ["mood"],
    ),
  ).toEqual({
    labels: { mood: "so so" },
    fields: { a: "x\ny", b: 1.5, c: false },
    undeclared: ["score"],
  });
  expect(read({ labels: { mood: 3 } })).toMatchObject({ labels: { mood: "3" } });
  expect(read({})).toEqual({ labels: {}, fields: {}, undeclared: [] });
});

it.each([
  ["the answer is not a JSON object", []],
  ["the answer is not a JSON object", null],
  ["`labels` in the answer is not an object", { labels: ["mood"] }],
  [
    "a name in `labels` of the answer is not 1 to 50 letters, digits and _",
    { labels: { "a-b": "x" } },
  ],
  [
    "a name in `fields` of the answer is not 1 to 50 letters, digits and _",
    { fields: { ["a".repeat(51)]: "x" } },
  ],
  ["`fields.a` in the answer is neither text, number nor boolean", { fields: { a: { b: 1 } } }],
  [
    "`labels.mood` in the answer is longer than 200 characters",
    { labels: { mood: "x".repeat(201) } },
  ],
  ["`fields.a` in the answer is longer than 5000 characters", { fields: { a: "x".repeat(5_001) } }],
  [
    "the answer has 21 fields, but at most 20 are allowed",
    { fields: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, i])) },
  ],
])("refuses: %s", (problem, answer) => expect(read(answer)).toBe(problem));

it("says that text is no answer", () =>
  expect(readEnrichment("<html>", [])).toBe("the answer is not a JSON object"));

it("takes any JSON or says in a short sentence why not, and sets no label that is not declared", () => {
  fc.assert(
    fc.property(fc.record({ labels: fc.jsonValue(), fields: fc.jsonValue() }), (answer) => {
      const result = read(answer, ["mood"]);
      if (typeof result === "string") expect(result.length).toBeLessThan(150);
      else expect(Object.keys(result.labels).filter((name) => name !== "mood")).toEqual([]);
    }),
  );
});
