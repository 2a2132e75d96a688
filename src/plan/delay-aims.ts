/** The delays that freshness asks for: what its probes and reads aim at, and what to expect of them. Pure. */
import type { Freshness } from "../model/schedule.ts";

/** Where rates stand out as they do on such platforms, 95 of 100 posts stay under about three times the mean. */
const P95_BY_MEAN = 3.3;
const P50_BY_MEAN = 0.55;

/** The longest any account waits. */
export const longestWaitMs = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.maxMs : 4 * freshness.p95Ms);

/** The mean delay that is aimed at before anything is learned. */
export const aimedMeanMs = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms / P95_BY_MEAN);

/** What delays to expect: posts of busy accounts are found soon, those of quiet ones late. */
export const expectedDelay = (freshness: Freshness): { readonly p50Ms: number; readonly p95Ms: number } => ({
  p50Ms: aimedMeanMs(freshness) * P50_BY_MEAN,
  p95Ms: aimedMeanMs(freshness) * P95_BY_MEAN,
});
