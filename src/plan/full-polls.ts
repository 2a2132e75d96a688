/**
 * How often members of a group are read by themselves or whole, whatever else is read of them. What
 * that costs is each kind of group's. Pure.
 */

const LEAST_FULL_POLL_MS = 1_800_000;
/** What full polls, or verification reads, may add to the cost of everything else. */
export const FULL_POLL_SHARE = 0.04;

/**
 * As often as a small share of the cost allows, which is every `everyMs`, and always well within
 * `max_age`.
 */
export const fullPollWithin = (everyMs: number, intervalMs: number, maxAgeMs: number): number =>
  Math.min(Math.max(everyMs, LEAST_FULL_POLL_MS, intervalMs), Math.floor(maxAgeMs * 0.45));
