/**
 * Makes untrusted text safe for chats whose markup is a kind of Markdown, each with its own rules:
 * Mattermost, Rocket.Chat, Google Chat.
 */
import { defuseEmoji, replaceFormat } from "./text/defuse.ts";

const BREAK = "\u200b";
const LINK = /https?:\/\/\S+/g;
/** Characters that begin a list, a heading, a rule or a quote. */
const LINE_START = /^(?=[-+=>]|\d+[.)])/gm;
/** Indentation, which would make a line code. */
const INDENT = /^[^\S\n]+/gm;
/**
 * The characters before a name, a channel or a tag; the start of Slack's links, which these chats
 * accept too; the second half of a link; an HTML entity.
 */
const OPENERS = /[@<]|#+(?=[\w\s])|\](?=[([:])|&(?=#?\w+;)/g;

/**
 * Returns text in which nothing within a line takes effect in any of these chats: similar
 * characters replace formatting, and a zero-width space breaks mentions. Links stay links.
 */
export function chatText(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: link, index } of text.matchAll(LINK)) {
    parts.push(plain(text.slice(from, index)), chatUrl(link));
    from = index + link.length;
  }
  return [...parts, plain(text.slice(from))].join("");
}

const plain = (text: string): string =>
  defuseEmoji(replaceFormat(text)).replace(OPENERS, (found) => `${found}${BREAK}`);

/** Returns the same address without characters that could format, mention or end it. */
export const chatUrl = (url: string): string =>
  url.replace(/[@*~`|<>[\]\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns lines of which none is a heading, a list, a quote or code. */
export const chatLines = (text: string): string =>
  text.replace(INDENT, "").replace(LINE_START, BREAK);
