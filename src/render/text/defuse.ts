/**
 * Disables what chats would interpret: a zero-width space breaks mentions without a visible change,
 * and similar characters replace formatting.
 */
import { ownValue } from "../../model/own-value.ts";

const BREAK = "\u200b";

/**
 * Breaks `@everyone`, `@here`, `@channel` and anything that looks like `<@…`, `<!…`, `<#…`, `<:…`.
 */
export function defuseMentions(text: string): string {
  return text
    .replace(/@(?=everyone|here|channel)/gi, `@${BREAK}`)
    .replace(/<(?=[@!#:/]|a:|t:|id:)/gi, `<${BREAK}`);
}

/** Keeps `:tada:` as text. The minutes of a time are not an emoji. */
export const defuseEmoji = (text: string): string =>
  text.replace(/:(?!\d\d:)(?=[a-z0-9_+'-]+:)/gi, `:${BREAK}`);

/**
 * Breaks `@alice`, which could be a member of this chat, and `/stop`, which could be a command to a
 * bot. Links keep their meaning.
 */
export const defuseHandles = (text: string): string =>
  text.replace(/https?:\/\/\S+|@(?=\w)|(?<![\w/])\/(?=\w)/g, (found) =>
    found.length === 1 ? `${found}${BREAK}` : found.replaceAll("@", "%40"),
  );

/** Replacements for format characters, which chats cannot escape. */
const SIMILAR_CHARACTERS: Readonly<Record<string, string>> = {
  "*": "∗",
  "~": "∼",
  "`": "ˋ",
  "|": "¦",
  _: "ˍ",
};
const FORMAT = /[*~`|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/** Replaces characters that would make text bold, struck out or code by similar ones. */
export const replaceFormat = (text: string): string =>
  text.replace(FORMAT, (char) => ownValue(SIMILAR_CHARACTERS, char) ?? char);
