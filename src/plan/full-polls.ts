/**
 * Decides how often members of a group are read on their own or completely, in addition to the
 * reads that they share. Each kind of group computes what that costs. Pure.
 */

const MIN_FULL_POLL_MS = 1_800_000;
/**
 * The maximum share that full polls, or verification reads, may add to the cost of all other reads
 * of a group.
 */
export const FULL_POLL_SHARE = 0.04;

/**
 * Returns the interval of full polls: the longest of `everyMs`, `intervalMs` and 30 minutes, but at
 * most 45% of `max_age`, so that what a full poll finds is still reported. `everyMs` is roughly the
 * interval at which full polls add `FULL_POLL_SHARE` to the cost of the group's other reads.
 */
export const fullPollWithin = (everyMs: number, intervalMs: number, maxAgeMs: number): number =>
  Math.min(Math.max(everyMs, MIN_FULL_POLL_MS, intervalMs), Math.floor(maxAgeMs * 0.45));
