/** Words of a text as the search compares them: letters, digits and underscores, without case. */

/** In order, lower case: `Don't, @Acme!` is `don`, `t`, `acme`. */
export const tokensOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

/** Whether the words of `wanted` stand in `text` one after another. Wanted text without any word (an emoji) is looked for nowhere. */
export function hasWords(text: readonly string[] | string, wanted: string): boolean {
  const tokens = typeof text === "string" ? tokensOf(text) : text;
  const words = tokensOf(wanted);
  if (words.length === 0) return false;
  for (let at = 0; at + words.length <= tokens.length; at += 1) {
    if (words.every((word, offset) => tokens[at + offset] === word)) return true;
  }
  return false;
}
