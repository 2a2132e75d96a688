/**
 * Prints a tree as text, with parentheses around every group, because the service does not document
 * the precedence of mixed AND and OR.
 */
import type { Query, QueryTerm } from "./query.ts";

/** Returns text that parses back to the same tree. */
export function printQuery(query: Query): string {
  switch (query.kind) {
    case "and":
      return `(${query.of.map(printQuery).join(" ")})`;
    case "or":
      return `(${query.of.map(printQuery).join(" OR ")})`;
    case "not":
      return `-${query.of.kind === "not" ? `(${printQuery(query.of)})` : printQuery(query.of)}`;
    default:
      return printTerm(query);
  }
}

const SIGN = { hashtag: "#", cashtag: "$", mention: "@" } as const;

function printTerm(query: QueryTerm): string {
  if (query.kind === "word") return query.text;
  if (query.kind === "phrase") return `"${query.text}"`;
  if (query.kind === "hashtag" || query.kind === "cashtag" || query.kind === "mention")
    return SIGN[query.kind] + query.text;
  if (query.kind === "include_nativeretweets") return "include:nativeretweets";
  return `${query.kind}:${valueOf(query)}`;
}

type Operator = Exclude<
  QueryTerm,
  { kind: "word" | "phrase" | "hashtag" | "cashtag" | "mention" | "include_nativeretweets" }
>;

function valueOf(query: Operator): string {
  if ("handle" in query) return query.handle;
  if ("id" in query) return query.id;
  if ("date" in query) return query.date;
  if ("lang" in query) return query.lang;
  if ("text" in query) return query.text;
  if ("filter" in query) return query.filter;
  return "unit" in query ? `${query.count}${query.unit}` : String(query.count);
}
