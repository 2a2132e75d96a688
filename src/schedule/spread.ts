/**
 * Moves polls apart that would all start in the same instant: a stable offset instead of a random
 * one, so that a restart moves nothing.
 */
import { unitHash } from "../model/hash.ts";

const SHARE_OF_INTERVAL = 0.1;
const LONGEST_MS = 30_000;
/** Below this, an offset would be a visible part of the delay that was asked for. */
const SHORTEST_INTERVAL_MS = 10_000;

/**
 * Milliseconds to add to every tick of this poll: at most 10% of its interval and 30 s; 0 for
 * intervals under 10 s.
 */
export function spreadMs(fingerprint: string, intervalMs: number): number {
  if (intervalMs < SHORTEST_INTERVAL_MS) return 0;
  return Math.floor(unitHash(fingerprint) * Math.min(intervalMs * SHARE_OF_INTERVAL, LONGEST_MS));
}
