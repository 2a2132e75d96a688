/**
 * Finds 95 of 100 posts of a feed within the configured delay. A post that is found within the
 * delay is on time, so the next read is never sooner than that, and later if few posts are
 * expected. Pure.
 */
import { expectedDelay, longestWaitMs, type P95 } from "../../plan/delay-aims.ts";
import type { ReadAlgorithm } from "./feed-pace.ts";

/** The share of posts that may be found late. */
const LATE_SHARE = 0.05;
/** The maximum of the required worth of a read. */
const MAX_WORTH = (1 - LATE_SHARE) / LATE_SHARE;
/** How strongly one found post changes the required worth of a read. */
const QUANTILE_STEP = 0.1;

export const readsForP95 = (freshness: P95): ReadAlgorithm => ({
  kind: "p95",
  delay: expectedDelay(freshness),
  leastMs: freshness.p95Ms,
  mostMs: longestWaitMs(freshness),
  wantedWorth: (share, factor) =>
    share * ((freshness.p95Ms * LATE_SHARE) / (1 - LATE_SHARE)) * factor,
  inTimeMs: freshness.p95Ms,
  worthOfStep: (_, more) => more,
  learn(pace, delaysMs, nowMs) {
    const late = delaysMs.filter((delayMs) => delayMs > freshness.p95Ms).length;
    const worth = pace.worth * Math.exp(QUANTILE_STEP * (LATE_SHARE * delaysMs.length - late));
    return { ...pace, worth: Math.min(worth, MAX_WORTH), atMs: nowMs };
  },
});
