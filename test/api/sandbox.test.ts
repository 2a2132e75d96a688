import { afterAll, beforeAll, expect, it } from "vitest";
import { type Client, createClient, methodName } from "../../src/api/client.ts";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import type { Paged } from "../../src/api/paged.ts";
import { createUpstream } from "../../src/api/upstream.ts";
import type { Http } from "../../src/model/http.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { UpstreamError, type Upstream } from "../../src/model/upstream.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

type Sample = Readonly<Record<string, readonly string[]>>;

let clock: VirtualClock;
let sandbox: Sandbox;
let http: HttpAgent;
let upstream: Upstream;
let client: Client;
/** What the service sent last, before it was read. */
let sentBody: unknown;
let sample: Sample;

beforeAll(async () => {
  clock = createVirtualClock(Date.UTC(2026, 2, 6, 12));
  sandbox = await startSandbox({ clock });
  http = createHttpAgent();
  const listening: Http = {
    request: async (request) => {
      const answer = await http.request(request);
      sentBody = JSON.parse(answer.body);
      return answer;
    },
  };
  upstream = createUpstream({ http, baseUrl: sandbox.url, key: () => sandbox.key });
  client = createClient({ http: listening, baseUrl: sandbox.url, key: sandbox.key });
  const answer = await http.request({
    method: "GET",
    url: `${sandbox.url}/_sandbox/sample`,
    timeoutMs: 5_000,
    maxBytes: 1_000_000,
    reach: "loopback",
  });
  sample = JSON.parse(answer.body) as Sample;
});

afterAll(async () => {
  await http.close();
  await sandbox.close();
});

const one = (kind: string): string => sample[kind]?.[0] ?? "";

/** What to ask each endpoint for, from what exists in the world. */
const params = (): Readonly<Record<EndpointName, JsonObject>> => {
  const user = { user_id: one("user_ids") };
  const indexed = { username: one("indexed_handles") };
  const tweet = { tweet_link: one("tweet_ids") };
  const community = { community_id: one("community_ids") };
  return {
    info: { username: one("handles") },
    "info-batch": { usernames: sample["handles"]?.slice(0, 50) },
    about: user,
    followers: user,
    follows: user,
    "verified-followers": user,
    "search-users": { query: one("handles") },
    "check-follow": { user_id_1: one("user_ids"), user_id_2: sample["user_ids"]?.[1] },
    "tweet-info": tweet,
    "tweet-info-bulk": { tweet_links: sample["tweet_ids"]?.slice(0, 20) },
    "user-tweets": user,
    "user-retweets": user,
    "search-tweets": { query: `from:${one("handles")}`, order: "latest" },
    mentions: { query: one("handles"), min_likes: 0 },
    comments: { ...tweet, order_by: "Recency" },
    quotes: tweet,
    retweeters: tweet,
    article: { tweet_link: one("article_ids") },
    "check-comment": { ...tweet, ...user },
    "check-quoted": { ...tweet, ...user },
    "check-retweet": { ...tweet, ...user },
    "v2-user-tweets": user,
    "community-info": community,
    "community-members": { community_link: one("community_ids") },
    "community-tweets": community,
    "community-search-tweets": { community_link: one("community_ids"), query: "a" },
    "check-community-member": { ...community, ...user },
    "list-tweets": { list_id: one("list_ids") },
    "list-members": { list_id: one("list_ids") },
    "list-followers": { list_link: one("list_ids") },
    spaces: { id: one("space_ids") },
    trends: { woeid: 1 },
    score: indexed,
    "score-changes": indexed,
    "followers-stats": indexed,
    "top-followers": indexed,
    "top-following": indexed,
    "new-followers-7d": indexed,
    "new-following-7d": indexed,
    "id-to-username": user,
    "username-to-id": { handle: one("handles") },
    "link-to-id": { link: `https://x.com/${one("handles")}` },
    "key-usage-info": {},
  };
};

type Method = (params: JsonObject) => Promise<unknown> | Paged<unknown>;
const PAGES = 4;

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  "%s is answered by the sandbox in the shape of its row, page after page, through its method",
  async (endpoint) => {
    await clock.advance(1_000);
    const call = (client as unknown as Record<string, Method>)[methodName(endpoint)] as Method;
    const given = call(params()[endpoint]);
    const isDocumented = () => expect(ENDPOINTS[endpoint].output.safeParse(sentBody).error).toBeUndefined();
    if (given instanceof Promise) {
      expect(await given).toBeDefined();
      return isDocumented();
    }
    let pages = 0;
    for await (const page of given.pages()) {
      isDocumented();
      expect(page.items).toBeInstanceOf(Array);
      if (++pages === PAGES) break;
    }
    expect(pages).toBeGreaterThan(0);
  },
);

it("tells a wrong key and a subject that does not exist apart", async () => {
  await clock.advance(1_000);
  const call = upstream.call({ endpoint: "info", params: { username: "nobody_here_x" } });
  await expect(call).rejects.toMatchObject({ kind: "not_found", status: 404 });
  const wrong = createUpstream({ http, baseUrl: sandbox.url, key: () => "wrong" });
  const refused: unknown = await wrong.call({ endpoint: "info", params: { username: one("handles") } }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UpstreamError);
  expect(refused).toMatchObject({ kind: "unauthorized", status: 401 });
});
