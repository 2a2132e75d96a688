/**
 * A mail as its readers' programs see it: what they refuse or cut off, and what is left of its HTML
 * as text.
 */
import type { EmailBody } from "../../src/sinks/email/email-render.ts";

/** Gmail cuts what is longer off. */
const HTML_BYTES = 102_000;

/** Tags that the daemon writes itself. */
export const OWN_HTML =
  /<(?:!doctype html|\/?(?:html|body|div|p|b|blockquote|br|a|img)(?: [a-z]+="[^"<>]*")*)>/g;

/**
 * Text of a mail takes no effect; somebody else's markup in its HTML is found by `emailRefusal`.
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

/** Links stand behind what they belong to. */
export const htmlText = (html: string): string =>
  html
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, "$2 $1")
    .replaceAll(OWN_HTML, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
