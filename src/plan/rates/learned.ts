/** What daemons have learned of how often is posted and how much is asked: what planning goes by beside the configuration. */
import type { Hash } from "../../model/hash.ts";
import type { Poll } from "../poll.ts";
import type { MergeLimits } from "../../query/merging/merge.ts";

/** As the state has it. */
export interface ActiveStrategy {
  readonly strategy: "single" | "probe" | "merge";
  /** Of searches: how long a query may be. */
  readonly limits?: MergeLimits;
  /** Of searches: poll keys of those that are read by themselves all the same. */
  readonly alone?: ReadonlySet<string>;
}

/** Undefined where nothing was learned. */
export interface Learned {
  /** How a group is read now, by its key; undefined before that was chosen, and where it was not loaded. */
  activeStrategyOf?(key: string): ActiveStrategy | undefined;
  /** Posts a day of an account by its id, reads a day of a list by its poll's key. */
  rateOf(key: string): number | undefined;
  /** What a watch took against the estimate for it, by its id; undefined until a day of it was counted. */
  ratioOf?(watchId: string): number | undefined;
}

export const NOTHING_LEARNED: Learned = { rateOf: () => undefined };

export interface GroupingDeps extends Partial<Learned> {
  readonly hash: Hash;
  /** Requests of a read of a poll's whole list; 1 where it is short or its length is not known. */
  readonly pagesOf?: (poll: Poll) => number;
}
