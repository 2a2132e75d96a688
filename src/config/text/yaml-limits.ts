/**
 * Refuses text that would keep the YAML parser busy for seconds or overflow its stack. The check is
 * cheap: it runs the lexer once, and stops at the first excess.
 */
import { Lexer } from "yaml";

/** The maximum size of a file in bytes. */
export const MAX_FILE_BYTES = 1_048_576;
/**
 * The maximum depth of nested maps and lists. Configurations are far less deep, and the stack would
 * allow far more.
 */
export const MAX_DEPTH = 64;
/**
 * The maximum number of tokens in a file. A megabyte of ordinary configuration has about 400,000.
 */
const MAX_TOKENS = 500_000;
/**
 * The maximum number of tokens on one line, because the parser becomes slow if one line has very
 * many.
 */
const MAX_TOKENS_A_LINE = 20_000;

export interface Excess {
  readonly offset: number;
  /** A sentence that says which limit is exceeded. */
  readonly message: string;
}

/** Returns which limit a text exceeds, and where. Undefined if it exceeds none. */
export function findExcess(text: string): Excess | undefined {
  const checkToken = createTokenCheck();
  for (const token of new Lexer().lex(text)) {
    const excess = checkToken(token);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** Creates a function that takes the tokens of a text in their order and returns the first excess. */
export function createTokenCheck(): (token: string) => Excess | undefined {
  let offset = 0;
  let flow = 0;
  let inLine = 0;
  let blocksInLine = 0;
  let tokens = 0;
  return (token) => {
    tokens += 1;
    inLine += 1;
    if (token.startsWith("\n") || token.startsWith("\r")) inLine = blocksInLine = 0;
    else if (token === "[" || token === "{") flow += 1;
    else if (token === "]" || token === "}") flow -= 1;
    else if (token === "-" || token === "?") blocksInLine += 1;
    if (flow > MAX_DEPTH || blocksInLine > MAX_DEPTH) return { offset, message: tooDeep };
    if (tokens > MAX_TOKENS)
      return { offset, message: "the file is too large: split it and load the folder" };
    if (inLine > MAX_TOKENS_A_LINE)
      return { offset, message: "the line is too long: put its items on lines of their own" };
    if (!CONTROL.has(token)) offset += token.length;
    return undefined;
  };
}

export const tooDeep = `the file is nested deeper than ${MAX_DEPTH} levels`;

/**
 * Tokens that the lexer adds and that are no part of the text: byte order mark, start of a
 * document, end of a list or map in brackets, start of a scalar.
 */
const CONTROL = new Set(["\u{feff}", "\x02", "\x18", "\x1f"]);
