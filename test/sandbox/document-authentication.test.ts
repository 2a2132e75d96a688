/** Tests the sentences of api-v3.md, Authentication, one by one. */
import { expect, test } from "vitest";
import { openSandbox, START_MS } from "./ask.ts";
import { openService, ROWS } from "./inputs-of.ts";

const MISSING = { status: 401, body: { message: "missing key in request header" } };

test("1. every request carries the header ApiKey: without it, every operation answers 401", async () => {
  const { ask, sampleInputs } = await openService();
  const inputs = await sampleInputs();
  for (const { name } of ROWS)
    expect([name, await ask(name, inputs[name][0] ?? {}, {})]).toEqual([
      name,
      expect.objectContaining(MISSING),
    ]);
});

test.each([
  { "Api-Key": "k" },
  { api_key: "k" },
  { apikey: "k" },
  { APIKEY: "k" },
  { Authorization: "k" },
  { "X-Api-Key": "k" },
])("2. the header name is exactly `ApiKey`: %j does not authenticate", async (headers) => {
  const { get } = await openSandbox();
  expect(await get("info?username=acme", headers as Record<string, string>)).toMatchObject(MISSING);
});

test("3. no OAuth, no bearer tokens and no query-parameter authentication exist", async () => {
  const { get } = await openSandbox();
  for (const scheme of ["Bearer", "Basic", "OAuth"])
    expect(await get("info?username=acme", { Authorization: `${scheme} k` })).toMatchObject(
      MISSING,
    );
  for (const name of ["ApiKey", "api_key", "key", "access_token"])
    expect(await get(`info?username=acme&${name}=k`, {})).toMatchObject(MISSING);
});

test("4. only HTTPS is accepted: the one deviation, plain HTTP, is for loopback alone", async () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.4", "sandbox.example"]) {
    await expect(openSandbox({ host })).rejects.toMatchObject({ code: "SANDBOX_HOST" });
  }
  expect((await openSandbox()).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test("5. POST requests also carry `Content-Type: application/json`: without it, every one answers 400", async () => {
  const { ask, sampleInputs, send } = await openService();
  const inputs = await sampleInputs();
  for (const { name } of ROWS.filter(({ method }) => method === "POST")) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      const reply = await ask(name, inputs[name][0] ?? {}, { ApiKey: "k", "Content-Type": type });
      expect([name, reply]).toEqual([
        name,
        expect.objectContaining({
          status: 400,
          body: { message: "Content-Type must be application/json" },
        }),
      ]);
    }
  }
  expect((await send("POST", "/v3/user-tweets", undefined)).status).toBe(400);
  expect(
    (
      await ask(
        "user-tweets",
        { username: "acme" },
        { ApiKey: "k", "Content-Type": "application/json; charset=utf-8" },
      )
    ).status,
  ).toBe(200);
});

test.each([
  {},
  { Apikey: "k" },
  { ApiKey: "never" },
  { ApiKey: "gone" },
  { ApiKey: "k\u00a0" },
  { ApiKey: "k k" },
  { ApiKey: "" },
])(
  "6. when the header is missing, misnamed, or holds a deleted, never-valid or badly copied key, the response is 401: %j",
  async (headers) => {
    const { get, control } = await openSandbox();
    await control("POST", "keys", { key: "gone" });
    await control("DELETE", "keys/gone");
    expect(await get("info?username=acme", headers as Record<string, string>)).toMatchObject({
      status: 401,
      body: { message: expect.any(String) },
    });
  },
);

test("7. a deleted key stops working at once", async () => {
  const { get, control } = await openSandbox();
  expect((await get("info?username=acme")).status).toBe(200);
  await control("DELETE", "keys/k");
  expect((await get("info?username=acme")).status).toBe(401);
  expect((await control("DELETE", "keys/k")).status).toBe(404);
});

test("7. a replaced key stops working at once, and the new one goes on where it was", async () => {
  const { get, control } = await openSandbox({ quota: 10 });
  await get("info?username=acme");
  await control("POST", "keys", { key: "new", replaces: "k" });
  expect((await get("info?username=acme")).status).toBe(401);
  expect((await get("key-usage-info", { ApiKey: "new" })).body).toMatchObject({
    key_requests: 1,
    remaining_requests: 9,
    total_requests: 10,
  });
  expect((await control("POST", "keys", { key: "other", replaces: "unknown" })).status).toBe(404);
});

test("8. when the key is valid but the subscription has expired, the response is 403", async () => {
  const { get, control } = await openSandbox();
  await control("POST", "keys", {
    key: "late",
    quota: 5,
    expires: new Date(START_MS + 1_000).toISOString(),
  });
  expect((await get("info?username=acme", { ApiKey: "late" })).status).toBe(200);
  await control("POST", "clock", { advance_ms: 2_000 });
  expect(await get("info?username=acme", { ApiKey: "late" })).toMatchObject({
    status: 403,
    body: { message: "api key not payed" },
  });
  expect((await control("POST", "keys", { key: "late", expires: "soon" })).status).toBe(400);
});

test("8. when the monthly request quota is exhausted, the response is 403, and the next month begins anew", async () => {
  const { get, clock } = await openSandbox({ quota: 2 });
  await get("info?username=acme");
  await get("info-batch?usernames=acme&usernames=rival");
  expect(await get("info?username=acme")).toMatchObject({
    status: 403,
    body: { message: "request limit exceeded" },
  });
  expect((await get("key-usage-info")).body).toMatchObject({
    remaining_requests: 0,
    total_requests: 2,
  });
  clock.jump(31 * 86_400_000);
  expect((await get("info?username=acme")).status).toBe(200);
});

test("9. new accounts receive 100 free requests, one time", async () => {
  const { get, control, clock } = await openSandbox();
  await control("POST", "keys", { key: "new" });
  for (let request = 0; request < 100; request += 1) {
    await clock.advance(60);
    expect((await get("info?username=acme", { ApiKey: "new" })).status).toBe(200);
  }
  expect(await get("info?username=acme", { ApiKey: "new" })).toMatchObject({
    status: 403,
    body: { message: "request limit exceeded" },
  });
  clock.jump(31 * 86_400_000);
  expect((await get("info?username=acme", { ApiKey: "new" })).status).toBe(403);
  await control("POST", "keys", { key: "new", quota: 10_000 });
  expect((await get("info?username=acme", { ApiKey: "new" })).status).toBe(200);
});

test("10. keys are created and deleted beside the API, and browser use runs into cross-origin errors", async () => {
  const { get, send, control } = await openSandbox();
  expect((await control("POST", "keys", { key: "made" })).body).toMatchObject({
    key: "made",
    remaining_requests: 100,
  });
  const origin = {
    Origin: "https://page.example",
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "ApiKey",
  };
  const replies = [
    await send("OPTIONS", "/v3/info", undefined, origin),
    await get("info?username=acme", { ApiKey: "made", ...origin }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([401, 200]);
  for (const { headers } of replies)
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("the key is checked before the path", async () => {
  const { get } = await openSandbox();
  expect((await get("no-such-thing", {})).status).toBe(401);
  expect((await get("no-such-thing", { ApiKey: "other" })).status).toBe(401);
  expect(await get("no-such-thing")).toMatchObject({
    status: 404,
    body: { message: expect.any(String) },
  });
});
