/** Reads one term: a word, a tag, or an operator with its value. */
import { QueryError } from "./query-error.ts";
import {
  COUNT_OPERATORS,
  DATE_OPERATORS,
  dateMs,
  FILTERS,
  HANDLE_OPERATORS,
  ID_OPERATORS,
  type Filter,
  type Query,
} from "./query.ts";

const includes = <T extends string>(list: readonly T[], name: string): name is T =>
  (list as readonly string[]).includes(name);

/**
 * Reads a term. A term with a colon and an unknown operator, such as `12:30` or `https://…`, is a
 * word. @throws QueryError for a known operator with an invalid value
 */
export function readTerm(text: string, position: number): Query {
  const tag = readTag(text);
  if (tag !== undefined) return tag;
  const colon = text.indexOf(":");
  if (colon <= 0) return { kind: "word", text };
  return (
    readOperator({
      name: text.slice(0, colon).toLowerCase(),
      value: text.slice(colon + 1),
      at: position + colon + 1,
    }) ?? {
      kind: "word",
      text,
    }
  );
}

function readTag(text: string): Query | undefined {
  const rest = text.slice(1);
  if (text.startsWith("#") && /^[\p{L}\p{N}_]+$/u.test(rest))
    return { kind: "hashtag", text: rest.toLowerCase() };
  if (text.startsWith("$") && /^[A-Za-z][A-Za-z0-9_.]*$/.test(rest))
    return { kind: "cashtag", text: rest.toLowerCase() };
  if (text.startsWith("@") && /^\w{1,15}$/.test(rest))
    return { kind: "mention", text: rest.toLowerCase() };
  return undefined;
}

/** An operator as written; `at` is the position of its value in the query. */
interface Operator {
  readonly name: string;
  readonly value: string;
  readonly at: number;
}

function readOperator(operator: Operator): Query | undefined {
  const { name, value, at } = operator;
  if (includes(HANDLE_OPERATORS, name))
    return {
      kind: name,
      handle: checked(operator, /^@?\w{1,15}$/, "a handle")
        .replace("@", "")
        .toLowerCase(),
    };
  if (includes(ID_OPERATORS, name))
    return { kind: name, id: checked(operator, /^\d+$/, "an id of digits") };
  if (includes(COUNT_OPERATORS, name))
    return { kind: name, count: Number(checked(operator, /^\d{1,15}$/, "a whole number")) };
  if (includes(DATE_OPERATORS, name)) return { kind: name, date: readDate(name, value, at) };
  if (name === "lang")
    return {
      kind: "lang",
      lang: checked(operator, /^[A-Za-z]{2,3}(-[A-Za-z]+)?$/, "a language code").toLowerCase(),
    };
  if (name === "url")
    return { kind: "url", text: checked(operator, /^\S+$/, "a part of a link").toLowerCase() };
  if (name === "within_time") return readWithin(value, at);
  if (name === "filter") return { kind: "filter", filter: readFilter(value, at) };
  if (name === "include" && value === "nativeretweets") return { kind: "include_nativeretweets" };
  return undefined;
}

function checked({ name, value, at }: Operator, pattern: RegExp, what: string): string {
  if (pattern.test(value)) return value;
  throw new QueryError(
    `${name}: needs ${what}, not "${value}"`,
    at,
    `Write ${name}: and ${what} without a space.`,
  );
}

function readDate(name: string, value: string, at: number): string {
  if (dateMs(value) !== undefined) return value;
  throw new QueryError(
    `${name}: needs a date, not "${value}"`,
    at,
    `Write ${name}:2026-01-31 or ${name}:2026-01-31_14:00:00_UTC.`,
  );
}

function readWithin(value: string, at: number): Query {
  const found = /^(\d{1,6})([dhms])$/.exec(value);
  if (found === null)
    throw new QueryError(
      `within_time: needs a window, not "${value}"`,
      at,
      "Write within_time:2d, with d, h, m or s.",
    );
  return { kind: "within_time", count: Number(found[1]), unit: found[2] as "d" };
}

function readFilter(value: string, at: number): Filter {
  if (includes(FILTERS, value)) return value;
  throw new QueryError(`filter:${value} is not known`, at, `Known filters: ${FILTERS.join(", ")}.`);
}
