/**
 * Tests the sentences of api-v3.md, "Conventions" and "Shared rules", each with every operation it
 * applies to. Rule 1 is in document-authentication.
 */
import { expect, test } from "vitest";
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import { wholeNumber } from "../../src/api/inputs.ts";
import { cursorIn, type Inputs, openService, ROWS } from "./inputs-of.ts";

const PAGED = ROWS.filter(({ cursor, name }) => cursor !== undefined && name !== "check-retweet");
const GROUPS = ROWS.flatMap((row) =>
  (row.exactlyOne ?? []).map((group) => ({ name: row.name, group })),
);

test("request and response bodies are JSON", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const { name } of ROWS) {
    const reply = await ask(name, inputs[name][0] ?? {});
    expect([name, reply.headers["content-type"]]).toEqual([
      name,
      expect.stringMatching(/^application\/json/),
    ]);
    expect([name, typeof reply.body]).toEqual([name, "object"]);
  }
});

test("an endpoint answers to its own method alone", async () => {
  const { send, clock } = await openService();
  for (const { path, method, version } of ROWS) {
    await clock.advance(100);
    const other = method === "GET" ? "POST" : "GET";
    const reply = await send(
      other,
      `/${version ?? "v3"}${path}`,
      other === "POST" ? "{}" : undefined,
    );
    expect([path, reply.status]).toEqual([path, 404]);
  }
});

test("identifiers (user IDs, tweet IDs, community IDs) are strings of digits: others answer 400", async () => {
  const { ask } = await openService();
  const wrong: readonly [EndpointName, Inputs][] = [
    ["info", { user_id: "12a" }],
    ["user-tweets", { user_id: "12a" }],
    ["id-to-username", { user_id: "acme" }],
    ["tweet-info", { tweet_link: "12a" }],
    ["community-info", { community_id: "12a" }],
    ["list-tweets", { list_id: "builders" }],
    ["v2-user-tweets", { user_id: "12a" }],
  ];
  for (const [name, inputs] of wrong)
    expect([name, (await ask(name, inputs)).status]).toEqual([name, 400]);
});

test("a `*_link` parameter accepts a full URL of the resource", async () => {
  const { ask, control } = await openService();
  const sample = (await control("GET", "sample")).body;
  const base = "https://social.example";
  const linked: readonly [EndpointName, Inputs][] = [
    ["info", { user_link: `${base}/acme` }],
    ["user-tweets", { user_link: `${base}/acme?lang=en` }],
    ["tweet-info", { tweet_link: `${base}/anyone/status/${sample.tweet_ids[0]}` }],
    ["quotes", { tweet_link: `${base}/i/web/status/${sample.tweet_ids[0]}/` }],
    ["list-followers", { list_link: `${base}/i/lists/${sample.list_ids[0]}` }],
    ["community-members", { community_link: `${base}/i/communities/${sample.community_ids[0]}` }],
    ["spaces", { link: `${base}/i/spaces/${sample.space_ids[0]}` }],
    ["link-to-id", { link: `${base}/acme` }],
    ["v2-user-tweets", { link: `${base}/acme` }],
  ];
  for (const [name, inputs] of linked)
    expect([name, (await ask(name, inputs)).status]).toEqual([name, 200]);
});

test("2. paginated endpoints have `next_cursor` plus an array named `users` or `tweets`", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const { name } of PAGED) {
    const { body, text } = await ask(name, inputs[name][0] ?? {});
    expect([
      name,
      Array.isArray(body.users) !== Array.isArray(body.tweets),
      text.includes('"next_cursor"'),
    ]).toEqual([name, true, true]);
  }
});

test("2. paginated endpoints accept `next_cursor`: in the query string for GET, in the JSON body for POST", async () => {
  const { ask, send, put } = await openService({ traps: false });
  await put({ username: "fresh_one", count: 30 });
  const first = await ask("user-tweets", { username: "fresh_one" });
  const search = `next_cursor=${first.body.next_cursor}`;
  const elsewhere = await send(
    "POST",
    `/v3/user-tweets?${search}`,
    JSON.stringify({ username: "fresh_one" }),
  );
  expect(elsewhere.body.tweets).toEqual(first.body.tweets);
  expect(
    (await ask("user-tweets", { username: "fresh_one", next_cursor: first.body.next_cursor })).body
      .tweets,
  ).toHaveLength(10);
  const list = await ask("followers", { username: "alice" });
  const second = await ask("followers", { username: "alice", next_cursor: cursorIn(list) });
  expect(second.body.users[0].id).not.toBe(list.body.users[0].id);
});

test("2. `next_cursor` is a string, on every page that has one", async () => {
  const { ask, sampleInputs, put, control } = await openService({ traps: false, accounts: 300 });
  const [root] = await put({ text: "root" });
  for (const kind of ["reply_to", "quote_of", "retweet_of"])
    await put({ username: "acme", text: "quagga", [kind]: root, count: 250 });
  const { id: list } = (
    await control("POST", "lists", {
      members: Array.from({ length: 250 }, (_, n) => `member_${n}`),
    })
  ).body;
  const ofRoot = { tweet_link: root };
  const own = {
    comments: ofRoot,
    quotes: ofRoot,
    retweeters: ofRoot,
    "user-retweets": { username: "acme" },
    "list-members": { list_id: list },
  };
  const inputs: Readonly<Record<string, readonly Inputs[]>> = await sampleInputs();
  for (const { name, cursor } of PAGED) {
    const asked = own[name as keyof typeof own] ?? inputs[name]?.[0] ?? {};
    const { next_cursor } = (await ask(name, asked)).body;
    expect([name, next_cursor]).toEqual([name, expect.any(String)]);
    expect([
      name,
      (await ask(name, { ...asked, [cursor?.param ?? ""]: next_cursor })).status,
    ]).toEqual([name, 200]);
  }
});

test("2. each version knows its own name of the cursor alone: the other's is ignored", async () => {
  const { ask, send, put } = await openService({ traps: false });
  await put({ username: "fresh_one", count: 30 });
  const v3 = await ask("user-tweets", { username: "fresh_one" });
  const asked = { username: "fresh_one", cursor: v3.body.next_cursor };
  expect((await send("POST", "/v3/user-tweets", JSON.stringify(asked))).body).toEqual(v3.body);
  const followers = await ask("followers", { username: "alice" });
  expect(
    (await ask("followers", { username: "alice", cursor: followers.body.next_cursor })).body,
  ).toEqual(followers.body);
  const link = "https://social.example/fresh_one";
  const v2 = await ask("v2-user-tweets", { link });
  expect((await ask("v2-user-tweets", { link, next_cursor: v2.body.next_cursor })).body).toEqual(
    v2.body,
  );
  expect(
    (await ask("v2-user-tweets", { link, cursor: v2.body.next_cursor })).body.tweets,
  ).toHaveLength(10);
});

test("2. `next_cursor` is opaque, taken from the previous response: any other text answers 400", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const { name, cursor } of PAGED) {
    for (const made of ["made up", "DAAB", "17"]) {
      expect([
        name,
        (await ask(name, { ...inputs[name][0], [cursor?.param ?? ""]: made })).status,
      ]).toEqual([name, 400]);
    }
  }
});

test("3. when `next_cursor` is null or absent, the last page is reached; when it is not, more pages may exist", async () => {
  const { walk, put } = await openService({ accounts: 30 });
  const ids = await put({ username: "fresh_one", count: 70 });
  const pages = await walk("user-tweets", { username: "fresh_one" });
  expect(pages.at(-1)?.body.next_cursor).toBeNull();
  for (const page of pages.slice(0, -1))
    expect(page.body.next_cursor).toEqual(expect.stringMatching(/./));
  expect(pages.flatMap(({ body }) => body.tweets.map((tweet: { id: string }) => tweet.id))).toEqual(
    ids.toReversed(),
  );
});

test("4. a page may hold fewer items than the maximum, or none, while more data exists", async () => {
  const { walk, put } = await openService();
  const ids = await put({ username: "fresh_one", count: 400 });
  const lists = (await walk("user-tweets", { username: "fresh_one" })).map(
    ({ body }) => body.tweets as readonly { id: string }[],
  );
  const early = lists.slice(0, -1).map(({ length }) => length);
  expect(early.some((length) => length > 0 && length < 15)).toBe(true);
  expect(early).toContain(0);
  expect(lists.flat().map(({ id }) => id)).toEqual(ids.toReversed());
});

test("5. endpoints that return a single object have no cursor, and batches and windows neither", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const { name } of ROWS.filter(({ cursor }) => cursor === undefined)) {
    expect([name, (await ask(name, inputs[name][0] ?? {})).text]).toEqual([
      name,
      expect.not.stringContaining("next_cursor"),
    ]);
  }
});

test("6. where a user is identified by user_link, username or user_id, exactly one of the three is given", async () => {
  const { ask, sampleInputs, get } = await openService();
  const inputs = await sampleInputs();
  const { id } = (await get("info?username=acme")).body;
  const said: Readonly<Record<string, string>> = {
    user_link: "https://social.example/acme",
    username: "acme",
    user_id: id,
  };
  const users = GROUPS.filter(({ group }) => group[0]?.startsWith("user_link"));
  expect(users.length).toBe(20);
  for (const { name, group } of users) {
    const rest = Object.fromEntries(
      Object.entries(inputs[name][0] ?? {}).filter(([input]) => !group.includes(input)),
    );
    const given = (names: readonly string[]) => ({
      ...rest,
      ...Object.fromEntries(names.map((input) => [input, said[input.replace(/_\d$/, "")]])),
    });
    for (const one of group)
      expect([name, one, (await ask(name, given([one]))).status]).toEqual([name, one, 200]);
    for (const wrong of [[], group.slice(0, 2), group.slice(1), group]) {
      expect([name, wrong, (await ask(name, given(wrong))).status]).toEqual([name, wrong, 400]);
    }
  }
});

test("6. of usernames and user_ids, of the Space's ID and link, one of the two is given", async () => {
  const { ask } = await openService();
  expect((await ask("info-batch", {})).status).toBe(400);
  expect((await ask("info-batch", { usernames: ["acme"], user_ids: ["1"] })).status).toBe(400);
  expect((await ask("spaces", {})).status).toBe(400);
  expect(
    (await ask("spaces", { id: "1abcdef", link: "https://social.example/i/spaces/1abcdef" }))
      .status,
  ).toBe(400);
});

test("7. a missing required parameter yields 400", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  const required = ROWS.flatMap((row) =>
    Object.entries(row.input.shape)
      .filter(
        ([input, schema]) =>
          !schema.safeParse(undefined).success && !row.path.includes(`{${input}}`),
      )
      .map(([input]) => ({ name: row.name, input })),
  );
  expect(required.length).toBeGreaterThan(20);
  for (const { name, input } of required) {
    const { [input]: _missing, ...rest } = inputs[name][0] ?? {};
    expect([name, input, await ask(name, rest)]).toEqual([
      name,
      input,
      expect.objectContaining({ status: 400, body: { message: expect.any(String) } }),
    ]);
  }
});

test("7. a wrong type yields 400", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const row of ROWS.filter(({ method }) => method === "POST")) {
    const groups = [...(row.exactlyOne ?? []), ...(row.atLeastOne ?? [])];
    const names = [
      ...Object.keys(row.input.shape),
      ...(row.cursor === undefined ? [] : [row.cursor.param]),
    ];
    for (const input of names) {
      const others = groups.find((group) => group.includes(input)) ?? [];
      const rest = Object.fromEntries(
        Object.entries(inputs[row.name][0] ?? {}).filter(([other]) => !others.includes(other)),
      );
      for (const wrong of [
        true,
        {},
        row.input.shape[input]?.def.innerType === wholeNumber ? "5" : 5,
      ]) {
        expect([
          row.name,
          input,
          wrong,
          (await ask(row.name, { ...rest, [input]: wrong })).status,
        ]).toEqual([row.name, input, wrong, 400]);
      }
    }
  }
});

test.each([
  ["trends", { woeid: "Berlin" }],
  ["list-members", { list_id: "twelve" }],
  ["info", { username: "not a handle" }],
  ["info", { user_link: "acme" }],
  ["info", { username: ["acme", "rival"] }],
  ["check-comment", { username: "acme", tweet_link: "no link" }],
  ["mentions", { query: "acme", since_date: "6 March" }],
  ["search-tweets", { query: "a", order: "newest" }],
  ["comments", { tweet_link: "1", order_by: "Newest" }],
] as const)("7. a wrong format yields 400: %s %j", async (name, inputs) => {
  const { ask } = await openService();
  expect((await ask(name, inputs)).status).toBe(400);
});

test("7. a malformed or empty JSON body yields 400", async () => {
  const { send, clock } = await openService();
  for (const { path, version } of ROWS.filter(({ method }) => method === "POST")) {
    for (const body of ["", "  ", "{", '{"username":', "[]", "null", "5", '"acme"']) {
      await clock.advance(100);
      const reply = await send("POST", `/${version ?? "v3"}${path}`, body);
      expect([path, body, reply.status, typeof reply.body.message]).toEqual([
        path,
        body,
        400,
        "string",
      ]);
    }
  }
});
