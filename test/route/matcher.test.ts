import { describe, expect, it } from "vitest";
import { matchesAll, parseMatcher } from "../../src/route/matcher.ts";
import { compilePattern } from "../../src/route/pattern.ts";
import type { Matcher } from "../../src/route/route.ts";

const matcher = (text: string): Matcher => {
  const parsed = parseMatcher(text, compilePattern);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
};

describe("parseMatcher", () => {
  it.each([
    ['team="comms"', "comms", true],
    ['team="comms"', "other", false],
    ["team=comms", "comms", true],
    [" team = 'comms' ", "comms", true],
    ['team!="comms"', "comms", false],
    ['team!="comms"', "", true],
    ['team=~"co|mms"', "co", true],
    ['team=~"co|mms"', "comms", false],
    ['team=~"com.*"', "comms", true],
    ['team!~"com.*"', "comms", false],
    ['team!~"com"', "comms", true],
    ['team="say \\"hi\\""', 'say "hi"', true],
    ['team="one\\ntwo\\tthree"', "one\ntwo\tthree", true],
    ['team=""', "", true],
    ['team="a.c"', "abc", false],
    ['team!="a.c"', "abc", true],
    ['team!="a(c"', "a(c", false],
  ])("reads %s against %j as %s", (text, value, expected) => {
    expect(matcher(text).matches(value)).toBe(expected);
  });

  it.each([
    [" team ", '"team" has no operator'],
    [' team=="comms"', '"team=="comms"" uses ==: write a single ='],
    ["team==comms", '"team==comms" uses ==: write a single ='],
    [' "team"=comms ', '""team"=comms" is not a matcher'],
    ['="comms"', "is not a matcher"],
    ['every team="comms"', "is not a matcher"],
    ['team="comms', "is not a matcher"],
    ['team=~"co(mms"', "is not a regular expression"],
    ['team=~"(a)\\1"', "is not a regular expression"],
  ])("says what is wrong with %s", (text, message) => {
    expect(parseMatcher(text, compilePattern)).toContain(message);
  });

  it("fault 84: a pattern that would explode in a backtracking engine answers in linear time", () => {
    expect(matcher('author=~"(a+)+b"').matches("a".repeat(5_000))).toBe(false);
  });
});

describe("matchesAll", () => {
  it("takes an absent label as empty", () => {
    expect(matchesAll([matcher('lang=""')], {})).toBe(true);
    expect(matchesAll([matcher('lang!=""')], {})).toBe(false);
  });

  it("wants every matcher to match", () => {
    const both = [matcher('team="comms"'), matcher('lang=~"de|en"')];
    expect(matchesAll(both, { team: "comms", lang: "de" })).toBe(true);
    expect(matchesAll(both, { team: "comms", lang: "fr" })).toBe(false);
  });
});
