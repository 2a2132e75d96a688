import { expect, it } from "vitest";
import { createSandboxGuard } from "../../../src/engine/health/sandbox-guard.ts";
import type { SinkConfig } from "../../../src/config/config.ts";
import type { HttpRequest } from "../../../src/model/http.ts";

const REQUEST: HttpRequest = {
  method: "GET",
  url: "http://127.0.0.1:8787/v3/info",
  timeoutMs: 1_000,
  maxBytes: 1_000,
  reach: "loopback",
};
const terminal: SinkConfig = { name: "terminal", type: "console", settings: {}, retryForMs: 1 };
const brand: SinkConfig = {
  name: "brand",
  type: "slack",
  settings: { token: "t", channel: "#brand" },
  retryForMs: 1,
};

function guardOf(headers: Record<string, string>, sinks: readonly SinkConfig[]) {
  const alerted: string[] = [];
  const http = { request: async () => ({ status: 200, headers, body: "{}" }) };
  const config = () => ({ api: { baseUrl: "http://127.0.0.1:8787" }, sinks }) as never;
  return {
    alerted,
    ...createSandboxGuard({ http, config, onRefused: ({ message }) => alerted.push(message) }),
  };
}

const SANDBOX = { "x-chirpwatch-sandbox": "1" };
const REFUSAL =
  "http://127.0.0.1:8787 says that it is the sandbox: refusing to send invented tweets to brand";

it("no answer of a sandbox comes through while a sink reaches real people", async () => {
  const guard = guardOf(SANDBOX, [terminal, brand]);
  await expect(guard.http.request(REQUEST)).rejects.toMatchObject({
    code: "SANDBOX_SERVICE",
    exitCode: 78,
    message: REFUSAL,
  });
  expect(guard.alerted).toEqual([REFUSAL]);
});

it("a proxy's do, and a sandbox's where alerts stay on this machine", async () => {
  for (const guard of [guardOf({}, [brand]), guardOf(SANDBOX, [terminal])]) {
    expect((await guard.http.request(REQUEST)).status).toBe(200);
    expect(guard.alerted).toEqual([]);
  }
});

it("another configuration is checked against what the service has answered", async () => {
  const guard = guardOf(SANDBOX, [terminal]);
  expect(guard.refusalOf([brand])).toBeUndefined();
  await guard.http.request(REQUEST);
  expect(guard.refusalOf([brand])?.message).toBe(REFUSAL);
  expect(guard.refusalOf([terminal])).toBeUndefined();
});
