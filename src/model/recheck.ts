/** Rechecks of fresh tweets, and the storage port for them. */
import type { ChirpEvent, Verdict } from "./event.ts";
import type { TargetRef } from "./watch-store.ts";

/**
 * How long after `untilMs` an overdue recheck is still made. A recheck can be overdue because the
 * daemon was down, the watch was paused, or requests were short.
 */
export const OVERDUE_RECHECK_MS = 7 * 86_400_000;

export interface RecheckRef extends TargetRef {
  readonly tweetId: string;
}

/**
 * The planned recheck of a fresh tweet that raised an alert, or that the watch's `where` rejected.
 */
export interface Recheck extends RecheckRef {
  readonly dueAtMs: number;
  /** When the regular rechecks of the tweet end, in epoch ms. */
  readonly untilMs: number;
  /**
   * The id of the newest event created from the tweet, including events about its edits; "" while
   * `where` rejects the tweet.
   */
  readonly eventId: string;
  /** The `where` that rejected the tweet; "" for a tweet that raised an alert. */
  readonly condition: string;
  /** How many answers in a row did not contain the tweet. */
  readonly absences: number;
  /**
   * The fingerprints (`textVersion`) of the tweet's texts that an alert has already shown. Empty
   * while `where` rejects the tweet.
   */
  readonly versions: readonly string[];
}

/** The change of an item's verdict to an event after it was first decided otherwise. */
export interface LateVerdict extends TargetRef {
  /**
   * The verdict that the stored item must have, `filtered` by default. An item with a different
   * verdict is not changed.
   */
  readonly was?: Verdict;
  readonly itemId: string;
  readonly eventId: string;
}

export interface RecheckStore {
  /**
   * Returns due rechecks of watches that are neither paused nor removed, ordered by tweet. The
   * rechecks belong to at most `mostTweets` tweets, and the result contains all due rechecks of
   * each of these tweets.
   */
  dueRechecks(nowMs: number, mostTweets: number): Promise<readonly Recheck[]>;
  /**
   * Moves rechecks of a watch to an earlier time: those due after `laterThanMs` become due at
   * `dueAtMs`.
   */
  runRechecksNow(watchKey: string, laterThanMs: number, dueAtMs: number): Promise<void>;
  /** Returns events in no particular order. Unknown ids are left out. */
  eventsById(ids: readonly string[]): Promise<readonly ChirpEvent[]>;
}
