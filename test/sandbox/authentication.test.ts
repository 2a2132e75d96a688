import { expect, test } from "vitest";
import { openSandbox, START_MS } from "./ask.ts";

test.each([[{}], [{ "Api-Key": "k" }], [{ api_key: "k" }], [{ apikey: "k" }], [{ Authorization: "Bearer k" }]])(
  "the header name is exactly ApiKey: %j answers 401",
  async (headers) => {
    const { get } = await openSandbox();
    expect(await get("info?username=acme", headers)).toMatchObject({ status: 401, body: { message: "missing key in request header" } });
  },
);

test("a key in the query string does not authenticate", async () => {
  const { get } = await openSandbox();
  expect((await get("info?username=acme&ApiKey=k", {})).status).toBe(401);
});

test("a deleted or never-valid key answers 401, also on an unknown path", async () => {
  const { get, control } = await openSandbox();
  expect((await get("info?username=acme", { ApiKey: "other" })).status).toBe(401);
  expect((await get("no-such-thing", { ApiKey: "other" })).status).toBe(401);
  expect((await get("no-such-thing")).status).toBe(404);
  await control("DELETE", "keys/k");
  expect((await get("info?username=acme")).status).toBe(401);
});

test("an exhausted quota answers 403, while /key-usage-info goes on for nothing", async () => {
  const { get } = await openSandbox({ quota: 2 });
  await get("info?username=acme");
  await get("info-batch?usernames=acme&usernames=rival");
  expect(await get("info?username=acme")).toMatchObject({ status: 403, body: { message: "request limit exceeded" } });
  expect((await get("key-usage-info")).body).toMatchObject({ remaining_requests: 0, total_requests: 2 });
});

test("the quota starts anew with the month", async () => {
  const { get, clock } = await openSandbox({ quota: 1 });
  await get("info?username=acme");
  expect((await get("info?username=acme")).status).toBe(403);
  clock.jump(31 * 86_400_000);
  expect((await get("info?username=acme")).status).toBe(200);
});

test("an expired subscription answers 403", async () => {
  const { get, control } = await openSandbox();
  await control("POST", "keys", { key: "late", expires: new Date(START_MS + 1_000).toISOString() });
  expect((await get("info?username=acme", { ApiKey: "late" })).status).toBe(200);
  await control("POST", "clock", { advance_ms: 2_000 });
  expect(await get("info?username=acme", { ApiKey: "late" })).toMatchObject({ status: 403, body: { message: "api key not payed" } });
});

test("more than 20 requests in one second answer 429, per key", async () => {
  const { get, control, clock } = await openSandbox();
  await control("POST", "keys", { key: "second" });
  const burst = await Promise.all(Array.from({ length: 25 }, () => get("key-usage-info")));
  expect(burst.filter((reply) => reply.status === 429)).toHaveLength(5);
  expect((await get("info?username=acme", { ApiKey: "second" })).status).toBe(200);
  await clock.advance(1_000);
  expect((await get("info?username=acme")).status).toBe(200);
});

test("a batch of 100 is one billed request, and refused calls cost nothing", async () => {
  const { get, control } = await openSandbox();
  await get(`info-batch?${Array.from({ length: 100 }, (_, i) => `user_ids=${i}`).join("&")}`);
  await get("info?username=acme", {});
  await get("key-usage-info");
  expect((await control("GET", "requests")).body).toMatchObject({
    total: 3,
    billed: 1,
    billed_by_endpoint: { "info-batch": 1 },
    max_in_one_second: 2,
  });
});

test("the sandbox refuses to listen beyond loopback", async () => {
  await expect(openSandbox({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "SANDBOX_HOST" });
});
