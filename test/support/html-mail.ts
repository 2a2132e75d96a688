/**
 * A mail as mail programs see it: what they refuse or cut off, and the text that remains of its
 * HTML.
 */
import type { EmailBody } from "../../src/sinks/email/email-render.ts";

/** Gmail cuts off longer mails. */
const HTML_BYTES = 102_000;

/** Tags that the daemon writes itself. */
export const OWN_HTML =
  /<(?:!doctype html|\/?(?:html|body|div|p|b|blockquote|br|a|img)(?: [a-z]+="[^"<>]*")*)>/g;

/**
 * Matches nothing, because the text of a mail takes no effect. `emailRefusal` finds foreign markup
 * in its HTML.
 */
export const NO_LIVE_TEXT = /(?!)/;

/** Returns what is wrong with the mail, or undefined if it can be sent and is shown whole. */
export function emailRefusal({ subject, text, html }: EmailBody): string | undefined {
  if (subject === "" || subject.length > 150 || /[\r\n]/.test(subject))
    return "the subject is no line";
  if (Buffer.byteLength(html) > HTML_BYTES) return "too long for Gmail";
  if (/[<>]/.test(html.replaceAll(OWN_HTML, ""))) return "somebody else's markup";
  return text.trim() === "" ? "an empty mail" : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Returns the text of HTML, with each link behind the words it belongs to. */
export const htmlText = (html: string): string =>
  html
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, "$2 $1")
    .replaceAll(OWN_HTML, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
