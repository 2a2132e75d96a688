/**
 * Finds the numbers of events by which digests can sort: `likes_count` of the tweet or account that
 * the event is about, or a whole path.
 */
import type { SortNumber } from "../../route/route.ts";
import { didYouMean } from "../suggest.ts";
import { type WhereBody, variablesOf } from "./where-types.ts";

/** The first parts of a path that may be omitted. */
const IMPLIED = ["tweet", "user"];

const isNumber = (type: unknown): boolean => type === "int" || type === "double";

/**
 * Returns the paths of numbers, in the terms of `where`. Numbers in a value that differs between
 * watch types are unknown.
 */
function numbersOf(body: WhereBody): readonly string[] {
  const walk = (fields: object, above: string): readonly string[] =>
    Object.entries(fields).flatMap(([name, type]: [string, unknown]) => {
      const path = above === "" ? name : `${above}.${name}`;
      if (typeof type === "object" && type !== null) return walk(type, path);
      return isNumber(type) ? [path] : [];
    });
  // If watch types differ in it, an account still has the fields of an account.
  return walk(variablesOf({ ...body, tweet: "tweet", user: "user" }), "");
}

/** Returns a sentence about a number that no event has; undefined if some event may have it. */
export function describeUnknownNumber(path: string, body: WhereBody): string | undefined {
  const paths = numbersOf(body);
  const short = IMPLIED.flatMap((name) =>
    paths.filter((one) => one.startsWith(`${name}.`)).map((one) => one.slice(name.length + 1)),
  );
  const known = [...new Set([...paths, ...short])];
  const [first = ""] = path.split(".");
  if (known.includes(path) || body[first] === "dyn") return undefined;
  return `\`sort_by\`: no event has a number "${path}"${didYouMean(path, known) || "; write one like likes_count, view_count or user.followers_count"}`;
}

/** Creates a function that returns the number; undefined for an event without it. */
export function numberReader(path: string): SortNumber["of"] {
  const names = path.split(".");
  return ({ body }) => {
    const found = [names, ...IMPLIED.map((name) => [name, ...names])].map((one) =>
      valueAt(body, one),
    );
    return found.find((value): value is number => typeof value === "number");
  };
}

const valueAt = (body: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined,
    body,
  );
