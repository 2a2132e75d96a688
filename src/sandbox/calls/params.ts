/**
 * Reads the parameters of a request as strictly as the service: a wrong type, a missing value or
 * too many values are answered with 400.
 */
import { badRequest } from "./service-error.ts";

export type Params = ReturnType<typeof createParams>;

/**
 * Creates functions that read parameters from a query string, where every value is an array of
 * texts, or from a JSON body.
 */
export function createParams(values: Readonly<Record<string, unknown>>, isQuery: boolean) {
  const has = (name: string): boolean =>
    values[name] !== undefined && values[name] !== null && values[name] !== "";

  function optional(name: string): string | undefined {
    if (!has(name)) return undefined;
    const given = values[name];
    if (isQuery && Array.isArray(given) && given.length > 1)
      throw badRequest(`${name} is given more than once`);
    const value = isQuery && Array.isArray(given) ? given[0] : given;
    if (typeof value !== "string") throw badRequest(`${name} must be a string`);
    return value;
  }

  function required(name: string): string {
    const value = optional(name);
    if (value === undefined) throw badRequest(`${name} is required`);
    return value;
  }

  function integer(name: string): number | undefined {
    if (!has(name)) return undefined;
    const value = isQuery ? Number(optional(name)) : values[name];
    if (typeof value !== "number" || !Number.isInteger(value))
      throw badRequest(`${name} must be an integer`);
    return value;
  }

  /**
   * Reads a list with at most `limit` entries: a name that is repeated in a query string, or an
   * array in a body.
   */
  function list(name: string, limit: number): readonly string[] | undefined {
    if (!has(name)) return undefined;
    const value = values[name];
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== "string"))
      throw badRequest(`${name} must be an array of strings`);
    if (value.length === 0) throw badRequest(`${name} is required`);
    if (value.length > limit) throw badRequest(`${name} takes up to ${limit} entries`);
    return value as string[];
  }

  function choice<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = optional(name) ?? otherwise;
    if (!(allowed as readonly string[]).includes(value))
      throw badRequest(`${name} must be one of ${allowed.join(", ")}`);
    return value as T;
  }

  /**
   * Returns the one parameter of these names that is present. @throws ServiceError 400 if none or
   * several are present
   */
  function exactlyOne<T extends string>(
    names: readonly T[],
  ): { readonly name: T; readonly value: string } {
    const given = names.filter(has);
    if (given.length !== 1) throw badRequest(`exactly one of ${names.join(", ")} is required`);
    const name = given[0] as T;
    return { name, value: required(name) };
  }

  /**
   * Returns all parameters except the cursor. They are the same for every page of a list, so they
   * identify the list.
   */
  function withoutCursor(): Readonly<Record<string, unknown>> {
    const { next_cursor: _next, cursor: _cursor, ...rest } = values;
    return rest;
  }

  return { has, optional, required, integer, list, choice, exactlyOne, withoutCursor };
}

/**
 * Parses a JSON body. @throws ServiceError 400 if the body is empty, malformed or not an object
 * (api-v3.md, Shared rules 7)
 */
export function parseBody(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(
      text.trim() === "" ? "request body is empty" : "request body is not valid JSON",
    );
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw badRequest("request body must be a JSON object");
  return value as Record<string, unknown>;
}

/** Returns each name in a query string with all its non-empty values. */
export function parseSearch(search: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of search) if (value !== "") (values[name] ??= []).push(value);
  return values;
}
