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
 * Returns the interval of full polls. `everyMs` is the interval that a small share of the cost pays
 * for. The result is shorter only if full polls would otherwise not be well within `max_age`.
 */
export const fullPollWithin = (everyMs: number, intervalMs: number, maxAgeMs: number): number =>
  Math.min(Math.max(everyMs, MIN_FULL_POLL_MS, intervalMs), Math.floor(maxAgeMs * 0.45));
