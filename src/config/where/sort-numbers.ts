/**
 * Numbers of events that digests sort by: `likes_count` of the tweet or account that the event is
 * about, or a whole path.
 */
import type { SortNumber } from "../../route/route.ts";
import { didYouMean } from "../suggest.ts";
import { type WhereBody, variablesOf } from "./where-types.ts";

/** A path may leave these out. */
const IMPLIED = ["tweet", "user"];

const isNumber = (type: unknown): boolean => type === "int" || type === "double";

/**
 * Numbers by path, in the words of `where`. Those of a value that differs between watch types
 * cannot be known.
 */
function numbersOf(body: WhereBody): readonly string[] {
  const walk = (fields: object, above: string): readonly string[] =>
    Object.entries(fields).flatMap(([name, type]: [string, unknown]) => {
      const path = above === "" ? name : `${above}.${name}`;
      if (typeof type === "object" && type !== null) return walk(type, path);
      return isNumber(type) ? [path] : [];
    });
  // Where watch types differ, an account has the fields of an account.
  return walk(variablesOf({ ...body, tweet: "tweet", user: "user" }), "");
}

/** A sentence about a number that no event has; undefined for one that some may have. */
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

/** Undefined for an event without it. */
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
