/**
 * Decides how often members of a group are read on their own or completely, whatever else is read
 * of them. Each kind of group computes what that costs. Pure.
 */

const MIN_FULL_POLL_MS = 1_800_000;
/**
 * The maximum share that full polls, or verification reads, may add to the cost of everything else.
 */
export const FULL_POLL_SHARE = 0.04;

/**
 * Returns the interval of full polls: `everyMs`, which is what a small share of the cost allows,
 * but always well within `max_age`.
 */
export const fullPollWithin = (everyMs: number, intervalMs: number, maxAgeMs: number): number =>
  Math.min(Math.max(everyMs, MIN_FULL_POLL_MS, intervalMs), Math.floor(maxAgeMs * 0.45));
