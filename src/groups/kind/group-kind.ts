/**
 * What plan and forecast need to know about each kind of group. A poll that is read on its own has
 * the kind `single`. Pure.
 */
import type { Delay } from "../../plan/delay-aims.ts";
import type { FreshTiming, Poll } from "../../plan/poll.ts";
import type { PollCost } from "../../plan/poll-cost.ts";

/** The facts from which the cost of a poll is computed. */
export interface CostFacts {
  /**
   * The number of polls per day. It follows from the poll's schedules. For a poll with a
   * `freshness` setting, it is the number of polls at even intervals.
   */
  readonly pollsPerDay: number;
  /**
   * Returns how many requests a complete read of the poll's list takes; undefined if the length of
   * the list is not known.
   */
  readonly pagesOf: (poll: Poll) => number | undefined;
}

/**
 * The expected runs of a poll with a `freshness` setting. Such a poll runs whenever the requested
 * delay makes it necessary.
 */
export interface PlacedRuns {
  readonly delay: Delay;
  /** The number of runs per day; undefined if it is not known. */
  readonly perDay: number | undefined;
}

export interface GroupKind {
  /** Estimates the cost of a poll for which no requests were counted yet. */
  costOf(poll: Poll, facts: CostFacts): PollCost;
  placed(poll: Poll, timing: FreshTiming): PlacedRuns;
}
