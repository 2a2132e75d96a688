/**
 * Tests that the client decodes the texts of every endpoint's answer, which the service escapes, to
 * what their authors wrote.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeText } from "../../src/api/decode-text.ts";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import { createUpstream } from "../../src/api/upstream.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { UpstreamAnswer } from "../../src/model/upstream.ts";
import { API_SAMPLES } from "../support/api-samples.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escape = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);

/** Returns the same JSON with every text changed. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => withTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withTexts(inner, change)]),
  );
}

function read(name: EndpointName, body: unknown): Promise<UpstreamAnswer> {
  const http = { request: async () => ({ status: 200, headers: {}, body: JSON.stringify(body) }) };
  return createUpstream({ http, baseUrl: "https://api.example.com", key: () => "K" }).call({
    endpoint: name,
    params: API_SAMPLES[name].params,
  });
}

function sampleOf(name: EndpointName): JsonObject {
  const { sent } = API_SAMPLES[name];
  const item = (one: Json): Json => ({
    ...(one as JsonObject),
    something_new: { nobody_knows: ["A & B"] },
  });
  return Array.isArray(sent)
    ? { [ENDPOINTS[name].answer.kind]: sent.map(item) }
    : (item(sent as Json) as JsonObject);
}

const DIGITS_OR_TIME = /^\d|^[A-Z][a-z]{2} [A-Z][a-z]{2} /;
/** Ids, times and handles cannot contain such characters. */
const odd = (text: string): string =>
  DIGITS_OR_TIME.test(text) ? text : `${text} P&L <b> &lt;&amp;amp;`;

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  "%s: what was escaped reads as what was written",
  async (name) => {
    const written = withTexts(sampleOf(name), odd);
    const answer = await read(name, withTexts(written, escape));
    const expected = withTexts(
      await read(
        name,
        withTexts(sampleOf(name), (text) => (DIGITS_OR_TIME.test(text) ? text : `${text} §`)),
      ),
      (text) => text.replaceAll(" §", " P&L <b> &lt;&amp;amp;"),
    );
    expect(answer).toEqual(expected);
  },
);

it("decodes once, and is the inverse of escaping for every text", () => {
  expect(decodeText("a &amp; b &lt;c&gt; &amp;lt; &quot; &AMP; &amp")).toBe(
    "a & b <c> &lt; &quot; &AMP; &amp",
  );
  fc.assert(fc.property(fc.string(), (text) => decodeText(escape(text)) === text));
});

it("hands a cursor back as it came", async () => {
  expect(await read("search-tweets", { tweets: [], next_cursor: "a&amp;b" })).toEqual({
    tweets: [],
    nextCursor: "a&amp;b",
  });
});

it("reads an answer that is deeper than the stack", async () => {
  const deep = `${'{"x":'.repeat(20_000)}"&amp;"${"}".repeat(20_000)}`;
  const http = {
    request: async () => ({
      status: 200,
      headers: {},
      body: `{"users":[{"id":"1","odd":${deep}}],"__proto__":"&amp;"}`,
    }),
  };
  const upstream = createUpstream({ http, baseUrl: "https://api.example.com", key: () => "K" });
  const { users } = await upstream.call({ endpoint: "followers", params: { user_id: "1" } });
  let inner: unknown = users?.[0]?.["odd"];
  while (typeof inner === "object" && inner !== null)
    inner = (inner as Record<string, unknown>)["x"];
  expect(inner).toBe("&");
});
