/**
 * Text of strangers made fit to be shown: valid Unicode, no control characters, no hidden direction
 * changes. Escaping is each sink's.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;
/**
 * LRM, RLM, ALM, embeddings, overrides and isolates: they reorder what stands around them.
 * Right-to-left letters themselves stay.
 */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * C0 and C1 without tab and newline; soft hyphen, zero-width space, word joiner, BOM, interlinear
 * marks. Joiners stay: emoji and scripts need them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufff9-\ufffb]/g;

/** Safe to encode as UTF-8 and to put beside other text. Line ends become \n. */
export function cleanText(text: string): string {
  return withoutDirectionMarks(text.replace(LINE_ENDS, "\n").replace(CONTROLS, "")).replace(
    LONE_SURROGATE,
    "\ufffd",
  );
}

/** Nothing in it reorders what stands around it. */
export const withoutDirectionMarks = (text: string): string => text.replace(DIRECTION_MARKS, "");

/** As `cleanText`, on one line, outer white space gone. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();
