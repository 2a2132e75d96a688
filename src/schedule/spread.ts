/**
 * Spreads polls that would all start at the same instant. The offset of a poll is computed from its
 * fingerprint instead of being random, so a restart does not change it.
 */
import { unitHash } from "../model/hash.ts";

const SHARE_OF_INTERVAL = 0.1;
const MAX_MS = 30_000;
/**
 * Polls with a shorter interval get no offset, because it would be a noticeable part of the
 * interval.
 */
const MIN_INTERVAL_MS = 10_000;

/**
 * Returns the milliseconds to add to every tick of the poll with this fingerprint: at most 10% of
 * its interval and at most 30 s; 0 for intervals under 10 s.
 */
export function spreadMs(fingerprint: string, intervalMs: number): number {
  if (intervalMs < MIN_INTERVAL_MS) return 0;
  return Math.floor(unitHash(fingerprint) * Math.min(intervalMs * SHARE_OF_INTERVAL, MAX_MS));
}
