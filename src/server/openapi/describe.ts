/**
 * Lets each route describe itself: its name, its parameters and its answers. The document of the
 * API, `docs/api.md` and the check of queries are made from these descriptions. The schemas of
 * answers are loaded only when a document is made.
 */
import { describeRoute, resolver, validator } from "hono-openapi";
import type { z } from "zod";
import type { AnswerName } from "../contract/answers.ts";
import { queryProblem } from "../contract/query.ts";
import { type Problem, problem } from "./problem.ts";

export interface RouteDescription {
  /** The name of the operation, unique among the routes. */
  readonly id: string;
  readonly summary: string;
  /** The name of the answer's schema, or the media type of an answer that is not JSON. */
  readonly answer: AnswerName | MediaType;
  /**
   * The status of a successful answer, if it is not 200. A form is answered with 303, which leads
   * to the next page.
   */
  readonly status?: 303;
  /** Further statuses whose answers have the same schema. */
  readonly also?: readonly (400 | 404 | 408 | 413 | 503)[];
  readonly body?: BodyType;
  /** The meaning of each parameter of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** The statuses of its problem documents, in addition to those that every route has. */
  readonly problems?: readonly Problem["status"][];
  /** Whether the route needs no token. */
  readonly isOpen?: true;
}

type MediaType = "text/html" | "text/plain" | "text/event-stream";
type BodyType = AnswerName | "application/x-www-form-urlencoded";

/**
 * The statuses of problem documents that every route may answer with: 401 without a token, 403 if
 * the request is not allowed, 500 after a failure, 503 while the daemon stands by.
 */
const COMMON_PROBLEMS = [401, 403, 500, 503] as const;

const MEANINGS: Readonly<Record<number, string>> = {
  200: "The answer.",
  303: "Done; the page to go on with.",
};

const PROBLEM = { $ref: "#/components/responses/Problem" };

/** Creates the description of a route, which is registered before the route's handler. */
export function describe(route: RouteDescription) {
  const { id, summary, status = 200, also = [], body, params = {}, problems = [], isOpen } = route;
  const good = [status, ...also].map((one) => [
    one,
    { description: MEANINGS[one] ?? "The same, with what is wrong.", ...contentOf(route, one) },
  ]);
  const bad = [...(isOpen ? [500] : COMMON_PROBLEMS), ...problems].map((one) => [one, PROBLEM]);
  return describeRoute({
    operationId: id,
    summary,
    ...(isOpen ? { security: [] } : {}),
    parameters: Object.entries(params).map(([name, description]) => ({
      name,
      in: "path",
      required: true,
      description,
      schema: { type: "string" },
    })),
    ...(body === undefined ? {} : { requestBody: { required: true, ...bodyOf(body) } }),
    responses: Object.fromEntries([...bad, ...good]),
  });
}

function contentOf({ answer }: RouteDescription, status: number) {
  if (status === 303) return {};
  return {
    content: answer.includes("/")
      ? { [answer]: { schema: { type: "string" as const } } }
      : { "application/json": { schema: answerSchema(answer as AnswerName) } },
  };
}

const bodyOf = (body: BodyType) => ({
  content: body.includes("/")
    ? { [body]: { schema: { type: "object" as const } } }
    : { "application/json": { schema: answerSchema(body as AnswerName) } },
});

/** Returns the answer's schema of that name. It is loaded only when a document is made. */
export function answerSchema(name: AnswerName): ReturnType<typeof resolver> {
  const load = async () => resolver((await import("../contract/answers.ts")).ANSWERS[name], SHAPE);
  return {
    vendor: "zod",
    validate: async (value) => (await load()).validate(value),
    toJSONSchema: async (options) => (await load()).toJSONSchema(options),
    toOpenAPISchema: async (options) => (await load()).toOpenAPISchema(options),
  };
}

/**
 * Removes `readOnly` from lists. Our own code does not change these lists, but in OpenAPI the word
 * would mean that a caller may not send them.
 */
const SHAPE = {
  options: {
    unrepresentable: "any",
    override: ({ jsonSchema }: { readonly jsonSchema: { readOnly?: boolean } }) =>
      void delete jsonSchema.readOnly,
  },
};

/** Checks the query part of an address, and answers 400 if it does not match the schema. */
export const checkQuery = <Schema extends z.ZodType>(schema: Schema) =>
  validator(
    "query",
    schema,
    (result, c) =>
      result.success
        ? undefined
        : problem(c, {
            status: 400,
            code: "SERVER_BAD_QUERY",
            message: queryProblem(result.error as Parameters<typeof queryProblem>[0]),
          }),
    SHAPE,
  );
