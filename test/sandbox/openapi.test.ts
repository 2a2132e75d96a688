/**
 * Calls every operation over HTTP, and checks every answer and every error with the description
 * that the sandbox itself serves.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import { ENDPOINTS } from "../../src/api/endpoints/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { openSandbox, type Reply } from "./ask.ts";
import { cursorIn, type Inputs, inputsOf } from "./inputs-of.ts";

interface Described {
  readonly operationId: EndpointName;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: JsonObject } };
  };
  readonly responses: Readonly<Record<string, { readonly $ref?: string } & JsonObject>>;
  readonly "x-cursor"?: string;
}

async function openDescribed() {
  const sandbox = await openSandbox({ accounts: 200 });
  const doc = (await sandbox.control("GET", "openapi.json")).body;
  const operations = Object.entries<Record<string, Described>>(doc.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        path,
        method: method.toUpperCase(),
        described,
      })),
  );
  const compile = (schema: JsonObject) =>
    z.fromJSONSchema(
      JSON.parse(
        JSON.stringify({ ...schema, $defs: doc.components.schemas }).replaceAll(
          "#/components/schemas/",
          "#/$defs/",
        ),
      ),
    );
  const schemaOf = ({ responses }: Described, status: number) => {
    const response = responses[status];
    const found =
      response?.$ref === undefined
        ? response
        : doc.components.responses[response.$ref.split("/").at(-1) ?? ""];
    return found.content["application/json"].schema as JsonObject;
  };
  const ask = async (
    { path, method }: (typeof operations)[number],
    inputs: Inputs,
    headers?: Record<string, string>,
  ): Promise<Reply> => {
    await sandbox.clock.advance(100);
    const filled = path.replace(/\{(\w+)\}/, (_, name: string) =>
      encodeURIComponent(String(inputs[name])),
    );
    if (method === "POST") return sandbox.send("POST", filled, JSON.stringify(inputs), headers);
    const search = new URLSearchParams(
      Object.entries(inputs).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, String(one)]),
      ),
    );
    return sandbox.send("GET", `${filled}?${search}`, undefined, headers);
  };
  return { ...sandbox, doc, operations, compile, schemaOf, ask };
}

test("every 200 of every operation, over several subjects and pages, is as the description says", async () => {
  const { control, operations, compile, schemaOf, ask } = await openDescribed();
  const [root] = (await control("POST", "tweets", { username: "alice", text: "root" })).body.ids;
  for (const kind of ["reply_to", "quote_of", "retweet_of"])
    await control("POST", "tweets", { username: "acme", text: "so", [kind]: root });
  const sample = (await control("GET", "sample")).body;
  const inputs = inputsOf({
    ...sample,
    tweet_ids: [root, ...sample.tweet_ids],
    indexed_handles: ["acme", ...sample.indexed_handles],
  });
  const empty: string[] = [];
  for (const operation of operations) {
    const { operationId: name, "x-cursor": cursorName } = operation.described;
    const schema = compile(schemaOf(operation.described, 200));
    let found = "";
    for (const asked of inputs[name]) {
      let cursor: string | undefined;
      for (let page = 0; page < 3 && (page === 0 || cursor !== undefined); page += 1) {
        const reply = await ask(
          operation,
          cursor === undefined || cursorName === undefined
            ? asked
            : { ...asked, [cursorName]: cursor },
        );
        expect([name, asked, reply.status, reply.status === 200 ? "" : reply.text]).toEqual([
          name,
          asked,
          200,
          "",
        ]);
        const checked = schema.safeParse(reply.body);
        expect([name, asked, checked.error?.issues ?? []]).toEqual([name, asked, []]);
        found += JSON.stringify(Object.values(reply.body as object)).replaceAll(/\[\]|null|,/g, "");
        cursor = cursorName === undefined ? undefined : cursorIn(reply);
      }
    }
    if (found === "[]") empty.push(name);
  }
  expect(empty).toEqual([]);
});

test.each([
  [400, { name: "bad_request" }],
  [402, { name: "payment_required" }],
  [403, { name: "forbidden" }],
  [404, { name: "not_found" }],
  [429, { name: "rate_limit" }],
  [500, { name: "server_error" }],
])("every operation's %i is as the description says", async (status, fault) => {
  const { control, operations, compile, schemaOf, ask } = await openDescribed();
  const inputs = inputsOf((await control("GET", "sample")).body);
  for (const operation of operations) {
    await control("POST", "faults", fault);
    const reply = await ask(operation, inputs[operation.described.operationId][0] ?? {});
    expect([operation.path, reply.status]).toEqual([operation.path, status]);
    expect(
      compile(schemaOf(operation.described, status)).safeParse(reply.body).error?.issues ?? [],
    ).toEqual([]);
  }
});

test("every operation's 401 is as the description says, whatever the input", async () => {
  const { operations, compile, schemaOf, ask } = await openDescribed();
  for (const operation of operations) {
    const reply = await ask(operation, {}, { ApiKey: "never" });
    expect([operation.path, reply.status]).toEqual([operation.path, 401]);
    expect(
      compile(schemaOf(operation.described, 401)).safeParse(reply.body).error?.issues ?? [],
    ).toEqual([]);
  }
});

test("the description has every operation of the client's table, with its inputs, cursor, page size, batch and price", async () => {
  const { doc, operations } = await openDescribed();
  expect(doc.openapi).toMatch(/^3\./);
  expect(operations.map(({ described }) => described.operationId).toSorted()).toEqual(
    Object.keys(ENDPOINTS).toSorted(),
  );
  expect(doc.paths["/v3/info"].get).toMatchObject({
    parameters: ["user_link", "username", "user_id"].map((name) => ({
      name,
      in: "query",
      required: false,
    })),
    "x-exactly-one-of": [["user_link", "username", "user_id"]],
    "x-billed": true,
  });
  expect(doc.paths["/v3/id-to-username/{user_id}"].get.parameters).toMatchObject([
    { name: "user_id", in: "path", required: true },
  ]);
  expect(doc.paths["/v3/info-batch"].get).toMatchObject({ "x-batch-size": 100 });
  expect(doc.paths["/v3/followers"].get).toMatchObject({
    "x-answer": "users",
    "x-cursor": "next_cursor",
    "x-page-size": 200,
  });
  expect(doc.paths["/v3/key-usage-info"].get).toMatchObject({ "x-billed": false });
  expect(doc.components.securitySchemes).toEqual({
    key: { type: "apiKey", in: "header", name: "ApiKey" },
  });
});

test("a body that the description refuses is refused with 400", async () => {
  const { doc, operations, compile, ask } = await openDescribed();
  const operation = operations.find(({ path }) => path === "/v3/user-tweets");
  const schema = compile(
    doc.paths["/v3/user-tweets"].post.requestBody.content["application/json"].schema,
  );
  for (const body of [
    {},
    { username: "acme", user_id: "1" },
    { username: 5 as unknown as string },
  ]) {
    expect(schema.safeParse(body).success).toBe(false);
    expect(operation && (await ask(operation, body)).status).toBe(400);
  }
  expect(schema.safeParse({ username: "acme" }).success).toBe(true);
});
