import fc from "fast-check";
import { expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import { createUpstream } from "../../src/api/upstream.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { UpstreamError } from "../../src/model/upstream.ts";
import { API_SAMPLES } from "../support/api-samples.ts";

let body = "";
const http = { request: async () => ({ status: 200, headers: {}, body }) };
const upstream = createUpstream({ http, baseUrl: "https://api.example.com", key: () => "K" });

/** Returns the answer or the client's failure. Any other error fails the test. */
async function ask(endpoint: EndpointName): Promise<unknown> {
  try {
    return await upstream.call({ endpoint, params: API_SAMPLES[endpoint].params });
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({
      kind: "transient",
      message: expect.not.stringContaining("cannot be read:") as string,
    });
    return error;
  }
}

const bodyOf = (name: EndpointName): JsonObject => {
  const { sent } = API_SAMPLES[name];
  return Array.isArray(sent)
    ? { [ENDPOINTS[name].answer.kind]: sent, next_cursor: "1" }
    : { ...(sent as JsonObject), next_cursor: "1" };
};

/** Returns the same JSON with one value, wherever it is, replaced by another. */
function replaced(value: Json | undefined, path: readonly number[], by: Json): Json | undefined {
  if (typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  const [at, ...rest] = path;
  if (at === undefined || keys.length === 0) return by;
  const chosen = keys[at % keys.length] ?? "";
  const inner = replaced((value as JsonObject)[chosen], rest, by);
  return Array.isArray(value)
    ? value.map((item: Json, index) => (String(index) === chosen ? (inner ?? null) : item))
    : { ...(value as JsonObject), [chosen]: inner };
}

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  "%s reads whatever one value of its answer becomes, or says that it is unusable",
  async (name) => {
    const odd = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<Json>,
      fc.constantFrom<Json>(null, "", 0, -1, "0", [], {}, "NaN", 1e308),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 6 }),
        odd,
        async (path, by) => {
          body = JSON.stringify(replaced(bodyOf(name), path, by));
          await ask(name);
        },
      ),
      { numRuns: 60 },
    );
  },
);
