/**
 * The delays that freshness asks for: what its probes and reads aim at, and what to expect of them.
 * Pure.
 */
import type { Freshness } from "../model/schedule.ts";

/** A delay that 95 of 100 posts stay under. */
export type P95 = Extract<Freshness, { kind: "p95" }>;
/** A mean delay over all posts. */
export type Mean = Extract<Freshness, { kind: "mean" }>;

/**
 * Where rates stand out as they do on such platforms, 95 of 100 posts stay under about three times
 * the mean.
 */
const P95_BY_MEAN = 3.3;
const P50_BY_MEAN = 0.55;
/** Even looks that keep a limit find half of the posts after about half of it. */
const P50_BY_P95 = 0.53;

/** The longest any account waits. */
export const longestWaitMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.maxMs : 4 * freshness.p95Ms;

/** The mean delay of even looks that keep what is asked for. */
export const aimedMeanMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms / 2;

/**
 * What delays to expect: for a mean, posts of busy accounts are found soon, those of quiet ones
 * late.
 */
export const expectedDelay = (freshness: Freshness): Delay =>
  freshness.kind === "mean"
    ? { p50Ms: freshness.meanMs * P50_BY_MEAN, p95Ms: freshness.meanMs * P95_BY_MEAN }
    : { p50Ms: freshness.p95Ms * P50_BY_P95, p95Ms: freshness.p95Ms };

export interface Delay {
  readonly p50Ms: number;
  readonly p95Ms: number;
}
