/**
 * Disables text that chats would interpret. A zero-width space breaks mentions, which look the same
 * afterwards; formatting characters are replaced by similar ones.
 */
import { ownValue } from "../../model/own-value.ts";

const BREAK = "\u200b";

/**
 * Breaks `@everyone`, `@here`, `@channel`, and the markup of chats in angle brackets, such as
 * `<@…`, `<!…`, `<#…` and `<:…`.
 */
export function defuseMentions(text: string): string {
  return text
    .replace(/@(?=everyone|here|channel)/gi, `@${BREAK}`)
    .replace(/<(?=[@!#:/]|a:|t:|id:)/gi, `<${BREAK}`);
}

/**
 * Breaks `:tada:`, so that chats show no emoji for it. The minutes in 12:30:00 are kept as they
 * are.
 */
export const defuseEmoji = (text: string): string =>
  text.replace(/:(?!\d\d:)(?=[a-z0-9_+'-]+:)/gi, `:${BREAK}`);

/**
 * Breaks `@alice`, which could be a member of this chat, and `/stop`, which could be a command to a
 * bot. In links, `@` is percent-encoded, which does not change where they lead.
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
