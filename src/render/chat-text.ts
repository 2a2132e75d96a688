/**
 * Text of strangers for chats whose markup is a kind of Markdown, of which no two read the same:
 * Mattermost, Rocket.Chat, Google Chat.
 */
import { defuseEmoji, replaceFormat } from "./text/defuse.ts";

const BREAK = "\u200b";
const LINK = /https?:\/\/\S+/g;
/** What begins a list, a heading, a rule or a quote. */
const LINE_START = /^(?=[-+=>]|\d+[.)])/gm;
/** An indented line would be code. */
const INDENT = /^[^\S\n]+/gm;
/**
 * Before a name, a channel or a tag; Slack's links, which these chats take too; the second half of
 * a link; an entity of HTML.
 */
const OPENERS = /[@<]|#+(?=[\w\s])|\](?=[([:])|&(?=#?\w+;)/g;

/**
 * Within a line, nothing in it takes effect in any of them: similar characters format nothing, a
 * zero-width space breaks what calls. Links stay links.
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

/** The same address, none of whose letters could format, call or end it. */
export const chatUrl = (url: string): string =>
  url.replace(/[@*~`|<>[\]\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whole lines of which none is a heading, a list, a quote or code. */
export const chatLines = (text: string): string =>
  text.replace(INDENT, "").replace(LINE_START, BREAK);
