/**
 * What a forecast assumes before anything was counted, each as a low and a high value. docs/forecast.md gives the reason for each, and an
 * example to check by hand. What a kind of group makes of them is its own. Pure.
 */
import type { PollTiming } from "../poll.ts";
import type { Range } from "../range.ts";
import { ITEMS_PER_PAGE } from "./feed-pages.ts";

/** Of an account. */
export const POSTS_PER_DAY: Range = { low: 0.5, high: 6 };
/** Times that a member list gains or loses somebody. */
export const MOVES_PER_DAY: Range = { low: 1, high: 24 };

/** Reads of a group that no post asks for, such as full polls, against all its other requests. */
export const EXTRA_READS: Range = { low: 1, high: 1.1 };

const EVEN: Range = { low: 1, high: 1 };
const READS_FOR_MEAN: Range = { low: 0.5, high: 1.1 };
const READS_FOR_P95: Range = { low: 0.4, high: 1 };

/** Reads of a feed against those at even intervals. */
export const readsOf = (timing: PollTiming): Range =>
  timing.kind === "schedule" ? EVEN : timing.freshness.kind === "mean" ? READS_FOR_MEAN : READS_FOR_P95;

/**
 * Searches a day for so many posts: about one a post while posts are rare, one a run where each run finds some, and one more for each page
 * that they fill.
 */
export const searchesFor = (posts: number, runs: number): number =>
  posts === 0 || runs === 0 ? 0 : (posts * runs) / (posts + runs) + posts / ITEMS_PER_PAGE;
