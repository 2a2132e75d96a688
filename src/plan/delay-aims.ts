/**
 * Derives delays from a freshness setting: the delay that probes and reads aim at, and the delays
 * to expect. Pure.
 */
import type { Freshness } from "../model/schedule.ts";

/** A freshness setting that limits the delay of 95 of 100 posts. */
export type P95 = Extract<Freshness, { kind: "p95" }>;
/** A freshness setting that limits the mean delay of all posts. */
export type Mean = Extract<Freshness, { kind: "mean" }>;

/**
 * The ratio of the 95th percentile to the mean, if posting rates are distributed as is usual on
 * such platforms.
 */
const P95_BY_MEAN = 3.3;
const P50_BY_MEAN = 0.55;
/**
 * If reads at even intervals keep a 95th percentile, half of the posts are found after about half
 * of that time.
 */
const P50_BY_P95 = 0.53;

/** Returns the longest time that an account may wait for a read. */
export const longestWaitMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.maxMs : 4 * freshness.p95Ms;

/** Returns the mean delay of reads at even intervals that meet the freshness setting. */
export const aimedMeanMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms / 2;

/**
 * Returns the expected delays. If the setting is a mean, posts of busy accounts are found soon and
 * those of quiet accounts late.
 */
export const expectedDelay = (freshness: Freshness): Delay =>
  freshness.kind === "mean"
    ? { p50Ms: freshness.meanMs * P50_BY_MEAN, p95Ms: freshness.meanMs * P95_BY_MEAN }
    : { p50Ms: freshness.p95Ms * P50_BY_P95, p95Ms: freshness.p95Ms };

export interface Delay {
  readonly p50Ms: number;
  readonly p95Ms: number;
}
