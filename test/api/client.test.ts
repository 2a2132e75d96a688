import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { fetchTweets, fetchUsers } from "../../src/api/batches.ts";
import { type Client, createClient } from "../../src/api/client.ts";
import { ENDPOINTS } from "../../src/api/endpoints/index.ts";
import type { RetweetCheck } from "../../src/api/normalise/check.ts";
import type { Score } from "../../src/api/normalise/score.ts";
import type { Paged } from "../../src/api/paged.ts";
import type { HttpRequest } from "../../src/model/http.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import type { User } from "../../src/model/user.ts";

let sent: HttpRequest[];
let answers: (request: HttpRequest) => JsonObject;
let client: Client;

beforeEach(() => {
  sent = [];
  const http = {
    request: async (request: HttpRequest) => {
      sent.push(request);
      return { status: 200, headers: {}, body: JSON.stringify(answers(request)) };
    },
  };
  client = createClient({ http, baseUrl: "https://api.example.com", key: "k" });
});

afterEach(() => {
  answers = () => ({});
});

const cursorOf = (request: HttpRequest) =>
  (JSON.parse(request.body ?? "{}") as { next_cursor?: string }).next_cursor;
/** Answers with pages, by the cursor that asks for them; "" is the first. */
const paging = (pages: Readonly<Record<string, readonly [ids: string[], next: string | null]>>) => {
  answers = (request) => {
    const [ids, next] = pages[cursorOf(request) ?? ""] ?? [[], null];
    return { tweets: ids.map((id) => ({ id })), next_cursor: next };
  };
};
const ids = async (list: AsyncIterable<{ readonly id: string }>) => {
  const found: string[] = [];
  for await (const item of list) found.push(item.id);
  return found;
};

it("has a method for every row of the table", () => {
  expect(Object.keys(client)).toHaveLength(Object.keys(ENDPOINTS).length);
  expect(client).toMatchObject({
    searchTweets: expect.any(Function),
    newFollowers7d: expect.any(Function),
    v2UserTweets: expect.any(Function),
  });
});

it("knows the types of inputs and answers", () => {
  expectTypeOf(client.searchTweets)
    .parameter(0)
    .toEqualTypeOf<{ readonly query: string; readonly order?: "popular" | "latest" }>();
  expectTypeOf(client.infoBatch).toBeCallableWith({ user_ids: ["1"] as readonly string[] });
  expectTypeOf(client.communityInfo).toBeCallableWith({
    community_id: "1",
    community_link: "https://example.com/1",
  });
  expectTypeOf(client.checkFollow).toBeCallableWith({ username_1: "a", user_id_2: "1" });
  expectTypeOf(client.info).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(client.searchTweets).returns.toEqualTypeOf<Paged<Tweet>>();
  expectTypeOf(client.infoBatch).returns.resolves.toEqualTypeOf<readonly User[]>();
  expectTypeOf(client.score).returns.resolves.toEqualTypeOf<Score>();
  expectTypeOf(client.checkRetweet).returns.toEqualTypeOf<Paged<RetweetCheck>>();
  const misuse = () => [
    // @ts-expect-error two of an exclusive group
    client.info({ username: "a", user_id: "1" }),
    // @ts-expect-error none of it
    client.info({}),
    // @ts-expect-error a missing input
    client.searchTweets({ order: "latest" }),
    // @ts-expect-error a value that is none of the choices
    client.searchTweets({ query: "a", order: "newest" }),
    // @ts-expect-error the second account is missing
    client.checkFollow({ username_1: "a" }),
    // @ts-expect-error neither of the two
    client.communityInfo({}),
    // @ts-expect-error neither a number nor its digits
    client.trends({ woeid: true }),
    // @ts-expect-error a name that the row does not have
    client.mentions({ query: "a", since: "2026-03-31" }),
  ];
  expect(misuse).toBeTypeOf("function");
});

it("answers with one object, with an array, or with nothing to pass", async () => {
  answers = (request) =>
    request.url.includes("batch")
      ? { users: [{ id: "1" }] }
      : { id: "1", username: "alice", remaining_requests: 5 };
  expect((await client.info({ username: "alice" })).username).toBe("alice");
  expect((await client.infoBatch({ usernames: ["alice"] })).map((user) => user.id)).toEqual(["1"]);
  expect((await client.keyUsageInfo()).remaining_requests).toBe(5);
});

describe("a paged list", () => {
  it("asks for nothing before it is iterated", async () => {
    client.searchTweets({ query: "a" });
    expect(sent).toEqual([]);
  });

  it("ends by the cursor alone: short and empty pages end nothing", async () => {
    paging({ "": [["9", "8"], "a"], a: [[], "b"], b: [["7"], "c"], c: [["6", "5"], null] });
    expect(await ids(client.searchTweets({ query: "a" }))).toEqual(["9", "8", "7", "6", "5"]);
    expect(sent.map(cursorOf)).toEqual([undefined, "a", "b", "c"]);
  });

  it("ends with the cursor that was just sent", async () => {
    paging({ "": [["9"], "a"], a: [["8"], "a"] });
    expect(await ids(client.searchTweets({ query: "a" }))).toEqual(["9", "8"]);
  });

  it("gives what it has and then fails when cursors go round", async () => {
    paging({ "": [["9"], "a"], a: [["8"], "b"], b: [["7"], "a"] });
    const found: string[] = [];
    const walk = async () => {
      for await (const tweet of client.searchTweets({ query: "a" })) found.push(tweet.id);
    };
    await expect(walk()).rejects.toMatchObject({
      kind: "transient",
      message: expect.stringContaining("returned the same cursor twice"),
    });
    expect(found).toEqual(["9", "8", "7"]);
    expect(sent).toHaveLength(3);
  });

  it("costs no page more than is read", async () => {
    paging({ "": [["9"], "a"], a: [["8"], null] });
    for await (const tweet of client.searchTweets({ query: "a" })) if (tweet.id === "9") break;
    expect(sent).toHaveLength(1);
  });

  it("can be read page by page and resumed from a cursor", async () => {
    paging({ "": [["9"], "a"], a: [["8"], "b"], b: [["7"], null] });
    const list = client.searchTweets({ query: "a" });
    expect(await list.page()).toMatchObject({ items: [{ id: "9" }], nextCursor: "a" });
    const rest: unknown[] = [];
    for await (const page of list.pages("a")) rest.push(page.items.map((tweet) => tweet.id));
    expect(rest).toEqual([["8"], ["7"]]);
  });

  it("passes the signal on", async () => {
    const { signal } = new AbortController();
    paging({});
    await ids(client.searchTweets({ query: "a" }, { signal }));
    expect(sent[0]?.signal).toBe(signal);
  });
});

describe("batches", () => {
  const many = Array.from({ length: 250 }, (_, index) => String(index + 1));

  it("ask for 100 accounts with one request, each once", async () => {
    answers = (request) => ({
      users: new URL(request.url).searchParams.getAll("user_ids").map((id) => ({ id })),
    });
    expect(await ids(fetchUsers(client, { userIds: [...many, "1", "2"] }))).toEqual(many);
    expect(sent).toHaveLength(3);
  });

  it("ask for 100 tweets with one request, each once", async () => {
    answers = (request) => ({
      tweets: (JSON.parse(request.body ?? "{}") as { tweet_links: string[] }).tweet_links.map(
        (id) => ({ id }),
      ),
    });
    expect(await ids(fetchTweets(client, many))).toEqual(many);
    expect(sent).toHaveLength(3);
  });

  it("ask for handles by name, and for nothing when there is none", async () => {
    answers = () => ({ users: [{ id: "1" }] });
    await ids(fetchUsers(client, { usernames: ["alice", "bob", "@Alice"] }));
    expect(new URL(sent[0]?.url ?? "").searchParams.getAll("usernames")).toEqual(["alice", "bob"]);
    expect(await ids(fetchTweets(client, []))).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
