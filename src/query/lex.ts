/** Splits a query into tokens. term.ts decides what a token means, parse.ts how groups nest. */
import { QueryError } from "./query-error.ts";

export interface Token {
  readonly kind: "open" | "close" | "minus" | "or" | "phrase" | "term" | "end";
  /** The phrase without its quotes, or the term as written. */
  readonly text: string;
  readonly position: number;
}

const TERM = /[^\s()"“”]+/y;

/**
 * Returns all tokens, the last of which is `end`. @throws QueryError for a quote that is never
 * closed
 */
export function lexQuery(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at);
    if (token === undefined) at += 1;
    else {
      tokens.push(token.token);
      at = token.next;
    }
  }
  tokens.push({ kind: "end", text: "", position: text.length });
  return tokens;
}

type Read = { readonly token: Token; readonly next: number };

function readToken(text: string, at: number): Read | undefined {
  const char = text.charAt(at);
  if (/\s/.test(char)) return undefined;
  if (char === "(") return one("open", char, at);
  if (char === ")") return one("close", char, at);
  if (/["“”]/.test(char)) return readPhrase(text, at);
  if (char === "-" && /[^\s)-]/.test(text.charAt(at + 1))) return one("minus", char, at);
  return readTerm(text, at);
}

const one = (kind: Token["kind"], text: string, position: number): Read => ({
  token: { kind, text, position },
  next: position + 1,
});

function readPhrase(text: string, at: number): Read {
  const length = text.slice(at + 1).search(/["“”]/);
  if (length < 0)
    throw new QueryError("a quote is opened and never closed", at, 'Close the phrase with ".');
  return {
    token: { kind: "phrase", text: text.slice(at + 1, at + 1 + length), position: at },
    next: at + length + 2,
  };
}

function readTerm(text: string, at: number): Read {
  TERM.lastIndex = at;
  const term = TERM.exec(text)?.[0] ?? text.charAt(at);
  return {
    token: { kind: term === "OR" ? "or" : "term", text: term, position: at },
    next: at + term.length,
  };
}
