/**
 * What a plan and its forecast ask of a kind of group. A poll that is read by itself is of the kind
 * `single`. Pure.
 */
import type { Delay } from "../../plan/delay-aims.ts";
import type { FreshTiming, Poll } from "../../plan/poll.ts";
import type { PollCost } from "../../plan/poll-cost.ts";

/** What is known of a poll when its cost is computed. */
export interface CostFacts {
  /** By its schedules; under freshness, of even reads. */
  readonly pollsPerDay: number;
  /** Requests of a whole read of a poll's list; undefined where its length is not known. */
  readonly pagesOf: (poll: Poll) => number | undefined;
}

/** Runs that freshness places: it keeps the delay that was asked for, whatever that costs. */
export interface PlacedRuns {
  readonly delay: Delay;
  /** Undefined where that is not known. */
  readonly perDay: number | undefined;
}

export interface GroupKind {
  /** Before anything was counted. */
  costOf(poll: Poll, facts: CostFacts): PollCost;
  placed(poll: Poll, timing: FreshTiming): PlacedRuns;
}
