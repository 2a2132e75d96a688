/** What a plan and its forecast ask of a kind of group. A poll that is read by itself is of the kind `single`. Pure. */
import type { JsonObject } from "../../model/json.ts";
import type { Known, WatchBasis } from "../../plan/rates/basis.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import type { FreshTiming, Poll, PollGroup } from "../../plan/poll.ts";
import type { PollCost } from "../../plan/poll-cost.ts";
import type { ActiveStrategy } from "../../plan/rates/learned.ts";

/** What is known of a poll when its cost is computed. */
export interface CostFacts {
  readonly pollsPerDay: number;
  /** Of a whole read of its list; 1 where it is short or its length is not known. */
  readonly fullReadPages: number;
  /** New items a day in its feed; undefined where nothing was learned. */
  readonly itemsPerDay: number | undefined;
}

/** Runs that freshness places: it keeps the delay that was asked for, whatever that costs. */
export interface PlacedRuns {
  readonly delay: Delay;
  /** Undefined where that is not known. */
  readonly perDay: number | undefined;
}

export interface GroupKind {
  costOf(poll: Poll, facts: CostFacts): PollCost;
  placed(poll: Poll, timing: FreshTiming): PlacedRuns;
  /** New items a day; `ofFeed` answers for one feed. Undefined where that is not known, or says nothing of the cost. */
  itemsPerDay(poll: Poll, ofFeed: (feed: Poll) => number | undefined): number | undefined;
  /** What the forecast of its cost rests on. */
  basisOf(poll: Poll, known: Known): WatchBasis;
  /** Members whose rate the cost rests on. */
  ratedMembers(group: PollGroup): readonly Poll[];
  /** Polls whose first read is due at once when they join. */
  partsOf(poll: Poll): readonly Poll[];
  /** Keys under which the probe state of its members is kept. */
  probeKeys(group: PollGroup): readonly string[];
  /** The strategy by which it was read last, from what was stored under its key; undefined before one was chosen, and where none is. */
  restoreStrategy(stored: JsonObject, nowMs: number): ActiveStrategy | undefined;
}
