/**
 * Makes untrusted text safe for chats whose markup is a kind of Markdown, each with its own rules:
 * Mattermost, Rocket.Chat, Google Chat.
 */
import { defuseEmoji, replaceFormat } from "./text/defuse.ts";

const BREAK = "\u200b";
const LINK = /https?:\/\/\S+/g;
/** The start of a line that would become a list, a heading, a horizontal rule or a quote. */
const LINE_START = /^(?=[-+=>]|\d+[.)])/gm;
/** The indentation of a line, which would turn the line into code. */
const INDENT = /^[^\S\n]+/gm;
/**
 * The characters that start markup: those before a name, a channel or a tag; the start of a link in
 * Slack's syntax, which these chats accept too; the end of a Markdown link's label; the start of an
 * HTML entity.
 */
const OPENERS = /[@<]|#+(?=[\w\s])|\](?=[([:])|&(?=#?\w+;)/g;

/**
 * Returns text in which none of these chats finds markup inside a line: similar characters replace
 * formatting, and a zero-width space breaks mentions. Links stay links.
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

/**
 * Percent-encodes the characters of an address that could format text, mention somebody or end the
 * link.
 */
export const chatUrl = (url: string): string =>
  url.replace(/[@*~`|<>[\]\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Removes indentation and breaks the start of lines, so that no line becomes a heading, a list, a
 * quote or code.
 */
export const chatLines = (text: string): string =>
  text.replace(INDENT, "").replace(LINE_START, BREAK);
