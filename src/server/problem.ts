/** An answer to a request that was refused or failed: `{ "error": { code, message, errors? } }`. */
import type { Context } from "hono";

export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 422 | 500 | 503;
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly string[];
}

export function problem(c: Context, { status, code, message, errors }: Problem): Response {
  return c.json({ error: { code, message, errors } }, status);
}
