import fc from "fast-check";
import { expect, test } from "vitest";
import { parseQuery } from "../../src/query/parse.ts";
import { printQuery } from "../../src/query/print.ts";
import { anyQuery } from "./arbitrary-query.ts";

test("what is printed parses back to the same tree", () => {
  fc.assert(
    fc.property(anyQuery, (query) => {
      expect(parseQuery(printQuery(query))).toEqual(query);
    }),
  );
});

test("any text either parses or fails with a position inside it", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      try {
        const query = parseQuery(text);
        expect(parseQuery(printQuery(query))).toEqual(query);
      } catch (error) {
        expect(error).toMatchObject({ code: "QUERY_SYNTAX" });
        expect((error as { position: number }).position).toBeGreaterThanOrEqual(0);
        expect((error as { position: number }).position).toBeLessThanOrEqual(text.length);
      }
    }),
  );
});

test.each([
  ["a b", "(a b)"],
  ["a OR b c", "(a OR (b c))"],
  ["-(a b)", "-(a b)"],
  ["((a))", "a"],
  ['("acme corp" OR @Acme) -from:ACME', '(("acme corp" OR @acme) -from:acme)'],
  ["$BTC #Tag lang:DE", "($btc #tag lang:de)"],
  [
    "-min_faves:500 filter:replies include:nativeretweets",
    "(-min_faves:500 filter:replies include:nativeretweets)",
  ],
  [
    "since:2026-01-31_14:00:00_UTC until:2026-02-01",
    "(since:2026-01-31_14:00:00_UTC until:2026-02-01)",
  ],
  ["within_time:2d max_id:2124029954827621815", "(within_time:2d max_id:2124029954827621815)"],
  ["at 12:30 https://example.com/a", "(at 12:30 https://example.com/a)"],
])("%s is read as %s", (text, printed) => {
  expect(printQuery(parseQuery(text))).toBe(printed);
});

test.each([
  ["", 0, "the query ends where a term should be"],
  ["a OR", 4, "the query ends where a term should be"],
  ["OR b", 0, 'a term should stand before "OR"'],
  ["(a b", 0, '"(" is never closed'],
  ["a b)", 3, '")" without "("'],
  ['a "b c', 2, "a quote is opened and never closed"],
  ['""', 0, "a phrase is empty"],
  ["min_faves:many", 10, 'min_faves: needs a whole number, not "many"'],
  ["a since:yesterday", 8, 'since: needs a date, not "yesterday"'],
  ["from:", 5, 'from: needs a handle, not ""'],
  ["filter:cats", 7, "filter:cats is not known"],
  ["within_time:2y", 12, 'within_time: needs a window, not "2y"'],
])("%j is refused at %i", (text, position, message) => {
  expect(() => parseQuery(text)).toThrow(
    expect.objectContaining({ position, message: expect.stringContaining(message) }),
  );
});

test("a handle has 15 characters at the most, and more are a word", () => {
  expect(parseQuery("@abcdefghijklmno")).toMatchObject({ kind: "mention" });
  expect(parseQuery("@abcdefghijklmnop")).toMatchObject({ kind: "word" });
});

test.each([
  ["min_faves:many", "Write min_faves: and a whole number without a space."],
  ["since:yesterday", "Write since:2026-01-31 or since:2026-01-31_14:00:00_UTC."],
  ["within_time:2y", "Write within_time:2d, with d, h, m or s."],
  ["filter:cats", "Known filters: replies, quote, "],
])("of %j it is said what to write", (text, hint) => {
  expect(() => parseQuery(text)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(hint) }),
  );
});

test("nesting is bounded, so that no query overflows the stack", () => {
  expect(() => parseQuery("(".repeat(5_000))).toThrow("parentheses nest too deeply");
});
