/**
 * Finds parts of a valid query that are probably a mistake. Pure; parse.ts decides whether a query
 * is valid.
 */
import { lexQuery } from "./lex.ts";
import type { Query } from "./query.ts";
import { parseQuery } from "./parse.ts";
import { readTerm } from "./term.ts";
import { foreignOperator } from "./dialects.ts";

export interface QueryDoubt {
  /** The offset in the query's text, from 0. */
  readonly offset: number;
  readonly message: string;
}

/**
 * Returns the probable mistakes in a query. @throws QueryError for a query that cannot be parsed
 */
export function queryDoubts(text: string): readonly QueryDoubt[] {
  return [
    ...smallOr(text),
    ...otherOperators(text),
    ...otherDialects(text),
    ...curlyQuotes(text),
    ...onlyNegatives(text),
  ];
}

function smallOr(text: string): readonly QueryDoubt[] {
  const tokens = lexQuery(text);
  const isBetween = (index: number): boolean => {
    const [before, after] = [tokens[index - 1]?.kind, tokens[index + 1]?.kind];
    return (
      before !== undefined &&
      before !== "open" &&
      after !== undefined &&
      after !== "close" &&
      after !== "end"
    );
  };
  return tokens.flatMap(({ kind, text: term, position }, index) =>
    kind === "term" && /^or$/i.test(term) && isBetween(index)
      ? [
          {
            offset: position,
            message: `\`${term}\` is a word to search for here, so tweets must contain it too: write OR for one or the other`,
          },
        ]
      : [],
  );
}

/**
 * Finds `AND` between two terms and `NOT` before a term. This query language reads both as words to
 * search for, but a person who writes them in capitals probably means operators.
 */
function otherOperators(text: string): readonly QueryDoubt[] {
  const tokens = lexQuery(text);
  return tokens.flatMap(({ kind, text: term, position }, index) => {
    const [before, after] = [tokens[index - 1]?.kind, tokens[index + 1]?.kind];
    if (kind !== "term" || after === undefined || after === "close" || after === "end") return [];
    const isBetween = before !== undefined && before !== "open";
    const cure =
      term === "NOT"
        ? "write - before the term to exclude"
        : term === "AND" && isBetween
          ? "remove it, all terms are required anyway"
          : "";
    return cure === ""
      ? []
      : [
          {
            offset: position,
            message: `\`${term}\` is a word to search for here, so tweets must contain it too: ${cure}`,
          },
        ];
  });
}

/** Finds operators of other search languages among the terms that parse.ts reads as words. */
function otherDialects(text: string): readonly QueryDoubt[] {
  const tokens = lexQuery(text);
  return tokens.flatMap(({ kind, text: term, position }, index) => {
    if (kind !== "term" || readTerm(term, position).kind !== "word") return [];
    const message = foreignOperator(term, { isExcluded: tokens[index - 1]?.kind === "minus" });
    return message === undefined ? [] : [{ offset: position, message }];
  });
}

function curlyQuotes(text: string): readonly QueryDoubt[] {
  const offset = text.search(/[“”„]/);
  if (offset < 0) return [];
  return [
    {
      offset,
      message: `${text[offset]} is not a quotation mark for the service: write straight ones, like "acme corp"`,
    },
  ];
}

function onlyNegatives(text: string): readonly QueryDoubt[] {
  if (text.trim() === "" || hasPositive(parseQuery(text))) return [];
  return [
    { offset: 0, message: "it only excludes, so it finds nothing: name something to search for" },
  ];
}

const hasPositive = (query: Query): boolean => {
  if (query.kind === "not") return false;
  return query.kind === "and" || query.kind === "or" ? query.of.some(hasPositive) : true;
};
