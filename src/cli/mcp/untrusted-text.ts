/**
 * Puts everything that strangers wrote, or that quotes them, into one field. The other fields are
 * the daemon's own, or have a form in which nothing can be said: ids, times, handles, links.
 */
import { cleanText } from "../../render/text/clean-text.ts";
import { trimText } from "../../render/text/trim-text.ts";
import type { EventEntry, EventLine } from "../../server/schema/event-view.ts";

const MAX_CHARS = 2_000;
const HANDLE = /^\w{1,50}$/;
const ID = /^[\w-]{1,64}$/;

/** Returns an alert of a search. Its whole data stays behind: names and bios are in it. */
export function markedEntry(entry: EventEntry): object {
  const { type, timestamp, title, text, url, author, deliveries, acknowledged, data } = entry;
  return {
    ...idsOf(data),
    ...{ type, watch: data["watch"] ?? "", detected_at: timestamp, url: safeUrl(url) },
    author: HANDLE.test(author) ? author : "",
    ...{ deliveries, acknowledged },
    untrusted_text: untrusted([title, text]),
  };
}

/** Returns a line of the last alerts. */
export const markedLine = ({ title, text, url, ...line }: EventLine): object => ({
  ...line,
  url: safeUrl(url),
  untrusted_text: untrusted([title, text]),
});

/**
 * Fields that may quote a post, a name or what a server answered about them, such as the comment of
 * a silence that a click on an alert added.
 */
const QUOTING: ReadonlySet<string> = new Set([
  ...["answer", "comment", "detail", "error", "group", "hint", "problem", "reason", "reasons"],
  ...["template_error", "text", "title"],
]);

/** Returns a view in which each object has its quoting fields in the one field. */
export function marked(view: unknown): unknown {
  if (Array.isArray(view)) return view.map(marked);
  if (typeof view !== "object" || view === null) return view;
  const own: Record<string, unknown> = {};
  const quoted: string[] = [];
  for (const [name, value] of Object.entries(view)) {
    if (QUOTING.has(name)) quoted.push(...textsOf(value).map((text) => `${name}: ${text}`));
    else own[name] = marked(value);
  }
  return quoted.length === 0 ? own : { ...own, untrusted_text: untrusted(quoted) };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(textsOf)
    : typeof value === "string" && value !== ""
      ? [value]
      : [];

function idsOf({ id, tweet }: EventEntry["data"]): object {
  const post = tweet !== null && typeof tweet === "object" && !Array.isArray(tweet) ? tweet : {};
  const postId = (post as { readonly id?: unknown }).id;
  return {
    ...(typeof id === "string" && ID.test(id) ? { id } : {}),
    ...(typeof postId === "string" && ID.test(postId) ? { item: postId } : {}),
  };
}

const untrusted = (parts: readonly string[]): string =>
  trimText(cleanText(parts.filter((part) => part !== "").join("\n")), MAX_CHARS);

/** An address of the platform has no room for sentences; that of a trend or an article has. */
const safeUrl = (url: string | null): string | null =>
  url !== null && /^https?:\/\/[\w.:-]+(?:\/[\w@-]{1,50}){0,6}\/?$/.test(url) ? url : null;
