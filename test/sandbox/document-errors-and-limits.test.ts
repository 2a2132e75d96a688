/**
 * Tests the sentences of api-v3.md, Errors and Limits. document-shared-rules and
 * document-authentication cover 400 and 401.
 */
import { expect, test } from "vitest";
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import { type Inputs, openService, ROWS } from "./inputs-of.ts";

/**
 * Operations that may answer about a protected user: they say whether a user is protected, or
 * return nothing private.
 */
const SHOW_PROTECTED: ReadonlySet<EndpointName> = new Set([
  ...([
    "check-follow",
    "check-comment",
    "check-quoted",
    "check-retweet",
    "check-community-member",
    "followers-stats",
  ] as const),
]);
const LISTS: readonly EndpointName[] = ["search-tweets", "list-tweets", "community-tweets"];

/** Returns every operation that takes this group or input, with the other inputs it needs. */
async function taking(input: string, service: Awaited<ReturnType<typeof openService>>) {
  const inputs = await service.sampleInputs();
  return ROWS.filter(({ input: { shape } }) => input in shape).map(({ name, exactlyOne }) => {
    const group = exactlyOne?.find((names) => names.includes(input)) ?? [];
    const rest = Object.fromEntries(
      Object.entries(inputs[name][0] ?? {}).filter(([other]) => !group.includes(other)),
    );
    return { name, with: (value: string): Inputs => ({ ...rest, [input]: value }) };
  });
}

test("an error response carries a JSON body `{message: string}`", async () => {
  const { get, send, control } = await openService();
  const errors = [
    await get("info"),
    await get("info?username=nobody_here"),
    await get("info?username=acme", {}),
    await get("nothing"),
  ];
  errors.push(await send("POST", "/v3/user-tweets", "{"));
  for (const name of ["payment_required", "quota", "rate_limit", "server_error"]) {
    await control("POST", "faults", { name });
    errors.push(await get("info?username=acme"));
  }
  expect(errors.map(({ status }) => status)).toEqual([400, 404, 401, 404, 400, 402, 403, 429, 500]);
  for (const { body } of errors) expect(body).toEqual({ message: expect.stringMatching(/./) });
});

test("404: a changed username, while its ID goes on", async () => {
  const service = await openService();
  const { id } = (
    await service.control("POST", "accounts", { username: "alice", rename_to: "alice_two" })
  ).body;
  for (const asked of await taking("username", service))
    expect([asked.name, (await service.ask(asked.name, asked.with("alice"))).status]).toEqual([
      asked.name,
      404,
    ]);
  for (const asked of await taking("user_id", service))
    expect([asked.name, (await service.ask(asked.name, asked.with(id))).status]).toEqual([
      asked.name,
      200,
    ]);
});

test.each(["suspended", "deleted", "protected"] as const)(
  "404: a %s account, by handle and by ID, until it is restored",
  async (state) => {
    const service = await openService();
    const shows = state === "protected" ? SHOW_PROTECTED : new Set();
    const { id } = (await service.control("POST", "accounts", { username: "alice", [state]: true }))
      .body;
    const statuses = async () => {
      const found: [string, number][] = [];
      for (const asked of await taking("username", service))
        found.push([asked.name, (await service.ask(asked.name, asked.with("alice"))).status]);
      for (const asked of await taking("user_id", service)) {
        if (asked.name !== "id-to-username")
          found.push([asked.name, (await service.ask(asked.name, asked.with(id))).status]);
      }
      return found;
    };
    for (const [name, status] of await statuses())
      expect([name, status]).toEqual([name, shows.has(name as EndpointName) ? 200 : 404]);
    await service.control("POST", "accounts", { username: "alice", [state]: false });
    for (const [name, status] of await statuses()) expect([name, status]).toEqual([name, 200]);
  },
);

test("a protected account is marked where the answer has `user_protected`, and shows nothing else", async () => {
  const { ask, control, put } = await openService();
  const [root] = await put({ username: "acme", text: "root" });
  await put({ username: "alice", text: "yes", reply_to: root });
  await put({ username: "alice", retweet_of: root });
  await control("POST", "follows", { target: "acme", follower: "alice" });
  await control("POST", "accounts", { username: "alice", protected: true });
  const who = { username: "alice", tweet_link: root };
  expect((await ask("check-follow", { username_1: "acme", username_2: "alice" })).body).toEqual({
    follow: false,
    user_protected: true,
  });
  expect((await ask("check-retweet", who)).body).toMatchObject({
    retweet: false,
    user_protected: true,
  });
  expect((await ask("check-quoted", who)).body).toMatchObject({
    status: "not_found",
    user_protected: true,
  });
  expect((await ask("check-comment", who)).body).toEqual({ commented: false });
  expect((await ask("followers-stats", { username: "alice" })).body).toMatchObject({
    followers_count: 0,
    user_protected: true,
  });
});

test.each(["suspended", "deleted", "protected"] as const)(
  "404: a tweet of a %s account, which is in no list either",
  async (state) => {
    const service = await openService();
    const [id = ""] = await service.put({
      username: "alice",
      text: "zebra",
      community_id: "1493446837214187523",
    });
    await service.control("POST", "accounts", { username: "alice", [state]: true });
    for (const asked of await taking("tweet_link", service))
      expect([asked.name, (await service.ask(asked.name, asked.with(id))).status]).toEqual([
        asked.name,
        404,
      ]);
    expect((await service.ask("tweet-info-bulk", { tweet_links: [id] })).body.tweets).toEqual([]);
    const inputs = await service.sampleInputs();
    for (const name of LISTS)
      expect([
        name,
        (
          await service.ask(name, {
            ...inputs[name][0],
            ...(name === "search-tweets" && { query: "zebra" }),
          })
        ).text,
      ]).toEqual([name, expect.not.stringContaining(id)]);
  },
);

test("404: a deleted tweet, until it is restored", async () => {
  const service = await openService();
  const [id = ""] = await service.put({ text: "zebra" });
  await service.control("DELETE", `tweets/${id}`);
  for (const asked of await taking("tweet_link", service))
    expect([asked.name, (await service.ask(asked.name, asked.with(id))).status]).toEqual([
      asked.name,
      404,
    ]);
  expect((await service.ask("tweet-info-bulk", { tweet_links: [id] })).body.tweets).toEqual([]);
  await service.control("POST", "restore", { id });
  expect((await service.ask("tweet-info", { tweet_link: id })).status).toBe(200);
});

test("404: a wrong URL, and things that do not exist", async () => {
  const { ask, get, send } = await openService();
  const absent: readonly [EndpointName, Inputs][] = [
    ["info", { user_link: "https://social.example/nobody_here" }],
    ["id-to-username", { user_id: "1" }],
    ["tweet-info", { tweet_link: "1234567890123456789" }],
    ["list-tweets", { list_id: "1" }],
    ["list-followers", { list_link: "1" }],
    ["community-info", { community_id: "1" }],
    ["spaces", { id: "1zzzzzzzzzzzz" }],
    ["link-to-id", { link: "https://social.example/nobody_here" }],
  ];
  for (const [name, inputs] of absent)
    expect([name, (await ask(name, inputs)).status]).toEqual([name, 404]);
  for (const path of ["", "infos", "info/acme", "v3/info", "id-to-username/", "id-to-username/1/2"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await send("GET", "/v2/info?username=acme")).status).toBe(404);
  expect((await send("GET", "/info?username=acme")).status).toBe(404);
});

test("429: more than 20 requests per second, whatever is asked", async () => {
  const { get, clock } = await openService();
  for (const path of ["key-usage-info", "info?username=acme", "info", "no-such-thing"]) {
    await clock.advance(1_000);
    const burst = await Promise.all(Array.from({ length: 25 }, () => get(path)));
    expect([path, burst.filter(({ status }) => status === 429).length]).toEqual([path, 5]);
  }
});

test("request rate: flat, on every plan, and each key by itself", async () => {
  const { get, control } = await openService();
  await control("POST", "keys", { key: "free" });
  await control("POST", "keys", { key: "large", quota: 500_000 });
  for (const ApiKey of ["free", "large", "k"]) {
    const burst = await Promise.all(
      Array.from({ length: 21 }, () => get("key-usage-info", { ApiKey })),
    );
    expect([ApiKey, burst.filter(({ status }) => status === 429).length]).toEqual([ApiKey, 1]);
  }
});

test("request rate: counted in fixed seconds, and a pause of one second ends it", async () => {
  const { get, clock } = await openService();
  const burst = async () =>
    (await Promise.all(Array.from({ length: 21 }, () => get("key-usage-info")))).filter(
      ({ status }) => status === 429,
    ).length;
  await clock.advance(999);
  expect(await burst()).toBe(1);
  await clock.advance(1);
  expect(await burst()).toBe(1);
  expect((await get("key-usage-info")).status).toBe(429);
  await clock.advance(1_000);
  expect((await get("key-usage-info")).status).toBe(200);
});

test.each([
  ["user-retweets", 20],
  ["quotes", 20],
  ["list-tweets", 20],
  ["user-tweets", 20],
  ["search-tweets", 20],
  ["mentions", 20],
  ["community-tweets", 20],
  ["followers", 200],
  ["follows", 200],
] as const)("page size of /%s: up to %i, reached where there is more", async (name, most) => {
  const { walk, put, sampleInputs, control } = await openService({ traps: false, accounts: 200 });
  const [root] = await put({ text: "root" });
  for (const kind of ["retweet_of", "quote_of"])
    await put({ username: "fresh_one", text: "@quagga", [kind]: root, count: 30 });
  await put({
    text: "@quagga",
    count: 30,
    community_id: (await control("GET", "sample")).body.community_ids[0],
  });
  const special: Partial<Record<EndpointName, Inputs>> = {
    quotes: { tweet_link: root },
    "user-retweets": { username: "fresh_one" },
    "user-tweets": { username: "fresh_one" },
    mentions: { query: "quagga" },
    followers: { username: "acme" },
    follows: { username: "bob" },
  };
  const pages = await walk(name, special[name] ?? (await sampleInputs())[name][0] ?? {}, 4);
  const lengths = pages.map(({ body }) => (body.tweets ?? body.users).length);
  expect(Math.max(...lengths)).toBe(most);
});

test("batch size: up to 100 usernames, user_ids or tweet_links; 101 answer 400", async () => {
  const { ask } = await openService();
  const many = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1));
  for (const [name, input] of [
    ["info-batch", "usernames"],
    ["info-batch", "user_ids"],
    ["tweet-info-bulk", "tweet_links"],
  ] as const) {
    expect([input, (await ask(name, { [input]: many(100) })).status]).toEqual([input, 200]);
    expect([input, (await ask(name, { [input]: many(101) })).status]).toEqual([input, 400]);
  }
  expect((await ask("tweet-info-bulk", { tweet_links: [] })).status).toBe(400);
});

test("top lists: 20 entries, the highest scores first", async () => {
  const { ask } = await openService({ accounts: 300 });
  const { users } = (await ask("top-followers", { username: "acme" })).body;
  expect(users).toHaveLength(20);
  const scores = users.map(({ score }: { score: number }) => score);
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  expect((await ask("top-following", { username: "acme" })).body.users.length).toBeLessThanOrEqual(
    20,
  );
});

test("billing is per request: a batch of 100 counts as one, refused keys and /key-usage-info as none", async () => {
  const { ask, get, control } = await openService();
  await ask("info-batch", { user_ids: Array.from({ length: 100 }, (_, i) => String(i)) });
  await get("info?username=acme", {});
  await ask("key-usage-info", {});
  expect((await control("GET", "requests")).body).toMatchObject({
    total: 3,
    billed: 1,
    billed_by_endpoint: { "info-batch": 1 },
  });
});

test("billing is per request: every operation but /key-usage-info costs one", async () => {
  const { ask, sampleInputs, control } = await openService();
  const inputs = await sampleInputs();
  for (const { name, billed } of ROWS) {
    await control("DELETE", "requests");
    await ask(name, inputs[name][0] ?? {});
    expect([name, (await control("GET", "requests")).body.billed]).toEqual([name, billed ? 1 : 0]);
  }
});
