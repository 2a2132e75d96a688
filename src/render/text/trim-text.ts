/**
 * Shortens text to a vendor's limit without dividing a character. Limits count UTF-16 units, as the
 * vendors do.
 */
import { lazy } from "../../model/lazy.ts";

const ELLIPSIS = "…";
/**
 * The segmenter is created on first use, because loading Intl's grapheme rules takes 15 ms and most
 * texts need no cut.
 */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/**
 * Returns at most `limit` UTF-16 units, including an ellipsis. The text is cut between graphemes,
 * or between code points if the first grapheme alone is too long.
 */
export function trimText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < ELLIPSIS.length) return "";
  // `limit` may be a share of a vendor's limit, so it is often not a whole number.
  const room = Math.floor(limit) - ELLIPSIS.length;
  const end = lastBoundary(text, room) || wholeCodePoints(text, room);
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/**
 * Returns the last grapheme boundary at or before `room`. Segments only the text around `room`,
 * because one message can list a thousand texts that must be shortened.
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

/**
 * Whether `at` is between two printable ASCII characters, where there is always a grapheme
 * boundary.
 */
const isPlainBoundary = (text: string, at: number): boolean =>
  isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at));
const isPlain = (unit: number): boolean => unit >= 0x20 && unit <= 0x7e;

function wholeCodePoints(text: string, room: number): number {
  const last = text.charCodeAt(room - 1);
  return last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
}

/**
 * Returns escaped text of at most `limit` UTF-16 units, as long as possible. The text is shortened
 * before it is escaped, so that no escape sequence is cut.
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
