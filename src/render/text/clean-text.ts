/**
 * Makes untrusted text fit to be shown: valid Unicode, no control characters, no hidden changes of
 * direction. Each sink does the escaping.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;
/**
 * LRM, RLM, ALM, embeddings, overrides and isolates, which reorder the text around them.
 * Right-to-left letters themselves are kept.
 */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * C0 and C1 without tab and newline; soft hyphen, zero-width space, word joiner, BOM, interlinear
 * marks. Joiners are kept, because emoji and scripts need them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufff9-\ufffb]/g;

/**
 * Returns text that is safe to encode as UTF-8 and to put next to other text. Line ends become
 * .
 */
export function cleanText(text: string): string {
  return withoutDirectionMarks(text.replace(LINE_ENDS, "\n").replace(CONTROLS, "")).replace(
    LONE_SURROGATE,
    "\ufffd",
  );
}

/** Removes everything that reorders the text around it. */
export const withoutDirectionMarks = (text: string): string => text.replace(DIRECTION_MARKS, "");

/** Cleans like `cleanText` and puts the text on one line, without outer white space. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();
