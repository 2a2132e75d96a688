/**
 * Spreads polls that would all start at the same instant, with a stable offset instead of a random
 * one, so that a restart changes nothing.
 */
import { unitHash } from "../model/hash.ts";

const SHARE_OF_INTERVAL = 0.1;
const MAX_MS = 30_000;
/** Below this, an offset would be a noticeable part of the requested delay. */
const MIN_INTERVAL_MS = 10_000;

/**
 * Returns the milliseconds to add to every tick of this poll: at most 10% of its interval and 30 s;
 * 0 for intervals under 10 s.
 */
export function spreadMs(fingerprint: string, intervalMs: number): number {
  if (intervalMs < MIN_INTERVAL_MS) return 0;
  return Math.floor(unitHash(fingerprint) * Math.min(intervalMs * SHARE_OF_INTERVAL, MAX_MS));
}
