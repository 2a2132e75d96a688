/**
 * Answers a request that was refused or failed with a problem document (RFC 9457). Its field
 * `error` contains the code, the sentence and all errors.
 */
import type { Context } from "hono";
import type { ProblemView } from "../schema/problem-view.ts";

export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 422 | 500 | 503;
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly string[];
}

/** The title of a problem document for each status. It says what the status means. */
export const PROBLEM_TITLES: Readonly<Record<Problem["status"], string>> = {
  400: "The request cannot be understood",
  401: "A token is required",
  403: "The request is not allowed",
  404: "There is no such thing",
  408: "The request did not arrive in time",
  409: "The request does not fit the present state",
  413: "The request is too large",
  422: "The configuration has errors",
  500: "The daemon could not answer",
  503: "The daemon cannot answer now",
};

export function problem(c: Context, { status, code, message, errors }: Problem): Response {
  const view: ProblemView = {
    type: `urn:chirpwatch:error:${code}`,
    title: PROBLEM_TITLES[status],
    status,
    detail: message,
    error: { code, message, ...(errors === undefined ? {} : { errors }) },
  };
  return c.body(JSON.stringify(view), status, { "Content-Type": "application/problem+json" });
}

export const badPage = (c: Context, message: string): Response =>
  problem(c, { status: 400, code: "SERVER_BAD_QUERY", message });
