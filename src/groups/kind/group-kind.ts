/**
 * What plan and forecast need to know of a kind of group. A poll that is read on its own has the
 * kind `single`. Pure.
 */
import type { Delay } from "../../plan/delay-aims.ts";
import type { FreshTiming, Poll } from "../../plan/poll.ts";
import type { PollCost } from "../../plan/poll-cost.ts";

/** What is known of a poll when its cost is computed. */
export interface CostFacts {
  /**
   * The polls per day by the poll's schedules. Under freshness, how many there would be at even
   * intervals.
   */
  readonly pollsPerDay: number;
  /**
   * Returns how many requests a complete read of a poll's list takes; undefined if its length is
   * not known.
   */
  readonly pagesOf: (poll: Poll) => number | undefined;
}

/** Runs whose times follow from freshness: they keep the requested delay, whatever that costs. */
export interface PlacedRuns {
  readonly delay: Delay;
  /** The runs per day; undefined if that is not known. */
  readonly perDay: number | undefined;
}

export interface GroupKind {
  /** Estimates the cost before anything was counted. */
  costOf(poll: Poll, facts: CostFacts): PollCost;
  placed(poll: Poll, timing: FreshTiming): PlacedRuns;
}
