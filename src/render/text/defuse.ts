/**
 * Disables what chats would act on: a zero-width space breaks mentions without a visible change,
 * similar characters replace formats.
 */
import { ownValue } from "../../model/own-value.ts";

const BREAK = "\u200b";

/** `@everyone`, `@here`, `@channel` and anything that looks like `<@…`, `<!…`, `<#…`, `<:…`. */
export function defuseMentions(text: string): string {
  return text
    .replace(/@(?=everyone|here|channel)/gi, `@${BREAK}`)
    .replace(/<(?=[@!#:/]|a:|t:|id:)/gi, `<${BREAK}`);
}

/** `:tada:` stays text. The minutes of a time are no emoji. */
export const defuseEmoji = (text: string): string =>
  text.replace(/:(?!\d\d:)(?=[a-z0-9_+'-]+:)/gi, `:${BREAK}`);

/** `@alice` is nobody of this chat, and `/stop` no command to a bot. A link keeps its meaning. */
export const defuseHandles = (text: string): string =>
  text.replace(/https?:\/\/\S+|@(?=\w)|(?<![\w/])\/(?=\w)/g, (found) =>
    found.length === 1 ? `${found}${BREAK}` : found.replaceAll("@", "%40"),
  );

/** Chats have no escape for their format characters. */
const SIMILAR_CHARACTERS: Readonly<Record<string, string>> = {
  "*": "∗",
  "~": "∼",
  "`": "ˋ",
  "|": "¦",
  _: "ˍ",
};
const FORMAT = /[*~`|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/**
 * Nothing in it is bold, struck out or code: similar characters stand for those that would take
 * effect.
 */
export const replaceFormat = (text: string): string =>
  text.replace(FORMAT, (char) => ownValue(SIMILAR_CHARACTERS, char) ?? char);
