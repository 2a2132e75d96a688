/**
 * Parses a query's text into a tree. Adjacent terms bind more tightly than OR. The platform does
 * not document its own precedence, so print.ts always writes parentheses.
 */
import { lexQuery, type Token } from "./lex.ts";
import { QueryError } from "./query-error.ts";
import type { Query } from "./query.ts";
import { readTerm } from "./term.ts";

/**
 * The maximum depth of nested parentheses. It limits the parser's recursion; no real query is
 * deeper.
 */
const MAX_DEPTH = 100;

/** Parses a query. @throws QueryError with the position of the character where parsing stopped */
export function parseQuery(text: string): Query {
  const reader = new Reader(lexQuery(text));
  const query = reader.readOr(0);
  reader.expectEnd();
  return query;
}

class Reader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  readOr(depth: number): Query {
    if (depth > MAX_DEPTH)
      throw new QueryError(
        "parentheses nest too deeply",
        this.next().position,
        "Write the query flatter.",
      );
    const of = [this.readAnd(depth)];
    while (this.next().kind === "or") {
      this.at += 1;
      of.push(this.readAnd(depth));
    }
    return several("or", of);
  }

  expectEnd(): void {
    const token = this.next();
    if (token.kind === "close")
      throw new QueryError(
        '")" without "("',
        token.position,
        'Remove it, or open the group with "(".',
      );
  }

  private readAnd(depth: number): Query {
    const of = [this.readNot(depth)];
    while (!["or", "close", "end"].includes(this.next().kind)) of.push(this.readNot(depth));
    return several("and", of);
  }

  private readNot(depth: number): Query {
    if (this.next().kind !== "minus") return this.readPrimary(depth);
    this.at += 1;
    return { kind: "not", of: this.readNot(depth) };
  }

  private readPrimary(depth: number): Query {
    const token = this.next();
    this.at += 1;
    if (token.kind === "term") return readTerm(token.text, token.position);
    if (token.kind === "phrase") return readPhrase(token);
    if (token.kind === "open") return this.readGroup(token, depth);
    throw new QueryError(missing(token), token.position, "Write something to search for there.");
  }

  private readGroup(open: Token, depth: number): Query {
    const query = this.readOr(depth + 1);
    if (this.next().kind !== "close")
      throw new QueryError('"(" is never closed', open.position, 'Close the group with ")".');
    this.at += 1;
    return query;
  }

  private next(): Token {
    return this.tokens[Math.min(this.at, this.tokens.length - 1)] as Token;
  }
}

const several = (kind: "and" | "or", of: readonly Query[]): Query =>
  of.length === 1 ? (of[0] as Query) : { kind, of };

function readPhrase(token: Token): Query {
  if (token.text.trim() === "")
    throw new QueryError("a phrase is empty", token.position, "Put words between the quotes.");
  return { kind: "phrase", text: token.text };
}

const missing = (token: Token): string =>
  token.kind === "end"
    ? "the query ends where a term should be"
    : `a term should stand before "${token.text}"`;
