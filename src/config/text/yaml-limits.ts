/**
 * Refuses text that would cost the YAML parser seconds or its stack. Cheap: one pass of the lexer,
 * stopped early.
 */
import { Lexer } from "yaml";

/** Of one file, in bytes. */
export const MAX_FILE_BYTES = 1_048_576;
/** Far deeper than any configuration, far from the stack's end. */
export const MAX_DEPTH = 64;
/** A megabyte of ordinary configuration has about 400,000 tokens. */
const MAX_TOKENS = 500_000;
/** Indicators and quotes crowded on one line: what makes the parser slow. */
const MAX_TOKENS_A_LINE = 20_000;

/** A sentence about what is too much, with the offset where; undefined when all is well. */
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
      return { offset, message: "too much in one file: split it and load the folder" };
    if (inLine > MAX_TOKENS_A_LINE)
      return { offset, message: "too much on one line: write what it lists on lines of their own" };
    if (!CONTROL.has(token)) offset += token.length;
  }
  return undefined;
}

export const tooDeep = `nested deeper than ${MAX_DEPTH} levels`;

/**
 * What the lexer inserts itself: byte order mark, start of a document, end of a flow, a scalar
 * follows.
 */
const CONTROL = new Set(["\u{feff}", "\x02", "\x18", "\x1f"]);
