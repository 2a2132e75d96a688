/** Requests that a feed takes beyond one page a poll: for its news, and for items that appear late. Pure. */
import { pagesBeyondFirst, rescanPages, USUAL_POSTS_PER_DAY } from "./feed-pages.ts";
import type { Poll } from "../poll.ts";

const DAY_MS = 86_400_000;

/** Pages beyond the first that are full of news. */
export const newsPages = (poll: Poll, rate: number, itemsPerDay: number | undefined): number =>
  poll.detector !== "feed" || rate === 0 || itemsPerDay === undefined ? 0 : rate * pagesBeyondFirst(itemsPerDay / rate);

/**
 * Once per `overlap` a feed is read down to the `overlap` before the last such rescan: pages beyond the first, where so much was posted since.
 * Of a list that nobody knows, one page; a search answers a rescan in the poll's own request, as it is bounded by time.
 */
export function rescanRequests(poll: Poll, rate: number, itemsPerDay: number | undefined): number {
  if (poll.detector !== "feed" || rate === 0) return 0;
  const meanGapMs = DAY_MS / rate;
  if (poll.overlapMs <= meanGapMs) return 0;
  const everyMs = Math.ceil(poll.overlapMs / meanGapMs) * meanGapMs;
  const items = itemsPerDay ?? usualItemsPerDay(poll);
  const pages = items === undefined ? (poll.source.boundParam === undefined ? 1 : 0) : rescanPages(items, everyMs, poll.overlapMs);
  const known = itemsPerDay === undefined ? 0 : pagesBeyondFirst(itemsPerDay / rate);
  return (DAY_MS / everyMs) * Math.max(0, pages - known);
}

/** An account posts a few times a day: a page of its timeline reaches far back. */
const usualItemsPerDay = ({ source }: Poll): number | undefined => (source.endpoint === "user-tweets" ? USUAL_POSTS_PER_DAY : undefined);
