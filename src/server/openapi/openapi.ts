/** Makes the OpenAPI 3.1 document of all routes from the descriptions that the routes give. */
import type { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import { describe, answerSchema } from "./describe.ts";

const DOCUMENT_PATH = "/api/v1/openapi.json";

/** Adds the route that answers with the document. The document is made at the first request. */
export function addDocument(app: Hono): void {
  let document: ReturnType<typeof describeRoutes> | undefined;
  app.get(
    DOCUMENT_PATH,
    describe({
      id: "readDocument",
      summary: "Returns this description.",
      answer: "Document",
    }),
    async (c) => c.json(await (document ??= describeRoutes(app))),
  );
}

const describeRoutes = (app: Hono) =>
  generateSpecs(app, {
    excludeStaticFile: false,
    defaultValidationErrorResponse: { $ref: "#/components/responses/Problem" } as never,
    documentation: {
      info: {
        title: "chirpwatch",
        version: "1",
        description:
          "The daemon's state and what an operator does, as JSON. The control socket serves the same.",
      },
      // The URL is relative to this document, because a proxy may serve the document below a path.
      servers: [{ url: "../.." }],
      security: [{ bearer: [] }, { basic: [] }, {}],
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "`server.token`, or `server.read_token` for GET, if they are set.",
          },
          basic: { type: "http", scheme: "basic", description: "The token as the password." },
        },
        responses: {
          Problem: {
            description: "The request was refused or failed.",
            content: {
              "application/problem+json": { schema: answerSchema("Problem") },
              // What a browser gets that asks for a page.
              "text/html": { schema: { type: "string" } },
            },
          },
        },
      },
    },
  });
