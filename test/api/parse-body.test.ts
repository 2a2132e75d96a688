import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UpstreamError } from "../../src/model/upstream.ts";
import { keepDigits, parseBody } from "../../src/api/parse-body.ts";

describe("digits", () => {
  it("beyond 2^53 become text, exactly", () => {
    expect(
      parseBody(
        '{"next_cursor":1867041249938530657,"ids":[9007199254740993, -9223372036854775808]}',
        200,
      ),
    ).toEqual({
      next_cursor: "1867041249938530657",
      ids: ["9007199254740993", "-9223372036854775808"],
    });
  });

  it("that fit stay numbers", () => {
    expect(parseBody('{"next_cursor":9007199254740991,"n":12}', 200)).toEqual({
      next_cursor: 9007199254740991,
      n: 12,
    });
  });

  it("in texts and fractions stay as they are", () => {
    const body =
      '{"text":"see: 18670412499385306571, \\"x\\": 18670412499385306572 \\\\","score":4183.88000000000000123,"big":1.2345678901234567890e30,"id":18670412499385306573}';
    expect(parseBody(body, 200)).toEqual({
      text: 'see: 18670412499385306571, "x": 18670412499385306572 \\',
      score: 4183.88,
      big: 1.234567890123456789e30,
      id: "18670412499385306573",
    });
  });

  it("never change any other JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 2), (value, indent) => {
        const json = JSON.stringify(
          value,
          (_, inner: unknown) => (typeof inner === "number" && Math.abs(inner) > 1e15 ? 1 : inner),
          indent,
        );
        expect(keepDigits(json)).toBe(json);
      }),
    );
  });

  it("come through wherever they stand", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n }), { minLength: 1 }),
        fc.string().filter((text) => text !== "a"),
        (ids, text) => {
          const json = `{"a":[${ids.join(", ")}],${JSON.stringify(text)}:{"b" : ${ids[0]}}}`;
          const parsed = parseBody(json, 200);
          expect(parsed["a"]).toEqual(ids.map(String));
          expect(parsed[text]).toEqual({ b: String(ids[0]) });
        },
      ),
      { examples: [[[2n ** 60n], '"\\:1234567890123456789']] },
    );
  });
});

it.each([
  ["", "the answer is empty"],
  ["  \n", "the answer is empty"],
  ["null", "the answer is null, not an object"],
  ["[]", "the answer is an array, not an object"],
  ['"text"', "the answer is string, not an object"],
  ['{"tweets":[{"id":"1"', "the answer is not whole JSON"],
  ["<!DOCTYPE html><html></html>", "the answer is HTML, not JSON"],
  ["Bad Gateway", "the answer is not whole JSON"],
])("%j is a transient failure", (body, message) => {
  const attempt = () => parseBody(body, 200);
  expect(attempt).toThrow(UpstreamError);
  expect(attempt).toThrow(expect.objectContaining({ kind: "transient", status: 200, message }));
});
