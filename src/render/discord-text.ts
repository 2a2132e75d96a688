/**
 * Makes untrusted text safe for Discord's markdown: it is shown literally, and bare links stay
 * clickable.
 */
import { cleanLine, cleanText } from "./text/clean-text.ts";
import { defuseEmoji, defuseMentions } from "./text/defuse.ts";
import { trimEscaped, trimText } from "./text/trim-text.ts";

const BARE_LINK =
  /https?:\/\/[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?::\d+)?(?:[/?#][^\s<>]*[^\s<>.,:;!?'")\]}*~|`\\])?/g;
const IN_LINK = /[*~`|\\[\]()"'{}]|@(?=everyone|here)/gi;

/**
 * Escapes markdown everywhere in the text, and at the start of a line also the characters that
 * begin quotes, headings, lists and subtext.
 */
function escapeMarkdown(text: string): string {
  return defuseEmoji(defuseMentions(text))
    .replace(/[\\*_~`|[\]()<>]/g, "\\$&")
    .replace(/^(\s*)([-+#]|\d+(?=\.))/gm, (_all, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\u200b` : `${space}\\${mark}`,
    );
}

/**
 * Percent-encodes the characters of a link that markdown would interpret. The link still leads to
 * the same page.
 */
const encodeLink = (link: string): string =>
  link.replace(IN_LINK, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function escape(text: string): string {
  let escaped = "";
  let from = 0;
  for (const link of text.matchAll(BARE_LINK)) {
    escaped += escapeMarkdown(text.slice(from, link.index)) + encodeLink(link[0]);
    from = link.index + link[0].length;
  }
  return escaped + escapeMarkdown(text.slice(from));
}

/**
 * Returns escaped text for embed descriptions and message content, at most `limit` UTF-16 units
 * long.
 */
export const discordText = (text: string, limit: number): string =>
  trimEscaped(cleanText(text), limit, escape);

/**
 * Returns one escaped line for titles and the labels of masked links. Unlike `discordText`, it
 * escapes links like other text.
 */
export const discordLabel = (text: string, limit: number): string =>
  trimEscaped(cleanLine(text), limit, escapeMarkdown);

/**
 * Returns one line for names and footers of embeds. Discord interprets no markdown there, so only
 * mentions are broken and the length is limited.
 */
export const discordPlain = (text: string, limit: number): string =>
  trimText(defuseMentions(cleanLine(text)), limit);

/**
 * Returns `[label](<url>)`. `url` must come from `webUrl` or permalink.ts. The angle brackets keep
 * Discord from showing a preview of the page.
 */
export const discordLink = (url: string, label: string, limit: number): string =>
  `[${discordLabel(label, limit)}](<${url.replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"))}>)`;
