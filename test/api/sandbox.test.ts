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
import { type SandboxSample, sandboxParams } from "../support/sandbox-params.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

let clock: VirtualClock;
let sandbox: Sandbox;
let http: HttpAgent;
let upstream: Upstream;
let client: Client;
/** The body of the service's last answer, before the client read it. */
let sentBody: unknown;
let sample: SandboxSample;

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
  sample = JSON.parse(answer.body) as SandboxSample;
});

afterAll(async () => {
  await http.close();
  await sandbox.close();
});

type Method = (params: JsonObject) => Promise<unknown> | Paged<unknown>;
const PAGES = 4;

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  "%s is answered by the sandbox in the shape of its row, page after page, through its method",
  async (endpoint) => {
    await clock.advance(1_000);
    const call = (client as unknown as Record<string, Method>)[methodName(endpoint)] as Method;
    const given = call(sandboxParams(sample)[endpoint]);
    const isDocumented = () =>
      expect(ENDPOINTS[endpoint].output.safeParse(sentBody).error).toBeUndefined();
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

it("distinguishes a wrong key from a subject that does not exist", async () => {
  await clock.advance(1_000);
  const call = upstream.call({ endpoint: "info", params: { username: "nobody_here_x" } });
  await expect(call).rejects.toMatchObject({ kind: "not_found", status: 404 });
  const wrong = createUpstream({ http, baseUrl: sandbox.url, key: () => "wrong" });
  const refused: unknown = await wrong
    .call({ endpoint: "info", params: { username: sample["handles"]?.[0] } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UpstreamError);
  expect(refused).toMatchObject({ kind: "unauthorized", status: 401 });
});

it("pages through a list whose cursors come as bare numbers beyond 2^53, without a repeat", async () => {
  await clock.advance(1_000);
  const faults = `${sandbox.url}/_sandbox/faults`;
  await fetch(faults, { method: "POST", body: '{"name":"cursor_number"}' });
  const ids: string[] = [];
  let pages = 0;
  for await (const { items } of client.followers({ username: "bob" }).pages()) {
    ids.push(...items.map(({ id }) => id));
    expect(typeof (sentBody as { next_cursor: unknown }).next_cursor).toBe("number");
    if (++pages === 5) break;
    await clock.advance(1_000);
  }
  expect(ids.length).toBeGreaterThan(300);
  expect(new Set(ids).size).toBe(ids.length);
  await fetch(faults, { method: "DELETE" });
});
