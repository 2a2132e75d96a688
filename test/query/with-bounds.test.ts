import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateQuery } from "../../src/query/evaluate.ts";
import { parseQuery } from "../../src/query/parse.ts";
import { printQuery } from "../../src/query/print.ts";
import { withBounds } from "../../src/query/with-bounds.ts";
import { anyQuery, anyTweet } from "./arbitrary-query.ts";

test("bounds stand behind the parenthesised query", () => {
  expect(withBounds("a OR b", { sinceTime: 1_700_000_000 })).toBe("(a OR b) since_time:1700000000");
  expect(withBounds("a", { untilTime: 1_700_000_001, maxId: "9007199254740993001" })).toBe(
    "(a) until_time:1700000001 max_id:9007199254740993001",
  );
});

test("without bounds the text stays as it is", () => {
  expect(withBounds("a OR b", {})).toBe("a OR b");
});

test("fractions of a second never exclude what the bound should include", () => {
  expect(withBounds("a", { sinceTime: 10.9, untilTime: 20.1 })).toBe(
    "(a) since_time:10 until_time:21",
  );
});

test("a bounded query matches what the query and the bound match, and nothing else", () => {
  const nowMs = 1_700_002_000_000;
  fc.assert(
    fc.property(anyQuery, anyTweet, fc.nat(2_000), (query, tweet, seconds) => {
      const sinceTime = 1_700_000_000 + seconds;
      const bounded = parseQuery(withBounds(printQuery(query), { sinceTime }));
      const expected =
        evaluateQuery(query, tweet, { nowMs }) && Date.parse(tweet.created_at) >= sinceTime * 1_000;
      expect(evaluateQuery(bounded, tweet, { nowMs })).toBe(expected);
    }),
  );
});
