/**
 * Texts for the page and for commands about a watch: how far its first read is, how many of its
 * events wait for their enrichment, and how much the quota slows it down.
 */
import { counted, countText } from "./page-words.ts";
import type { SlowedView } from "../schema/budget-view.ts";
import type { WatchView } from "../schema/watch-view.ts";

/**
 * Returns a text such as `first read 12 of 50 targets, 3 pages of the next`; empty if the first
 * read is complete. Long member lists are described elsewhere.
 */
export function firstReadWords({
  first_read: read,
  targets,
}: Pick<WatchView, "first_read" | "targets">): string {
  if (read === null) return "";
  const { targets_left: left, pages } = read;
  if (targets.length > 1) {
    const done = `first read ${countText(targets.length - left)} of ${counted(targets.length, "target")}`;
    return pages === null || pages === 0 ? done : `${done}, ${counted(pages, "page")} of the next`;
  }
  if (pages === null) return "first read to come";
  return pages === 0
    ? "first read under way"
    : `first read under way, ${counted(pages, "page")} so far`;
}

/**
 * Returns a text such as `3 events not enriched yet: the endpoint answered 503`; empty if no event
 * waits and the endpoint answers.
 */
export function enrichingWords({ enriching }: Pick<WatchView, "enriching">): string {
  if (enriching === null) return "";
  const { failing_since: since } = enriching;
  if (enriching.waiting === 0)
    return `events are sent without enrichment: ${enriching.error}${since === null ? "" : `, since ${since.slice(0, 16).replace("T", " ")} UTC`}`;
  return `${counted(enriching.waiting, "event")} not enriched yet${enriching.error === "" ? "" : `: ${enriching.error}`}`;
}

/**
 * Returns a text such as `polled 264 times slower until 2026-04-01: the quota is short; next poll
 * in 4h`; empty if the watch is not slowed down. `timeText` formats a time in the future.
 */
export function slowedWords(slowed: SlowedView | null, timeText: (iso: string) => string): string {
  if (slowed === null) return "";
  const { factor, until, next_poll_at: next } = slowed;
  const day = until.slice(0, 10);
  const effect =
    factor === null
      ? `not polled until ${day}: the quota is spent`
      : `polled ${factor} times slower until ${day}: the quota is short`;
  return `${effect}${next === null ? "" : `; next poll ${timeText(next)}`}`;
}

/** Returns a text such as `31 of 240 marked not relevant, 18 of them by @x`; empty if none is. */
export function notRelevantWords({ not_relevant: count }: Pick<WatchView, "not_relevant">): string {
  if (count === null) return "";
  const { marked, alerts, top_author: author, by_top_author: own } = count;
  const by = author === "" ? "" : `, ${countText(own)} of them by @${author}`;
  return `${countText(marked)} of ${countText(alerts)} marked not relevant${by}`;
}
