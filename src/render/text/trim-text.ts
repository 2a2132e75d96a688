/**
 * Shortens text to a vendor's limit without dividing a character. Limits count UTF-16 units, as the
 * vendors do.
 */
import { lazy } from "../../model/lazy.ts";

const ELLIPSIS = "…";
/** Loading the rules of graphemes takes 15 ms, and most texts are short enough without them. */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/**
 * Returns at most `limit` UTF-16 units, including an ellipsis. The text never ends inside a
 * grapheme, or inside a code point if a single grapheme is too long.
 */
export function trimText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < ELLIPSIS.length) return "";
  // A share of a vendor's limit is often not a whole number.
  const room = Math.floor(limit) - ELLIPSIS.length;
  const end = lastBoundary(text, room) || wholeCodePoints(text, room);
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/**
 * Returns the last grapheme boundary at or before `room`. Searches no further than necessary,
 * because a list can have a thousand texts to shorten.
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

/** Whether there is a boundary for sure: between two printable ASCII characters there always is. */
const isPlainBoundary = (text: string, at: number): boolean =>
  isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at));
const isPlain = (unit: number): boolean => unit >= 0x20 && unit <= 0x7e;

function wholeCodePoints(text: string, room: number): number {
  const last = text.charCodeAt(room - 1);
  return last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
}

/**
 * Shortens text before escaping it, so that no escape is divided: at most `limit` units after
 * `escape`, and as many as possible.
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
