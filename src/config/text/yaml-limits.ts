/**
 * Refuses text that would take the YAML parser seconds or exceed its stack. This is cheap: one pass
 * of the lexer that stops early.
 */
import { Lexer } from "yaml";

/** The maximum size of a file in bytes. */
export const MAX_FILE_BYTES = 1_048_576;
/** Far deeper than any configuration, and far from the end of the stack. */
export const MAX_DEPTH = 64;
/** A megabyte of ordinary configuration has about 400,000 tokens. */
const MAX_TOKENS = 500_000;
/**
 * The maximum number of tokens on one line, because many indicators and quotes on a line make the
 * parser slow.
 */
const MAX_TOKENS_A_LINE = 20_000;

/** Returns a sentence about what is too much, and its offset; undefined if nothing is. */
export function findExcess(
  text: string,
): { readonly offset: number; readonly message: string } | undefined {
  let offset = 0;
  let flow = 0;
  let inLine = 0;
  let blocksInLine = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
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
  }
  return undefined;
}

export const tooDeep = `the file is nested deeper than ${MAX_DEPTH} levels`;

/**
 * Tokens that the lexer inserts itself: byte order mark, start of a document, end of a flow, start
 * of a scalar.
 */
const CONTROL = new Set(["\u{feff}", "\x02", "\x18", "\x1f"]);
