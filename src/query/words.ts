/**
 * Splits texts into words like the platform's search does: sequences of letters, digits and
 * underscores, regardless of case.
 */

/** Returns the words in order and in lower case: `Don't, @Acme!` becomes `don`, `t`, `acme`. */
export const tokensOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

/**
 * Whether the words of `wanted` follow each other in `text`. If `wanted` contains no word (only an
 * emoji, for example), the result is false.
 */
export function hasWords(text: string, wanted: string): boolean {
  const words = tokensOf(wanted);
  // Most texts do not contain the letters of the first word. Checking that first avoids splitting
  // them.
  if (words.length === 0 || !text.toLowerCase().includes(words[0] as string)) return false;
  const tokens = tokensOf(text);
  for (let at = 0; at + words.length <= tokens.length; at += 1) {
    if (words.every((word, offset) => tokens[at + offset] === word)) return true;
  }
  return false;
}
