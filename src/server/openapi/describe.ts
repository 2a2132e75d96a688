/**
 * What each route says about itself: its name, what it takes and what it answers. The document of
 * the API, `docs/api.md` and the check of queries come from this. The schemas of answers are loaded
 * when a document is wanted.
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
  /** The status of a good answer, if it is not 200. A form is answered with the way on: 303. */
  readonly status?: 303;
  /** Further statuses with an answer of the same kind. */
  readonly also?: readonly (400 | 404 | 408 | 413 | 503)[];
  readonly body?: BodyType;
  /** The meaning of each parameter of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** The statuses of its problems, besides those of every route. */
  readonly problems?: readonly Problem["status"][];
  /** Whether it needs no token. */
  readonly isOpen?: true;
}

type MediaType = "text/html" | "text/plain" | "text/event-stream";
type BodyType = AnswerName | "application/x-www-form-urlencoded";

/** Every route may answer with these: no token, not allowed, a failure, a daemon that stands by. */
const COMMON_PROBLEMS = [401, 403, 500, 503] as const;

const MEANINGS: Readonly<Record<number, string>> = {
  200: "The answer.",
  303: "Done; the page to go on with.",
};

const PROBLEM = { $ref: "#/components/responses/Problem" };

/** Describes a route. Stands before the route's handler. */
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

/** Returns the schema of that name, which is loaded when a document is made. */
export function answerSchema(name: AnswerName): ReturnType<typeof resolver> {
  const load = async () => resolver((await import("../contract/answers.ts")).ANSWERS[name], SHAPE);
  return {
    vendor: "zod",
    validate: async (value) => (await load()).validate(value),
    toJSONSchema: async (options) => (await load()).toJSONSchema(options),
    toOpenAPISchema: async (options) => (await load()).toOpenAPISchema(options),
  };
}

/** A list that our code does not change is no property that a caller may not write. */
const SHAPE = {
  options: {
    unrepresentable: "any",
    override: ({ jsonSchema }: { readonly jsonSchema: { readOnly?: boolean } }) =>
      void delete jsonSchema.readOnly,
  },
};

/** Checks the part of the address after `?`, and answers 400 to one that does not fit. */
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
