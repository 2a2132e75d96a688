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
   * Items newer than this (service clock) are news even if their id is at or below the baseline
   * watermark.
   */
  readonly sinceMs: number;
}

export interface FeedRules {
  readonly nowMs: number;
  readonly maxAgeMs: number;
  /**
   * Items newer than this are news even if they are older than `max_age`. It is the last time the
   * feed was read or, in a first run, the time back to which the run reports.
   */
  readonly horizonMs: number;
  /**
   * Items that are news although they lie at or below the baseline watermark: the latest ones,
   * which a first run reports.
   */
  readonly chosen: ReadonlySet<string>;
}

export interface FeedFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline" | "too_old";
}

/** How far clocks may differ before an item's time counts as wrong. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Returns a verdict for each item that has none, each once, oldest first. */
export function detectFeed(
  items: readonly FeedItem[],
  known: ReadonlySet<string>,
  target: FeedTarget,
  rules: FeedRules,
): readonly FeedFinding[] {
  // A service whose clock is ahead gives its newest item a time in the future. Measure from that
  // time.
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
