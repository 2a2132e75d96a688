/**
 * The delays that freshness asks for: what probes and reads aim at, and what delays to expect.
 * Pure.
 */
import type { Freshness } from "../model/schedule.ts";

/** A delay that 95 of 100 posts stay under. */
export type P95 = Extract<Freshness, { kind: "p95" }>;
/** A mean delay over all posts. */
export type Mean = Extract<Freshness, { kind: "mean" }>;

/**
 * The ratio of the 95th percentile to the mean, with rates distributed as they are on such
 * platforms.
 */
const P95_BY_MEAN = 3.3;
const P50_BY_MEAN = 0.55;
/** Even polls that keep a limit find half of the posts after about half of it. */
const P50_BY_P95 = 0.53;

/** Returns the longest time that an account waits. */
export const longestWaitMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.maxMs : 4 * freshness.p95Ms;

/** Returns the mean delay of even polls that keep the requested delay. */
export const aimedMeanMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms / 2;

/**
 * Returns the expected delays. Under a mean, posts of busy accounts are found soon, those of quiet
 * ones late.
 */
export const expectedDelay = (freshness: Freshness): Delay =>
  freshness.kind === "mean"
    ? { p50Ms: freshness.meanMs * P50_BY_MEAN, p95Ms: freshness.meanMs * P95_BY_MEAN }
    : { p50Ms: freshness.p95Ms * P50_BY_P95, p95Ms: freshness.p95Ms };

export interface Delay {
  readonly p50Ms: number;
  readonly p95Ms: number;
}
