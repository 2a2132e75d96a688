/**
 * Makes untrusted text fit to be shown: valid Unicode without control characters and without
 * invisible characters that change the direction of text. Each sink escapes the result for its own
 * markup.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;
/**
 * The invisible Unicode characters that reorder the text around them: directional marks,
 * embeddings, overrides and isolates. Right-to-left letters themselves are kept.
 */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * The characters that are removed: C0 and C1 control characters except tab and newline, soft
 * hyphen, zero-width space, word joiner, BOM and interlinear marks. Zero-width joiners are kept,
 * because emoji and some scripts need them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufff9-\ufffb]/g;

/**
 * Returns text that is safe to encode as UTF-8 and to put next to other text. All kinds of line
 * ends become newlines.
 */
export function cleanText(text: string): string {
  return withoutDirectionMarks(text.replace(LINE_ENDS, "\n").replace(CONTROLS, "")).replace(
    LONE_SURROGATE,
    "\ufffd",
  );
}

/** Removes everything that reorders the text around it. */
export const withoutDirectionMarks = (text: string): string => text.replace(DIRECTION_MARKS, "");

/**
 * Cleans like `cleanText` and puts the text on one line, without outer white space. A no-break space
 * between two words stays one, so that no sink breaks the line there.
 */
export const cleanLine = (text: string): string =>
  cleanText(text)
    .replace(/\s+/g, (space) => (NO_BREAK_SPACES.test(space) ? space : " "))
    .trim();

/** A space as it stands between a sign and its number, and its narrow form, which some locales use. */
const NO_BREAK_SPACES = /^[\u00a0\u202f]$/;

/** Returns the text with spaces at which no line ends: "♥ 12" is torn apart nowhere. */
export const unbroken = (text: string): string => text.replaceAll(" ", "\u00a0");
