import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attributeTweets,
  FIRST_LIMITS,
  growLimits,
  handlesPerQuery,
  type LearnedLimits,
  mergeableQuery,
  type MergeMember,
  batchMembers,
  shrinkLimits,
  writeMerged,
} from "../../../src/query/merging/merge.ts";
import { evaluateQuery } from "../../../src/query/evaluate.ts";
import { parseQuery } from "../../../src/query/parse.ts";
import { withBounds } from "../../../src/query/with-bounds.ts";
import { makeTweet, makeUser } from "../../support/make-event.ts";

const from = (handle: string, userId = handle): MergeMember => ({ kind: "from", userId, handle });
const handles = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_]{0,14}$/), { maxLength: 120 });
const self = (member: MergeMember) => member;
const tweetBy = (id: string, userId: string, text = "hello") => ({
  ...makeTweet(id, text),
  user: makeUser(userId, userId),
});

describe("packing", () => {
  it("keeps every query with its bounds within the limits, and every member once and in order", () => {
    fc.assert(
      fc.property(
        handles,
        fc.integer({ min: 4, max: 30 }),
        fc.integer({ min: 150, max: 600 }),
        (all, operators, characters) => {
          const members = all.map((handle) => from(handle));
          const batches = batchMembers(members, self, { operators, characters });
          expect(batches.flat()).toEqual(members);
          for (const batch of batches.filter(({ length }) => length > 1)) {
            const query = withBounds(writeMerged(batch), {
              sinceTime: 1_800_000_000,
              maxId: "99999999999999999999",
            });
            expect(query.length).toBeLessThanOrEqual(characters);
            expect(batch.length + 3).toBeLessThanOrEqual(operators);
          }
        },
      ),
    );
  });

  it("gets some 17 handles into a query at first, and fewer after a refusal", () => {
    expect(handlesPerQuery(FIRST_LIMITS)).toBeGreaterThan(14);
    const members = Array.from({ length: 40 }, (_, i) => from(`handle_${i}`));
    const [batch] = batchMembers(members, self, FIRST_LIMITS);
    const limits = shrinkLimits(
      FIRST_LIMITS,
      { members: batch?.length ?? 0, characters: writeMerged(batch ?? []).length },
      0,
    );
    const [smaller] = batchMembers(members, self, limits);
    expect(smaller?.length).toBeLessThan(batch?.length ?? 0);
  });

  it("shrinks to one member at least, however often it is refused", () => {
    let limits: LearnedLimits = FIRST_LIMITS;
    for (let i = 0; i < 50; i += 1)
      limits = shrinkLimits(limits, { members: 1, characters: 30 }, i);
    expect(batchMembers([from("alice"), from("bob")], self, limits).length).toBeGreaterThan(0);
    expect(handlesPerQuery(limits)).toBe(1);
  });

  it("goes back to its first size an hour after a refusal, and later the oftener it was refused", () => {
    const HOUR = 3_600_000;
    const refused = (limits: LearnedLimits, atMs: number) =>
      shrinkLimits(limits, { members: 10, characters: 200 }, atMs);
    const once = refused(refused(FIRST_LIMITS, 0), 1_000);
    expect(growLimits(once, HOUR)).toEqual(once);
    expect(growLimits(once, HOUR + 1_000)).toMatchObject(FIRST_LIMITS);
    const twice = refused(growLimits(once, HOUR + 1_000), 2 * HOUR);
    expect(growLimits(twice, 4 * HOUR - 1)).toEqual(twice);
    expect(growLimits(twice, 4 * HOUR)).toMatchObject(FIRST_LIMITS);
    let often = once;
    for (let day = 1; day < 100; day += 1) often = refused(often, day * 24 * HOUR);
    expect(growLimits(often, 99 * 24 * HOUR + 21 * 24 * HOUR)).toEqual(often);
    expect(growLimits(often, 99 * 24 * HOUR + 22 * 24 * HOUR)).toMatchObject(FIRST_LIMITS);
  });
});

describe("the text", () => {
  it("names every account in parentheses, with native retweets", () => {
    expect(writeMerged([from("alice"), from("bob")])).toBe(
      "(from:alice OR from:bob) include:nativeretweets",
    );
  });

  it("puts every search in its own parentheses, and adds no retweets", () => {
    const query = (text: string): MergeMember => ({ kind: "query", query: parseQuery(text) });
    expect(writeMerged([query('"acme corp" -from:acme'), query("rival")])).toBe(
      '(("acme corp" -from:acme) OR rival)',
    );
  });

  it("parses, and means any of its members", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom<string>("a1", "b2", "c3", "d4", "e5"), { minLength: 1 }),
        fc.constantFrom<string>("a1", "e5", "zz"),
        (all, author) => {
          const merged = parseQuery(
            withBounds(writeMerged(all.map((handle) => from(handle))), { sinceTime: 1 }),
          );
          expect(evaluateQuery(merged, tweetBy("5", author), { nowMs: 0 })).toBe(
            all.includes(author),
          );
        },
      ),
    );
  });
});

describe("which searches can share a request", () => {
  it.each(["acme", '("acme corp" OR @acme) -from:acme', "#tag $CASH to:bob"])("%s can", (text) => {
    expect(mergeableQuery(text)).toBeDefined();
  });
  it.each([
    "acme lang:en",
    "acme since:2026-01-01",
    "list:55 acme",
    "acme include:nativeretweets",
    "acme min_faves:10",
    "acme filter:links",
  ])("%s cannot: its answer could not be distinguished for certain", (text) => {
    expect(mergeableQuery(text)).toBeUndefined();
  });
});

describe("attribution", () => {
  it("goes by the author's id, not by the handle", () => {
    const members = [from("alice", "1"), from("bob", "2")];
    const { byMember, unattributed } = attributeTweets(
      [tweetBy("10", "2"), tweetBy("11", "1"), tweetBy("12", "3")],
      members,
      0,
    );
    expect(byMember.map((tweets) => tweets.map(({ id }) => id))).toEqual([["11"], ["10"]]);
    // Another account has the handle now.
    expect(unattributed).toEqual([]);
  });

  it("gives a tweet to every search that it matches, and finds those that match none", () => {
    const members = ["acme", "rival", "acme rival"].map(
      (text): MergeMember => ({ kind: "query", query: parseQuery(text) }),
    );
    const tweets = [
      tweetBy("1", "7", "acme"),
      tweetBy("2", "7", "acme and rival"),
      tweetBy("3", "7", "neither"),
    ];
    const { byMember, unattributed } = attributeTweets(tweets, members, 0);
    expect(byMember.map((found) => found.map(({ id }) => id))).toEqual([["2", "1"], ["2"], ["2"]]);
    expect(unattributed.map(({ id }) => id)).toEqual(["3"]);
  });
});

describe("which searches can share a query", () => {
  it.each([
    "acme",
    '"acme corp" bolt',
    "(acme OR bolt) -from:acme",
    "#acme OR $BOLT OR @crane",
    "from:acme to:bolt",
    "acme (bolt OR crane)",
  ])("%s can", (text) => {
    expect(mergeableQuery(text)).toBeDefined();
  });

  it.each([
    ["its terms and OR stand side by side", "acme bolt OR crane"],
    ["so does a term left out", "acme -bolt OR crane"],
    ["it asks for what no tweet shows", "acme lang:en"],
    ["it may be an operator of the service's own", "near:berlin"],
    ["a word may be one too", "acme AND bolt"],
    ["it names nothing to look for", "-acme"],
    ["it leaves out a group", "acme -(bolt OR crane)"],
    ["it has no word", '"🎉"'],
  ])("not where %s: %s", (_, text) => {
    expect(mergeableQuery(text)).toBeUndefined();
  });
});
