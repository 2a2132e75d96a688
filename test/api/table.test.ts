import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { ENDPOINTS, findEndpoint } from "../../src/api/endpoints/index.ts";

/** Every operation of api-v3.md: 18 with full shape, 24 known by name, and the one of v2. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "community-info": "POST v3/community-info",
  "community-members": "POST v3/community-members",
  "user-retweets": "POST v3/user-retweets",
  quotes: "POST v3/quotes",
  retweeters: "POST v3/retweeters",
  "tweet-info": "POST v3/tweet-info",
  article: "POST v3/article",
  info: "GET v3/info",
  "info-batch": "GET v3/info-batch",
  "list-tweets": "GET v3/list-tweets",
  "list-followers": "GET v3/list-followers",
  spaces: "GET v3/spaces",
  trends: "GET v3/trends",
  "new-following-7d": "GET v3/new-following-7d",
  "new-followers-7d": "GET v3/new-followers-7d",
  "score-changes": "GET v3/score-changes",
  about: "GET v3/about",
  "id-to-username": "GET v3/id-to-username/{user_id}",
  followers: "GET v3/followers",
  follows: "GET v3/follows",
  "verified-followers": "GET v3/verified-followers",
  "list-members": "GET v3/list-members",
  "tweet-info-bulk": "POST v3/tweet-info-bulk",
  "user-tweets": "POST v3/user-tweets",
  comments: "POST v3/comments",
  "search-tweets": "POST v3/search-tweets",
  mentions: "POST v3/mentions",
  "search-users": "POST v3/search-users",
  "community-tweets": "POST v3/community-tweets",
  "community-search-tweets": "POST v3/community-search-tweets",
  "check-follow": "POST v3/check-follow",
  "check-quoted": "POST v3/check-quoted",
  "check-retweet": "POST v3/check-retweet",
  "check-community-member": "POST v3/check-community-member",
  "check-comment": "GET v3/check-comment",
  score: "GET v3/score",
  "followers-stats": "GET v3/followers-stats",
  "top-followers": "GET v3/top-followers",
  "top-following": "GET v3/top-following",
  "username-to-id": "GET v3/username-to-id/{handle}",
  "link-to-id": "GET v3/link-to-id",
  "key-usage-info": "GET v3/key-usage-info",
  "v2-user-tweets": "POST v2/user-tweets",
};

const rows = Object.keys(OPERATIONS).map((name) => ({ name, endpoint: findEndpoint(name) }));

it("has a row for each of the 43 operations of the document, and no other", () => {
  expect(Object.keys(OPERATIONS)).toHaveLength(43);
  const table = Object.fromEntries(
    rows.map(({ name, endpoint }) => [
      name,
      `${endpoint?.method} ${endpoint?.version ?? "v3"}${endpoint?.path}`,
    ]),
  );
  expect(table).toEqual(OPERATIONS);
  expect(Object.keys(ENDPOINTS).sort()).toEqual(Object.keys(OPERATIONS).sort());
});

it("is gathered from every file of the folder", () => {
  const folder = new URL("../../src/api/endpoints/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name !== "index.ts");
  expect(files.sort()).toEqual(["lookups.ts", "places.ts", "scores.ts", "tweets.ts", "users.ts"]);
});

it("finds no row for names that every object has", () => {
  expect(findEndpoint("constructor")).toBeUndefined();
  expect(findEndpoint("toString")).toBeUndefined();
});

it.each(rows)("$name names only inputs that it has", ({ endpoint }) => {
  const inputs = Object.keys(endpoint?.input.shape ?? {});
  const grouped = [
    ...(endpoint?.exactlyOne ?? []),
    ...(endpoint?.atLeastOne ?? []),
    endpoint?.batch?.params ?? [],
  ].flat();
  const inPath = [...(endpoint?.path ?? "").matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  expect(inputs).toEqual(expect.arrayContaining([...grouped, ...inPath]));
  expect(inputs).not.toContain(endpoint?.cursor?.param);
  expect(endpoint?.doc).toMatch(/^[A-Z].*\.$/);
});

it("bills every request but the one about the key itself", () => {
  expect(rows.filter(({ endpoint }) => endpoint?.billed === false).map(({ name }) => name)).toEqual(
    ["key-usage-info"],
  );
});

it("sends the cursor as an int64 where the service reads one", () => {
  const numbers = rows.filter(({ endpoint }) => endpoint?.cursor?.isNumber).map(({ name }) => name);
  expect(numbers.sort()).toEqual([
    "followers",
    "follows",
    "list-followers",
    "list-members",
    "verified-followers",
  ]);
});

it("pages no operation that answers with a single object or a whole list", () => {
  const whole = [
    "info",
    "info-batch",
    "tweet-info",
    "tweet-info-bulk",
    "about",
    "score-changes",
    "spaces",
    "community-info",
    "article",
    "new-followers-7d",
    "new-following-7d",
  ];
  expect(
    rows.filter(({ name, endpoint }) => whole.includes(name) && endpoint?.cursor !== undefined),
  ).toEqual([]);
});
