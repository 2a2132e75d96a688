import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiInputError } from "../../src/api/check-input.ts";
import { createUpstream } from "../../src/api/upstream.ts";
import { ChirpwatchError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type Upstream, UpstreamError, type UpstreamFailure } from "../../src/model/upstream.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import {
  type Answer,
  json,
  type LoopbackServer,
  startLoopbackServer,
} from "../support/loopback-server.ts";

const KEY = "key-1234567890";
const BIG = "1867041249938530657";

let server: LoopbackServer;
let http: HttpAgent;
let upstream: Upstream;

beforeAll(async () => {
  server = await startLoopbackServer();
  http = createHttpAgent();
  upstream = createUpstream({ http, baseUrl: server.url, key: () => KEY, timeoutMs: 2_000 });
});

afterAll(async () => {
  await http.close();
  await server.close();
});

beforeEach(() => server.answer(json({ tweets: [], next_cursor: null })));

const search = (cursor?: string) =>
  upstream.call({
    endpoint: "search-tweets",
    params: { query: "acme", order: "latest" },
    ...(cursor !== undefined && { cursor }),
  });

async function failure(
  endpoint = "search-tweets",
  params: JsonObject = { query: "acme" },
): Promise<UpstreamError> {
  const error: unknown = await upstream.call({ endpoint, params }).then(
    (answer) => new Error(`answered ${JSON.stringify(answer)}`),
    (caught: unknown) => caught,
  );
  if (!(error instanceof UpstreamError)) throw error;
  return error;
}

const lastRequest = () => server.received.at(-1);
const plain =
  (text: string, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end(text);

describe("a request", () => {
  it("carries the key under exactly ApiKey, and JSON as JSON", async () => {
    await search();
    expect(lastRequest()).toMatchObject({
      method: "POST",
      url: "/v3/search-tweets",
      body: '{"query":"acme","order":"latest"}',
    });
    const { rawHeaders = [] } = lastRequest() ?? {};
    expect(rawHeaders[rawHeaders.indexOf("ApiKey") + 1]).toBe(KEY);
    expect(rawHeaders[rawHeaders.indexOf("Content-Type") + 1]).toBe("application/json");
  });

  it("repeats the key of a list instead of joining it", async () => {
    server.answer(json({ users: [] }));
    await upstream.call({ endpoint: "info-batch", params: { usernames: ["alice", "@bob"] } });
    expect(lastRequest()?.url).toBe("/v3/info-batch?usernames=alice&usernames=bob");
  });

  it("puts path inputs into the path and sends nothing else", async () => {
    server.answer(json({ handle: "alice" }));
    const answer = await upstream.call({
      endpoint: "id-to-username",
      params: { user_id: "44196397" },
    });
    expect(lastRequest()).toMatchObject({ method: "GET", url: "/v3/id-to-username/44196397" });
    expect(answer.record).toEqual({ handle: "alice" });
  });

  it("goes to the v2 prefix for the one endpoint of v2, cursor under its older name", async () => {
    server.answer(json({ tweets: [{ id_str: BIG, favorite_count: 3 }], next_cursor: "c2" }));
    const answer = await upstream.call({
      endpoint: "v2-user-tweets",
      params: { user_id: "7" },
      cursor: "c1",
    });
    expect(lastRequest()).toMatchObject({
      method: "POST",
      url: "/v2/user-tweets",
      body: '{"user_id":"7","cursor":"c1"}',
    });
    expect(answer).toMatchObject({ tweets: [{ id: BIG, likes_count: 3 }], nextCursor: "c2" });
  });

  it("passes cursors on unharmed, digits and text", async () => {
    await search("DAABCgABF0+/=&");
    expect(lastRequest()?.body).toBe(
      '{"query":"acme","order":"latest","next_cursor":"DAABCgABF0+/=&"}',
    );
    server.answer(json(`{"users":[],"next_cursor":${BIG}}`));
    const { nextCursor } = await upstream.call({ endpoint: "followers", params: { user_id: "7" } });
    expect(nextCursor).toBe(BIG);
    await upstream.call({
      endpoint: "followers",
      params: { user_id: "7" },
      cursor: String(nextCursor),
    });
    expect(lastRequest()?.url).toBe(`/v3/followers?user_id=7&next_cursor=${BIG}`);
  });

  it("uses a new key at once", async () => {
    let key = "first";
    const changing = createUpstream({ http, baseUrl: server.url, key: () => key });
    server.answer(json({}));
    await changing.call({ endpoint: "key-usage-info", params: {} });
    key = "second";
    await changing.call({ endpoint: "key-usage-info", params: {} });
    expect(server.received.slice(-2).map((seen) => seen.headers["apikey"])).toEqual([
      "first",
      "second",
    ]);
  });

  it("is not made for a plain http address of another machine", () => {
    const attempt = () =>
      createUpstream({ http, baseUrl: "http://api.example.com", key: () => KEY });
    expect(attempt).toThrow(ChirpwatchError);
    expect(attempt).toThrow(expect.objectContaining({ code: "API_BASE_URL" }));
  });
});

describe("inputs are checked before anything is paid for:", () => {
  it.each<[string, JsonObject, string, RegExp]>([
    ["search-tweets", {}, "query", /"query" is missing/],
    ["search-tweets", { query: " " }, "query", /"query" must not be empty/],
    ["search-tweets", { query: "a", order: "newest" }, "order", /"order" .*"popular"\|"latest"/],
    [
      "search-tweets",
      { query: "a", limit: 5 },
      "limit",
      /"limit" is not a parameter; it takes query or order/,
    ],
    ["comments", { tweet_link: "1", order: "Recency" }, "order", /takes tweet_link or order_by/],
    ["info", {}, "user_link, username, user_id", /exactly one of user_link, username or user_id/],
    ["info", { username: "a", user_id: "1" }, "username, user_id", /exactly one/],
    ["info", { username: "not a handle" }, "username", /must be a handle/],
    ["info", { user_id: 44196397 }, "user_id", /expected string/],
    ["info", { user_id: "alice" }, "user_id", /must be a string of digits/],
    ["info-batch", { usernames: [] }, "usernames", /at least one/],
    [
      "info-batch",
      { user_ids: Array.from({ length: 101 }, (_, n) => String(n + 1)) },
      "user_ids",
      /at most 100/,
    ],
    [
      "check-follow",
      { username_1: "a" },
      "user_link_2, username_2, user_id_2",
      /exactly one of user_link_2/,
    ],
    [
      "community-info",
      {},
      "community_id, community_link",
      /give one of community_id or community_link/,
    ],
    ["mentions", { query: "a", since_date: "2026-13-01" }, "since_date", /must be a date/],
    ["mentions", { query: "a", min_likes: -1 }, "min_likes", /"min_likes" too small/],
    ["mentions", { query: "a", since_date: "2026-02-30" }, "since_date", /must be a date/],
    ["mentions", { query: "two words" }, "query", /must be a handle/],
    ["info", { user_link: "alice" }, "user_link", /must be a link, https:\/\/ included/],
    [
      "tweet-info",
      { tweet_link: "x.com/alice/status/1" },
      "tweet_link",
      /must be a link, https:\/\/ included, or an id/,
    ],
    ["list-followers", { list_link: "my list" }, "list_link", /or an id/],
    ["spaces", { id: "https://social.example/i/spaces/1DX" }, "id", /must be the id of a Space/],
    [
      "v2-user-tweets",
      { link: "https://social.example/a", user_id: "1" },
      "link, user_id",
      /exactly one of link or user_id/,
    ],
    ["trends", { woeid: "here" }, "woeid", /must be a whole number/],
    ["key-usage-info", { key: "x" }, "key", /it takes none/],
    ["no-such-endpoint", {}, "endpoint", /no such endpoint/],
  ])("%s %j names %s", async (endpoint, params, parameter, message) => {
    const before = server.received.length;
    const error = await failure(endpoint, params);
    expect(error).toBeInstanceOf(ApiInputError);
    expect(error).toMatchObject({ kind: "bad_request", status: undefined, retry: "no", parameter });
    expect(error.message).toMatch(message);
    expect(server.received).toHaveLength(before);
  });

  it("what is undefined was not given", async () => {
    await upstream.call({ endpoint: "search-tweets", params: { query: "a", order: undefined } });
    expect(lastRequest()?.body).toBe('{"query":"a"}');
  });
});

describe("an error answer", () => {
  it.each<[number, string, UpstreamFailure]>([
    [400, '{"message":"query is required"}', "bad_request"],
    [401, '{"message":"unauthorized"}', "unauthorized"],
    [402, '{"message":"payment required"}', "billing"],
    [403, '{"message":"missing key in request header"}', "unauthorized"],
    [403, '{"message":"api key not payed"}', "billing"],
    [403, '{"message":"request limit exceeded"}', "billing"],
    [403, '{"message":"subscription expired"}', "billing"],
    [403, '{"message":"monthly quota exhausted"}', "billing"],
    [403, '{"message":"this account is not available to you"}', "forbidden"],
    [403, "", "forbidden"],
    [404, '{"message":"user not found"}', "not_found"],
    [404, "<html>not found</html>", "not_found"],
    [429, '{"message":"too many requests"}', "rate_limited"],
    [500, '{"message":"internal"}', "transient"],
    [502, "<!DOCTYPE html><html><body>Bad Gateway</body></html>", "transient"],
    [503, "", "transient"],
    [408, "", "transient"],
    [418, "teapot", "transient"],
  ])("%i %s is %s", async (status, body, kind) => {
    server.answer(plain(body, status));
    const error = await failure();
    const retry = kind === "transient" || kind === "rate_limited" ? "later" : "no";
    expect(error).toMatchObject({ kind, status, retry, code: `UPSTREAM_${kind.toUpperCase()}` });
    expect(error.message).toContain(`search-tweets: the service answered ${status}`);
  });

  it("reports what the service said, never its markup and never the key", async () => {
    server.answer(json({ message: `query\nis bad, ${KEY}` }, 400));
    expect((await failure()).message).toBe(
      "search-tweets: the service answered 400: query is bad, [redacted]",
    );
    server.answer(plain("<html><script>x</script></html>", 500));
    expect((await failure()).message).toBe("search-tweets: the service answered 500: an HTML page");
  });

  it("honours Retry-After in seconds and as a date by the service's own clock", async () => {
    server.answer(json({ message: "slow down" }, 429, { "retry-after": "7" }));
    expect((await failure()).retry).toEqual({ afterMs: 7_000 });
    const dates = {
      date: "Fri, 06 Mar 2026 13:38:49 GMT",
      "retry-after": "Fri, 06 Mar 2026 13:38:59 GMT",
    };
    server.answer(json({ message: "slow down" }, 429, dates));
    expect((await failure()).retry).toEqual({ afterMs: 10_000 });
  });

  it("that is a redirect is refused: the key goes nowhere else", async () => {
    const other = await startLoopbackServer();
    server.answer(json("", 302, { location: `${other.url}/v3/search-tweets` }));
    const error = await failure();
    expect(error).toMatchObject({ kind: "transient", status: 302 });
    expect(error.message).toContain("redirect refused");
    expect(other.received).toEqual([]);
    await other.close();
  });
});

describe("an answer that says nothing is transient, never empty:", () => {
  it.each([
    ["no body", ""],
    ["null", "null"],
    ["a missing array", '{"next_cursor":null}'],
    ["the wrong array", '{"users":[],"next_cursor":null}'],
    ["an object for the array", '{"tweets":{},"next_cursor":null}'],
    ["a truncated page", '{"tweets":[{"id":"1"},{"id'],
    ["HTML", "<html>maintenance</html>"],
    ["an entry that is no object", '{"tweets":[{"id":"1"},null]}'],
    ["an entry without an id", '{"tweets":[{"id":"1"},{"full_text":"x"}]}'],
    ["an entry with an id that is none", '{"tweets":[{"id":"abc"}]}'],
    ["a cursor of another kind", '{"tweets":[],"next_cursor":{"value":1}}'],
    ["a message with 200", '{"message":"try again"}'],
  ])("%s", async (_name, body) => {
    server.answer(plain(body));
    expect(await failure()).toMatchObject({ kind: "transient", status: 200, retry: "later" });
  });

  it.each<[string, JsonObject, string]>([
    ["info", { username: "a" }, '{"username":"a"}'],
    ["tweet-info", { tweet_link: "1" }, '{"message":"?"}'],
    ["check-follow", { user_id_1: "1", user_id_2: "2" }, '{"user_protected":false}'],
    ["id-to-username", { user_id: "1" }, "{}"],
    ["username-to-id", { handle: "a" }, '{"id":""}'],
    ["trends", { woeid: 1 }, "{}"],
    ["spaces", { id: "1abc" }, '{"title":"x"}'],
  ])("%s without what it promises", async (endpoint, params, body) => {
    server.answer(plain(body));
    expect((await failure(endpoint, params)).kind).toBe("transient");
  });

  it("a connection that breaks in the middle", async () => {
    server.answer((_, response) => {
      response.writeHead(200, { "content-length": "500" });
      response.write('{"tweets":[{"id":"1"}]');
      setImmediate(() => response.destroy());
    });
    expect(await failure()).toMatchObject({
      kind: "transient",
      status: undefined,
      fields: { reason: "HTTP_RESET", maybe_delivered: true },
    });
  });

  it("an answer that never ends, within the deadline", async () => {
    const hasty = createUpstream({ http, baseUrl: server.url, key: () => KEY, timeoutMs: 60 });
    server.answer(() => undefined);
    const error: unknown = await hasty
      .call({ endpoint: "key-usage-info", params: {} })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: "transient", fields: { reason: "HTTP_TIMEOUT" } });
  });

  it("an answer of 50 MB", async () => {
    server.answer((_, response) => response.writeHead(200, { "content-length": "52428800" }).end());
    expect((await failure()).fields).toMatchObject({ reason: "HTTP_TOO_LARGE" });
  });
});

describe("a page", () => {
  it("may be empty or null and still have a cursor", async () => {
    server.answer(json({ tweets: [], next_cursor: "more" }));
    expect(await search()).toMatchObject({ tweets: [], nextCursor: "more" });
    server.answer(json({ tweets: null, next_cursor: "more" }));
    expect(await search()).toMatchObject({ tweets: [], nextCursor: "more" });
  });

  it.each(["null", '""', '"0"', "0", '"sent"', undefined])(
    "ends with the cursor %s",
    async (cursor) => {
      server.answer(
        json(cursor === undefined ? '{"tweets":[]}' : `{"tweets":[],"next_cursor":${cursor}}`),
      );
      expect("nextCursor" in (await search("sent"))).toBe(false);
    },
  );

  it("keeps every digit of ids that came as numbers", async () => {
    server.answer(
      json(
        `{"tweets":[{"id":${BIG},"conversation_id_str":${BIG},"user":{"id":${BIG}}}],"next_cursor":null}`,
      ),
    );
    const { tweets } = await search();
    expect(tweets?.[0]).toMatchObject({ id: BIG, conversation_id_str: BIG, user: { id: BIG } });
  });

  it("reports the service's clock", async () => {
    server.answer(json({ tweets: [] }, 200, { date: "Fri, 06 Mar 2026 13:38:49 GMT" }));
    expect((await search()).serviceTimeMs).toBe(Date.UTC(2026, 2, 6, 13, 38, 49));
  });

  it("carries the byte order mark and unknown fields of a sloppy server without harm", async () => {
    server.answer(json('\uFEFF{"tweets":[{"id":"1","views":{"x":1}}],"extra":true}'));
    expect((await search()).tweets?.[0]).toMatchObject({ id: "1", views: { x: 1 } });
  });
});

describe("a record", () => {
  const record = async (endpoint: string, params: JsonObject, body: JsonObject) => {
    server.answer(json(body));
    return (await upstream.call({ endpoint, params })).record;
  };

  it("has null, not 0, for scores and quotas that the service does not know", async () => {
    expect(
      await record("score-changes", { username: "a" }, { week_delta: null, month_delta: "12.5" }),
    ).toEqual({
      week_delta: null,
      month_delta: 12.5,
    });
    expect(await record("score", { username: "a" }, { score: 4183.88 })).toEqual({
      score: 4183.88,
    });
    const usage = await record(
      "key-usage-info",
      {},
      { remaining_requests: "odd", key_requests: 5, valid_until: "2026-12-01" },
    );
    expect(usage).toMatchObject({
      remaining_requests: null,
      total_requests: null,
      key_requests: 5,
      valid_until: "2026-12-01",
    });
  });

  it("reads articles by either set of names", async () => {
    const old = await record(
      "article",
      { tweet_link: "1" },
      { likes_count: 3, views_count: 9, author: { id: 7 } },
    );
    expect(old).toMatchObject({ favorite_count: 3, views: 9, author: { id: "7" } });
    expect(
      await record("article", { tweet_link: "1" }, { favorite_count: 4, views: 8 }),
    ).toMatchObject({ favorite_count: 4, views: 8 });
  });

  it("reads a Space's people by either id, and null groups as empty", async () => {
    const participants = {
      admins: [{ periscope_user_id: "p1" }, { broadcast_user_id: "b1" }],
      speakers: null,
      total: 2,
    };
    const space = await record(
      "spaces",
      { id: "1DXxyRYNejbKM" },
      { id: "1DXxyRYNejbKM", created_at: 1_772_804_329_000, participants },
    );
    expect(space).toMatchObject({
      created_at: "2026-03-06T13:38:49.000Z",
      participants: {
        admins: [{ broadcast_user_id: "p1" }, { broadcast_user_id: "b1" }],
        speakers: [],
        listeners: [],
        total: 2,
      },
      settings: { is_locked: false },
      stats: { total_participants: null },
    });
  });

  it("reads the checks", async () => {
    const quoted = {
      status: "quoted",
      date: "2024-04-27 06:43:09",
      text: "so true",
      user_protected: false,
    };
    expect(await record("check-quoted", { tweet_link: "1", username: "a" }, quoted)).toEqual({
      ...quoted,
      date: "2024-04-27T06:43:09.000Z",
    });
    expect(
      await record(
        "check-comment",
        { tweet_link: "1", username: "a" },
        { commented: false, tweet: null },
      ),
    ).toEqual({
      commented: false,
    });
    const found = await record(
      "check-comment",
      { tweet_link: "1", username: "a" },
      { commented: true, tweet: { id: 5, entities: null } },
    );
    expect(found).toMatchObject({ commented: true, tweet: { id: "5", entities: [] } });
    expect(
      await record("check-follow", { username_1: "a", username_2: "b" }, { follow: true }),
    ).toEqual({
      follow: true,
      user_protected: false,
    });
  });

  it("reads the creation of a community and the changes of a name as times", async () => {
    const community = await record(
      "community-info",
      { community_id: "1" },
      { name: "c", created_at: 1_772_804_329_000 },
    );
    expect(community).toMatchObject({
      name: "c",
      member_count: 0,
      created_at: "2026-03-06T13:38:49.000Z",
    });
    const about = await record(
      "about",
      { username: "a" },
      { country: null, last_username_change_at: "0001-01-01T00:00:00Z" },
    );
    expect(about).toEqual({ country: "", last_username_change_at: "", username_change_count: 0 });
  });

  it("of a retweet check has a cursor while there is more to scan", async () => {
    server.answer(json({ retweet: false, user_protected: false, next_cursor: "c2" }));
    const answer = await upstream.call({
      endpoint: "check-retweet",
      params: { tweet_link: "1", username: "a" },
    });
    expect(answer).toMatchObject({ record: { retweet: false }, nextCursor: "c2" });
  });
});
