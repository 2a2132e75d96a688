/**
 * Tests every operation through its client method, over real HTTP, against a server that answers as
 * the document says.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiInputError } from "../../src/api/check-input.ts";
import { type Client, createClient, methodName } from "../../src/api/client.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import type { Paged } from "../../src/api/paged.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { API_SAMPLES, type ApiSample } from "../support/api-samples.ts";
import {
  json,
  type LoopbackServer,
  type Received,
  startLoopbackServer,
} from "../support/loopback-server.ts";

let server: LoopbackServer;
let http: HttpAgent;
let client: Client;

beforeAll(async () => {
  server = await startLoopbackServer();
  http = createHttpAgent();
  client = createClient({ http, baseUrl: server.url, key: "K" });
});
afterAll(async () => {
  await http.close();
  await server.close();
});

type Method = (params?: JsonObject) => Promise<unknown> | Paged<unknown>;
const method = (name: string): Method =>
  (client as unknown as Record<string, Method>)[methodName(name)] as Method;
const rows = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => ({
  name,
  endpoint: ENDPOINTS[name] as Endpoint,
  sample: API_SAMPLES[name],
}));
const paged = rows.filter(({ endpoint }) => endpoint.cursor !== undefined);

/** Returns the whole body around a page or an object. */
function bodyOf(
  { answer, cursor }: Endpoint,
  { sent }: ApiSample,
  next: string | number | null,
): JsonObject {
  const body = Array.isArray(sent) ? { [answer.kind]: sent } : (sent as JsonObject);
  return cursor === undefined ? body : { ...body, next_cursor: next };
}

/** Returns everything that a method yields, as a list. */
async function all(name: string, params: JsonObject): Promise<readonly unknown[]> {
  const given = method(name)(params);
  if (given instanceof Promise) return [await given].flat();
  const items: unknown[] = [];
  for await (const item of given) items.push(item);
  return items;
}

const requestOf = ({ method: verb, url }: Received): string => `${verb} ${url}`;
const lastRequest = (): Received => server.received.at(-1) as Received;

describe.each(rows)("$name", ({ name, endpoint, sample }) => {
  it("sends what the document says, with the key, and reads the answer into its type", async () => {
    const body = bodyOf(endpoint, sample, null);
    expect(endpoint.output.safeParse(body).error).toBeUndefined();
    server.answer(json(body));
    const found = await all(name, sample.params);
    expect(requestOf(lastRequest())).toBe(sample.request);
    expect(lastRequest().body === "" ? undefined : JSON.parse(lastRequest().body)).toEqual(
      sample.body,
    );
    expect(lastRequest().rawHeaders).toContain("ApiKey");
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject(sample.read);
  });

  it("keeps fields that nobody knows yet", async () => {
    const withNews = Array.isArray(sample.sent)
      ? sample.sent.map((item) => ({ ...item, brand_new: [1] }))
      : { ...(sample.sent as JsonObject), brand_new: [1] };
    server.answer(json(bodyOf(endpoint, { ...sample, sent: withNews as ApiSample["sent"] }, null)));
    expect((await all(name, sample.params))[0]).toMatchObject({ brand_new: [1] });
  });

  it("sends nothing when an input is unknown, and names it", async () => {
    const before = server.received.length;
    await expect(all(name, { ...sample.params, no_such_input: "1" })).rejects.toMatchObject({
      parameter: "no_such_input",
      status: undefined,
    });
    expect(server.received).toHaveLength(before);
  });

  it.each([
    [400, "bad_request", "no"],
    [401, "unauthorized", "no"],
    [402, "billing", "no"],
    [404, "not_found", "no"],
    [429, "rate_limited", "later"],
    [500, "transient", "later"],
  ])("reports a %i as %s, to be tried again: %s", async (status, kind, retry) => {
    server.answer(json({ message: "because" }, status));
    await expect(all(name, sample.params)).rejects.toMatchObject({
      kind,
      retry,
      status,
      message: `${name}: the service answered ${status}: because`,
    });
  });
});

describe.each(rows.filter(({ sample }) => Object.keys(sample.params).length > 0))(
  "$name without an input it needs",
  ({ name, endpoint, sample }) => {
    const alternatives = [...(endpoint.exactlyOne ?? []), ...(endpoint.atLeastOne ?? [])];
    const needed = Object.keys(sample.params).filter(
      (param) => !(endpoint.input.shape[param] as { isOptional(): boolean }).isOptional(),
    );

    it("fails before anything is sent, with the name of the parameter", async () => {
      const before = server.received.length;
      for (const param of needed) {
        const { [param]: _, ...rest } = sample.params;
        await expect(all(name, rest)).rejects.toSatisfy(
          (error) => error instanceof ApiInputError && error.parameter === param,
        );
      }
      for (const group of alternatives) {
        const rest = Object.fromEntries(
          Object.entries(sample.params).filter(([param]) => !group.includes(param)),
        );
        await expect(all(name, rest)).rejects.toSatisfy(
          (error) => error instanceof ApiInputError && error.parameter === group.join(", "),
        );
      }
      expect(needed.length + alternatives.length).toBeGreaterThan(0);
      expect(server.received).toHaveLength(before);
    });
  },
);

describe.each(rows.filter(({ endpoint }) => endpoint.exactlyOne !== undefined))(
  "$name with two of a group",
  ({ name, endpoint, sample }) => {
    it("fails before anything is sent, with the names of both", async () => {
      const before = server.received.length;
      const values: JsonObject = {
        user_link: "https://social.example/a",
        link: "https://social.example/a",
        id: "1DXxyRYNejbKM",
        usernames: ["a"],
        user_ids: ["1"],
      };
      for (const group of endpoint.exactlyOne ?? []) {
        const [first = "", second = ""] = group;
        const valueOf = (param: string) =>
          values[param] ??
          values[param.replace(/_\d$/, "")] ??
          (param.startsWith("user_id") ? "1" : "alice");
        const others = Object.fromEntries(
          Object.entries(sample.params).filter(([param]) => !group.includes(param)),
        );
        const both = { ...others, [first]: valueOf(first), [second]: valueOf(second) };
        await expect(all(name, both)).rejects.toMatchObject({
          parameter: `${first}, ${second}`,
          status: undefined,
        });
      }
      expect(server.received).toHaveLength(before);
    });
  },
);

describe.each(paged)("$name", ({ name, endpoint, sample }) => {
  it("goes on through short and empty pages, and ends by the cursor alone", async () => {
    const one = bodyOf(endpoint, sample, "1867041249938530658");
    const none = Array.isArray(sample.sent)
      ? { ...one, [endpoint.answer.kind]: [], next_cursor: "1867041249938530659" }
      : { ...one, next_cursor: "1867041249938530659" };
    const pages = [one, none, bodyOf(endpoint, sample, null)];
    const before = server.received.length;
    server.answer((request, response) =>
      json(pages[server.received.length - before - 1])(request, response),
    );
    const found = await all(name, sample.params);
    expect(found).toHaveLength(Array.isArray(sample.sent) ? 2 : 3);
    const asked = server.received.slice(before);
    expect(asked).toHaveLength(3);
    const param = endpoint.cursor?.param ?? "";
    const cursors = asked.map(
      ({ url, body }) =>
        new URL(url, "http://h").searchParams.get(param) ??
        (body === "" ? undefined : (JSON.parse(body) as JsonObject)[param]),
    );
    expect(cursors.slice(1)).toEqual(["1867041249938530658", "1867041249938530659"]);
    expect(cursors[0] ?? undefined).toBeUndefined();
  });
});

it("every operation has its sample", () => {
  expect(Object.keys(API_SAMPLES).sort()).toEqual(Object.keys(ENDPOINTS).sort());
  expect(rows).toHaveLength(43);
  expect(paged).toHaveLength(19);
});
