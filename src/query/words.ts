/** Words of a text as the search compares them: letters, digits and underscores, without case. */

/** In order, lower case: `Don't, @Acme!` is `don`, `t`, `acme`. */
export const tokensOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

/**
 * Whether the words of `wanted` stand in `text` one after another. Wanted text without any word (an
 * emoji) matches nothing.
 */
export function hasWords(text: string, wanted: string): boolean {
  const words = tokensOf(wanted);
  // Most texts do not even hold the letters: a cheap no before any splitting.
  if (words.length === 0 || !text.toLowerCase().includes(words[0] as string)) return false;
  const tokens = tokensOf(text);
  for (let at = 0; at + words.length <= tokens.length; at += 1) {
    if (words.every((word, offset) => tokens[at + offset] === word)) return true;
  }
  return false;
}
