/**
 * Describes the sandbox's API in OpenAPI. The document is generated from the table of operations,
 * so this file mentions no operation by name.
 */
import { z } from "zod";
import { username, wholeNumber } from "../api/inputs.ts";
import { errorOutput } from "../api/output/atoms.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { OPERATIONS, type Operation } from "./endpoints/table.ts";

/** The meaning of each error status (api-v3.md, Errors). */
const ERRORS: Readonly<Record<number, string>> = {
  400: "A required parameter is missing, a parameter has the wrong type or format, several are given where exactly one is allowed, or the JSON body is empty or malformed.",
  401: "The header ApiKey is missing or misnamed; the key is invalid or deleted.",
  402: "Payment required.",
  403: "The key is valid, but its subscription has expired or its quota is used up.",
  404: "It does not exist or cannot be read: renamed, deleted, suspended, protected, not indexed.",
  429: "More than 20 requests in one second. Pause and retry.",
  500: "Internal failure. Retry after 1 to 2 seconds.",
};

/** Schemas of values for which the client accepts several types, but the service sends only one. */
const AS_SENT = new Map<z.core.$ZodType, JsonObject>([
  [username, { type: "string", pattern: "^\\w{1,15}$" }],
  [wholeNumber, { type: "integer", minimum: 0 }],
]);

/**
 * Returns an OpenAPI 3.1 document with these extensions: `x-exactly-one-of`, `x-at-least-one-of`,
 * `x-answer` (tweets, users or record), `x-cursor`, `x-page-size`, `x-batch-size`, `x-billed`.
 */
export function describeService(): JsonObject {
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of OPERATIONS) {
    (paths[operation.path] ??= {})[operation.row.method.toLowerCase()] = describeOperation(
      operation,
      schemas,
    );
  }
  const error = jsonSchema(errorOutput, "output", schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Read-only data of a social platform",
      version: "3.0",
      description: "Served by the sandbox from an invented world.",
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "ApiKey" } },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, text]) => [`E${status}`, jsonAnswer(text, error)]),
      ),
      schemas,
    },
  };
}

function describeOperation({ name, row }: Operation, schemas: Record<string, Json>): JsonObject {
  const errors = Object.keys(ERRORS).map((status) => [
    status,
    { $ref: `#/components/responses/E${status}` },
  ]);
  return {
    operationId: name,
    summary: row.doc,
    ...(row.method === "GET"
      ? { parameters: describeParameters(row, schemas) }
      : { requestBody: describeBody(row, schemas) }),
    responses: {
      200: jsonAnswer("Success.", jsonSchema(row.output, "output", schemas)),
      ...Object.fromEntries(errors),
    },
    ...(row.exactlyOne && { "x-exactly-one-of": row.exactlyOne }),
    ...(row.atLeastOne && { "x-at-least-one-of": row.atLeastOne }),
    "x-answer": row.answer.kind,
    ...(row.cursor && { "x-cursor": row.cursor.param }),
    ...(row.pageSize !== undefined && { "x-page-size": row.pageSize }),
    ...(row.batch && { "x-batch-size": row.batch.size }),
    "x-billed": row.billed,
  };
}

type Row = Operation["row"];

function describeParameters(row: Row, schemas: Record<string, Json>): readonly JsonObject[] {
  const input = inputSchema(row, schemas);
  const required = (input["required"] ?? []) as readonly string[];
  return Object.entries(input["properties"] as JsonObject).map(([name, schema]) => {
    const isInPath = row.path.includes(`{${name}}`);
    return {
      name,
      in: isInPath ? "path" : "query",
      required: required.includes(name),
      schema: schema ?? {},
    };
  });
}

/**
 * Describes a JSON body. The schema says which inputs exclude each other, which OpenAPI cannot
 * express for a query string.
 */
function describeBody(row: Row, schemas: Record<string, Json>): JsonObject {
  const groups = [
    ...(row.exactlyOne ?? []).map((group) => ({ oneOf: group.map(mustHave) })),
    ...(row.atLeastOne ?? []).map((group) => ({ anyOf: group.map(mustHave) })),
  ];
  const schema = { ...inputSchema(row, schemas), ...(groups.length > 0 && { allOf: groups }) };
  return { required: true, content: { "application/json": { schema } } };
}

/**
 * Returns a schema that requires one property. `properties` lists the property, too, because some
 * validators only then check `required`.
 */
const mustHave = (name: string): JsonObject => ({
  type: "object",
  properties: { [name]: {} },
  required: [name],
});

function inputSchema(row: Row, schemas: Record<string, Json>): JsonObject {
  const { additionalProperties: _ignored, ...input } = jsonSchema(row.input, "input", schemas);
  const cursor = row.cursor && {
    [row.cursor.param]: { type: "string", description: "From the answer before, as it came." },
  };
  return { ...input, properties: { ...(input["properties"] as JsonObject), ...cursor } };
}

const jsonAnswer = (description: string, schema: JsonObject): JsonObject => ({
  description,
  content: { "application/json": { schema } },
});

/** Returns the JSON Schema of a type. The schemas that it refers to are added to `schemas`. */
function jsonSchema(
  schema: z.ZodType,
  io: "input" | "output",
  schemas: Record<string, Json>,
): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema: json }) => sendAs(zodSchema, json as Record<string, Json>),
  });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = JSON.parse(text) as { readonly [name: string]: Json };
  Object.assign(schemas, $defs ?? {});
  return rest;
}

function sendAs(schema: z.core.$ZodType, json: Record<string, Json>): void {
  const sent = AS_SENT.get(schema);
  if (sent === undefined) return;
  for (const name of Object.keys(json)) delete json[name];
  Object.assign(json, sent);
}
