/** Rechecks of fresh tweets, and the port that names those that are due. */
import type { ChirpEvent, Verdict } from "./event.ts";
import type { TargetRef } from "./watch-store.ts";

/**
 * After a tweet's last moment, an overdue recheck is still made for so long: it was due while the
 * daemon was down, the watch paused, or requests short.
 */
export const OVERDUE_RECHECK_MS = 7 * 86_400_000;

export interface RecheckRef extends TargetRef {
  readonly tweetId: string;
}

/** The recheck of a fresh tweet: one that raised an alert, or one that its `where` kept back. */
export interface Recheck extends RecheckRef {
  readonly dueAtMs: number;
  /** The last moment of its own pace: a recheck that was due before it and not made is overdue. */
  readonly untilMs: number;
  /** The newest event made of it, that of an edit included; "" while it is kept back. */
  readonly eventId: string;
  /** The `where` that kept it back; "" of one that raised an alert. */
  readonly condition: string;
  /** Answers in a row that were without it. */
  readonly absences: number;
  /** Its texts that are no news, each as `textVersion` names it. Empty while it is kept back. */
  readonly versions: readonly string[];
}

/** An item with another verdict that becomes an event after all. */
export interface LateVerdict extends TargetRef {
  /** `filtered` where nothing is said: an item that has another one meanwhile stays as it is. */
  readonly was?: Verdict;
  readonly itemId: string;
  readonly eventId: string;
}

export interface RecheckStore {
  /**
   * Due ones of watches that are neither paused nor removed: of each tweet all, of `mostTweets`
   * tweets at most. By tweet.
   */
  dueRechecks(nowMs: number, mostTweets: number): Promise<readonly Recheck[]>;
  /** Makes those of a watch that are due later than `laterThanMs` due at `dueAtMs`. */
  runRechecksNow(watchKey: string, laterThanMs: number, dueAtMs: number): Promise<void>;
  /** In no particular order; ids nobody knows are left out. */
  eventsById(ids: readonly string[]): Promise<readonly ChirpEvent[]>;
}
