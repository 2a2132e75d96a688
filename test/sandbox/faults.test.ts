import { expect, test } from "vitest";
import { FAULT_NAMES } from "../../src/sandbox/faults/kinds.ts";
import { openSandbox } from "./ask.ts";

test.each([
  ["rate_limit", 429],
  [3, 500],
  [5, 502],
  [6, 403],
  [7, 402],
  [8, 401],
  [9, 400],
  [10, 404],
  [39, 302],
] as const)("fault %s answers %i once, then all is well", async (name, status) => {
  const { control, get } = await openSandbox();
  await control("POST", "faults", { name });
  expect((await get("info?username=acme")).status).toBe(status);
  expect((await get("info?username=acme")).status).toBe(200);
});

test("a fault can be kept to one endpoint, to a number of times and to a span of time", async () => {
  const { control, get, clock } = await openSandbox();
  await control("POST", "faults", { name: "server_error", endpoint: "about", times: 2 });
  await control("POST", "faults", { name: "rate_limit", endpoint: "score", for_ms: 5_000 });
  const statuses = async (path: string) => (await get(`${path}?username=acme`)).status;
  expect([
    await statuses("info"),
    await statuses("about"),
    await statuses("about"),
    await statuses("about"),
  ]).toEqual([200, 500, 500, 200]);
  expect([await statuses("score"), await statuses("score")]).toEqual([429, 429]);
  await clock.advance(5_000);
  expect(await statuses("score")).toBe(200);
});

test.each(["truncated", "reset", 14])(
  "fault %s breaks the connection within the body",
  async (name) => {
    const { control, get } = await openSandbox();
    await control("POST", "faults", { name });
    await expect(get("info?username=acme")).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
  },
);

test("a hanging answer never comes, and closing the sandbox ends it", async () => {
  const sandbox = await openSandbox();
  await sandbox.control("POST", "faults", { name: "hang" });
  const outcome = sandbox.get("info?username=acme").catch((error: Error) => error.message);
  await sandbox.get("info?username=rival");
  await sandbox.close();
  expect(await outcome).toMatch(/socket hang up|ECONNRESET/);
});

test.each([
  ["html_200", undefined],
  ["null_200", null],
  ["missing_array", { next_cursor: expect.any(String) }],
  ["wrong_type", expect.objectContaining({ tweets: "none" })],
])("fault %s sends 200 with the wrong shape", async (name, body) => {
  const { control, post } = await openSandbox();
  await control("POST", "faults", { name });
  expect(await post("user-tweets", { username: "acme" })).toMatchObject({ status: 200, body });
});

test("pages can repeat items, loop their cursor, or lose it", async () => {
  const { control, post } = await openSandbox({ traps: false });
  const ask = (next_cursor?: string) => post("user-tweets", { username: "acme", next_cursor });
  await control("POST", "faults", { name: "duplicates" });
  const { tweets } = (await ask()).body;
  expect(tweets[0].id).toBe(tweets[1].id);
  const { next_cursor } = (await ask()).body;
  await control("POST", "faults", { name: "cursor_loop" });
  expect((await ask(next_cursor)).body.next_cursor).toBe(next_cursor);
  await control("POST", "faults", { name: "cursor_expired" });
  expect((await ask(next_cursor)).status).toBe(400);
});

test.each(["slowloris", 13])("fault %s sends a byte every five seconds", async (name) => {
  const sandbox = await openSandbox();
  await sandbox.control("POST", "faults", { name });
  let outcome: unknown;
  const asked = sandbox.get("about?username=acme").then(
    (reply) => (outcome = reply),
    (error: Error) => (outcome = error),
  );
  await sandbox.get("info?username=rival");
  await sandbox.clock.advance(60_000);
  expect(outcome).toBeUndefined();
  for (let byte = 0; byte < 200 && outcome === undefined; byte += 1)
    await sandbox.clock.advance(5_000);
  await asked;
  expect(outcome).toMatchObject({ status: 200, body: { country: expect.any(String) } });
  expect(sandbox.clock.pending()).toBe(0);
});

test.each([
  [17, 50_000_000],
  ["huge", 50_000_000],
])("fault %s sends more than %i bytes", async (name, least) => {
  const { control, get } = await openSandbox();
  await control("POST", "faults", { name });
  expect((await get("info?username=acme")).text.length).toBeGreaterThan(least);
});

test("a gzip bomb is small on the wire", async () => {
  const { control, get } = await openSandbox();
  await control("POST", "faults", { name: "gzip_bomb" });
  const { headers, text } = await get("info?username=acme");
  expect(headers["content-encoding"]).toBe("gzip");
  expect(text.length).toBeLessThan(1_000_000);
});

test("fault 16 adds unknown fields, leaves out known ones and sends null", async () => {
  const { control, post } = await openSandbox();
  await control("POST", "faults", { number: 16 });
  const [tweet] = (await post("search-tweets", { query: "filter:media", order: "latest" })).body
    .tweets;
  expect(tweet).toMatchObject({
    rest_id_v4: "x",
    nested: { deeper: [1, null] },
    bookmark_count: null,
  });
  expect(tweet).not.toHaveProperty("lang");
});

test("fault 20 sends no items and a cursor that leads to them; fault 21 sends three; fault 23 turns the page around", async () => {
  const { control, post } = await openSandbox({ traps: false });
  const { ids } = (await control("POST", "tweets", { username: "fresh_one", count: 60 })).body;
  const newest: readonly string[] = ids.toReversed();
  const ask = async (next_cursor?: string) => {
    const { body } = await post("user-tweets", {
      username: "fresh_one",
      ...(next_cursor !== undefined && { next_cursor }),
    });
    return { next: body.next_cursor, ids: body.tweets.map((tweet: { id: string }) => tweet.id) };
  };
  const first = await ask();
  await control("POST", "faults", { number: 20 });
  expect(await ask(first.next)).toEqual({ next: first.next, ids: [] });
  expect((await ask(first.next)).ids).toEqual(newest.slice(20, 40));
  await control("POST", "faults", { number: 21 });
  expect(await ask()).toEqual({ next: first.next, ids: newest.slice(0, 3) });
  await control("POST", "faults", { number: 23 });
  expect((await ask()).ids).toEqual([newest[19], ...newest.slice(0, 19).toReversed()]);
});

test.each([
  ["end_zero", 0],
  ["end_empty", ""],
  ["end_absent", undefined],
])("fault %s ends a list with %j", async (name, end) => {
  const { control, post } = await openSandbox({ traps: false });
  await control("POST", "tweets", { username: "fresh_one", count: 3 });
  await control("POST", "faults", { name });
  expect((await post("user-tweets", { username: "fresh_one" })).body.next_cursor).toBe(end);
});

test("fault 32 sends a score without a value; fault 35 dates from the future; bad_dates dates that nobody can read", async () => {
  const { control, get, post } = await openSandbox();
  await control("POST", "faults", { number: 32 });
  expect((await get("score-changes?username=acme")).body).toEqual({
    week_delta: null,
    month_delta: "NaN",
  });
  const dates = async () =>
    (await post("search-tweets", { query: "filter:media" })).body.tweets.map(
      (tweet: { created_at: string }) => tweet.created_at,
    );
  await control("POST", "faults", { number: 35 });
  for (const date of await dates()) expect(new Date(date).getUTCFullYear()).toBe(2199);
  await control("POST", "faults", { name: "bad_dates" });
  for (const date of await dates()) expect(Date.parse(date)).toBeNaN();
});

test("fault 33 sends counts that are lower every other second", async () => {
  const { control, get, clock } = await openSandbox();
  const count = async () => (await get("info?username=acme")).body.tweets_count;
  const before = await count();
  await control("POST", "faults", { number: 33 });
  const counts = [];
  for (let second = 0; second < 4; second += 1) {
    counts.push((await count()) - before);
    await clock.advance(1_000);
  }
  expect(new Set(counts)).toEqual(new Set([0, -3]));
  expect(counts.slice(0, 2)).toEqual(counts.slice(2));
});

test("an unknown fault is refused with the names of the known", async () => {
  const { control } = await openSandbox();
  expect(await control("POST", "faults", { name: "earthquake" })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(FAULT_NAMES[0] ?? "") },
  });
});
