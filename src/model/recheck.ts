/** Rechecks of fresh tweets, and the port that finds those that are due. */
import type { ChirpEvent, Verdict } from "./event.ts";
import type { TargetRef } from "./watch-store.ts";

/**
 * After a tweet's last recheck was due, an overdue one is still made for this long, because the
 * daemon may have been down, the watch paused, or requests short.
 */
export const OVERDUE_RECHECK_MS = 7 * 86_400_000;

export interface RecheckRef extends TargetRef {
  readonly tweetId: string;
}

/** The recheck of a fresh tweet that raised an alert, or that its `where` rejected. */
export interface Recheck extends RecheckRef {
  readonly dueAtMs: number;
  /** When its regular rechecks end. A recheck that was due before and not made is overdue. */
  readonly untilMs: number;
  /** The newest event created from it, including edits; "" while `where` rejects it. */
  readonly eventId: string;
  /** The `where` that rejected it; "" for a tweet that raised an alert. */
  readonly condition: string;
  /** How many answers in a row did not contain the tweet. */
  readonly absences: number;
  /**
   * The fingerprints (`textVersion`) of its texts that are not news. Empty while `where` rejects
   * it.
   */
  readonly versions: readonly string[];
}

/** An item that becomes an event after all, although it had another verdict. */
export interface LateVerdict extends TargetRef {
  /**
   * The verdict that the item must have, `filtered` by default. An item that has a different one by
   * then stays as it is.
   */
  readonly was?: Verdict;
  readonly itemId: string;
  readonly eventId: string;
}

export interface RecheckStore {
  /**
   * Returns due rechecks of watches that are neither paused nor removed: all of each tweet, of at
   * most `mostTweets` tweets, ordered by tweet.
   */
  dueRechecks(nowMs: number, mostTweets: number): Promise<readonly Recheck[]>;
  /** Makes the rechecks of a watch that are due later than `laterThanMs` due at `dueAtMs`. */
  runRechecksNow(watchKey: string, laterThanMs: number, dueAtMs: number): Promise<void>;
  /** Returns events in no particular order. Unknown ids are left out. */
  eventsById(ids: readonly string[]): Promise<readonly ChirpEvent[]>;
}
