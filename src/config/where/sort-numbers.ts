/**
 * Finds the numbers of events by which digests can sort: a number of the tweet or account that an
 * event is about, such as `likes_count`, or any number by its whole path.
 */
import type { SortNumber } from "../../route/route.ts";
import { didYouMean } from "../suggest.ts";
import { type WhereBody, variablesOf } from "./where-types.ts";

/** The first parts of a path that may be omitted: `likes_count` means `tweet.likes_count`. */
const IMPLIED = ["tweet", "user"];

const isNumber = (type: unknown): boolean => type === "int" || type === "double";

/**
 * Returns the paths of all numbers in an event's body, written as in `where`. Numbers in a field
 * whose type differs between watch types are left out.
 */
function numbersOf(body: WhereBody): readonly string[] {
  const walk = (fields: object, above: string): readonly string[] =>
    Object.entries(fields).flatMap(([name, type]: [string, unknown]) => {
      const path = above === "" ? name : `${above}.${name}`;
      if (typeof type === "object" && type !== null) return walk(type, path);
      return isNumber(type) ? [path] : [];
    });
  // `tweet` and `user` always have the fields of a tweet and of an account, even if `body` gives
  // another type, because watch types differ.
  return walk(variablesOf({ ...body, tweet: "tweet", user: "user" }), "");
}

/**
 * Returns what is wrong with the path of a number; undefined if some event can have this number.
 */
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

/**
 * Creates a function that reads the number from an event. It returns undefined for an event without
 * the number.
 */
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
