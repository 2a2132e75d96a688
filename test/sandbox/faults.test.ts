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

test("a fault can be kept to one endpoint, to a number of times and to a stretch of time", async () => {
  const { control, get, clock } = await openSandbox();
  await control("POST", "faults", { name: "server_error", endpoint: "about", times: 2 });
  await control("POST", "faults", { name: "rate_limit", endpoint: "score", for_ms: 5_000 });
  const statuses = async (path: string) => (await get(`${path}?username=acme`)).status;
  expect([await statuses("info"), await statuses("about"), await statuses("about"), await statuses("about")]).toEqual([200, 500, 500, 200]);
  expect([await statuses("score"), await statuses("score")]).toEqual([429, 429]);
  await clock.advance(5_000);
  expect(await statuses("score")).toBe(200);
});

test.each(["truncated", "reset", 14])("fault %s breaks the connection within the body", async (name) => {
  const { control, get } = await openSandbox();
  await control("POST", "faults", { name });
  await expect(get("info?username=acme")).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
});

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

test("an unknown fault is refused with the names of the known", async () => {
  const { control } = await openSandbox();
  expect(await control("POST", "faults", { name: "earthquake" })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(FAULT_NAMES[0] ?? "") },
  });
});
