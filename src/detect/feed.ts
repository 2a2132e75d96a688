/**
 * Decides which items of a feed are news for one target. Pure. `known` holds the ids that have a
 * verdict in the state.
 */
import { compareIds } from "../model/id.ts";
import type { FeedItem } from "./feed-walk.ts";

export interface FeedTarget {
  /** The baseline watermark: the highest id when the target was first read. */
  readonly birth: string;
  /**
   * Items newer than this (epoch ms of the service's clock) are news even if their id is at or
   * below the baseline watermark.
   */
  readonly sinceMs: number;
}

export interface FeedRules {
  readonly nowMs: number;
  readonly maxAgeMs: number;
  /**
   * Items newer than this (epoch ms) are news even if they are older than `max_age`. It is the time
   * of the feed's last read or, in a first run, the time back to which the run reports items.
   */
  readonly horizonMs: number;
  /**
   * The ids of the latest items, which a first run reports although they are at or below the
   * baseline watermark.
   */
  readonly chosen: ReadonlySet<string>;
}

export interface FeedFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline" | "too_old";
}

/** How far in the future an item's time may be before the service's clock counts as fast. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns a verdict for each item that has none yet, oldest first. A repeated item gets one
 * verdict.
 */
export function detectFeed(
  items: readonly FeedItem[],
  known: ReadonlySet<string>,
  target: FeedTarget,
  rules: FeedRules,
): readonly FeedFinding[] {
  // If the service's clock is fast, the newest item has a time in the future. Then times are
  // compared with that time instead of the local one.
  const newestMs = Math.max(...items.map((item) => item.timeMs), Number.NEGATIVE_INFINITY);
  const aheadMs = newestMs > rules.nowMs + CLOCK_TOLERANCE_MS ? newestMs - rules.nowMs : 0;
  const fresh = new Map(items.filter((item) => !known.has(item.id)).map((item) => [item.id, item]));
  return [...fresh.values()]
    .sort((a, b) => compareIds(a.id, b.id))
    .map((item) => ({ id: item.id, verdict: verdictOf(item, target, rules, aheadMs) }));
}

function verdictOf(
  item: FeedItem,
  target: FeedTarget,
  rules: FeedRules,
  aheadMs: number,
): FeedFinding["verdict"] {
  if (rules.chosen.has(item.id)) return "news";
  const isNews = compareIds(item.id, target.birth) > 0 || item.timeMs > target.sinceMs + aheadMs;
  if (!isNews) return "baseline";
  return item.timeMs < Math.min(rules.nowMs - rules.maxAgeMs, rules.horizonMs) ? "too_old" : "news";
}

/** Returns the ids of the `count` newest items. */
export const newestIds = (items: readonly FeedItem[], count: number): ReadonlySet<string> =>
  new Set(
    [...items]
      .sort((a, b) => compareIds(b.id, a.id))
      .slice(0, count)
      .map((item) => item.id),
  );
