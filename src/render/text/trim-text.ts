/**
 * Cutting text to a vendor's limit without cutting a character in half. Limits count UTF-16 units,
 * as the vendors do.
 */
import { lazy } from "../../model/lazy.ts";

const ELLIPSIS = "…";
/** Loading the rules of graphemes takes 15 ms, and most texts are short enough. */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/**
 * At most `limit` UTF-16 units, an ellipsis included; never ends inside a grapheme, or inside a
 * code point when one grapheme alone is too long.
 */
export function trimText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < ELLIPSIS.length) return "";
  // A share of a vendor's limit is often no whole number.
  const room = Math.floor(limit) - ELLIPSIS.length;
  const end = lastBoundary(text, room) || wholeCodePoints(text, room);
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/**
 * The last grapheme boundary at or before `room`, searching no further than it must: a list has a
 * thousand texts to cut.
 */
function lastBoundary(text: string, room: number): number {
  let from = room;
  while (from > 0 && !isPlainBoundary(text, from)) from -= 1;
  if (from === room) return room;
  let end = from;
  for (const { index } of segmenter().segment(text.slice(from, room + 64))) {
    if (from + index > room) break;
    end = from + index;
  }
  return end;
}

/** Between two printable characters of ASCII there is always a boundary. */
const isPlainBoundary = (text: string, at: number): boolean =>
  isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at));
const isPlain = (unit: number): boolean => unit >= 0x20 && unit <= 0x7e;

function wholeCodePoints(text: string, room: number): number {
  const last = text.charCodeAt(room - 1);
  return last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
}

/**
 * Cuts before it escapes, so that no escape is cut in half: at most `limit` units after `escape`,
 * and as many as possible.
 */
export function trimEscaped(text: string, limit: number, escape: (text: string) => string): string {
  let best = escape(trimText(text, limit));
  if (best.length <= limit) return best;
  best = "";
  for (let [low, high] = [0, Math.floor(limit)]; low <= high; ) {
    const room = (low + high) >> 1;
    const escaped = escape(trimText(text, room));
    if (escaped.length <= limit) [best, low] = [escaped, room + 1];
    else high = room - 1;
  }
  return best;
}
