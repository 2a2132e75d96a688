/**
 * The assumptions of a forecast before anything was counted, as low and high values.
 * docs/forecast.md has the reasons, and an example to check by hand. Each kind of group derives its
 * own cost from them. Pure.
 */
import type { PollTiming } from "../poll.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import { exactly, type Range, times } from "../range.ts";
import { ITEMS_PER_PAGE } from "./feed-pages.ts";

/**
 * Posts per account and day, including replies and reposts, which change the account's counter as
 * well.
 */
export const POSTS_PER_DAY: Range = { low: 0.5, high: 12 };
/**
 * Posts per account and day without replies and reposts, which a watch leaves out unless `include`
 * names them.
 */
export const RECHECKED_PER_DAY: Range = { low: 0.5, high: 6 };
/** Changes per member list and day. */
export const MOVES_PER_DAY: Range = { low: 1, high: 24 };
/** Changes per day of the list that changes most, among member lists that are probed together. */
export const MAX_MOVES_PER_DAY: Range = { low: 1, high: 222 };

/**
 * The number of a group's other requests is multiplied by this to include full polls and repeated
 * reads.
 */
export const EXTRA_READS: Range = { low: 1, high: 1.1 };

/** The probes per day, and the number of runs in which they are sent. */
export interface Probing {
  readonly probes: Range;
  readonly runs: Range;
}

/** How many runs there are compared with even intervals: fewer, because quiet times need fewer. */
const BURSTS: Range = { low: 0.5, high: 1 };
/**
 * The same factor if one probe cannot hold all accounts, so that busy accounts are probed more
 * often than quiet ones.
 */
const BUSY_FIRST: Range = { low: 0.25, high: 0.5 };

/**
 * Returns the probes for a mean delay. `evenRunsPerDay` is the number of runs at even intervals.
 */
export function probingForMean(accounts: number, evenRunsPerDay: number): Probing {
  const runs = times(exactly(evenRunsPerDay), BURSTS);
  return {
    probes:
      accounts <= BATCH_SIZE
        ? runs
        : times(exactly((evenRunsPerDay * accounts) / BATCH_SIZE), BUSY_FIRST),
    runs,
  };
}

const EVEN: Range = { low: 1, high: 1 };
const READS_FOR_MEAN: Range = { low: 0.5, high: 1.1 };
const READS_FOR_P95: Range = { low: 0.4, high: 1 };

/** Returns how many reads a feed needs, compared with reads at even intervals. */
export const readsOf = (timing: PollTiming): Range =>
  timing.kind === "schedule"
    ? EVEN
    : timing.freshness.kind === "mean"
      ? READS_FOR_MEAN
      : READS_FOR_P95;

/**
 * Returns the searches per day for this many posts: about one per post while posts are rare, one
 * per run if each run finds some, plus one for each page that they fill.
 */
export const searchesFor = (posts: number, runs: number): number =>
  posts === 0 || runs === 0 ? 0 : (posts * runs) / (posts + runs) + posts / ITEMS_PER_PAGE;
