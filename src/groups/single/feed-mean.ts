/**
 * A mean delay over the posts of a feed. A read costs the same whenever it comes, so that the mean delay is least where the interval is
 * proportional to 1 / sqrt(rate): the next read comes when the posts expected since the last one have waited so long together. Pure.
 */
import type { Mean } from "../../plan/delay-aims.ts";
import { sum } from "../../plan/sum.ts";
import type { ReadAlgorithm } from "./feed-pace.ts";

/** A burst brings reads so much closer than even ones at most. */
const MOST_HASTE = 6;
/** The delays of so many posts are remembered, and of six hours at least. */
const MEMORY_POSTS = 400;
const MEMORY_MS = 21_600_000;

export const readsForMean = ({ meanMs, maxMs }: Mean): ReadAlgorithm => ({
  kind: "mean",
  // Posts are found sooner in a burst.
  delay: { p50Ms: 0.95 * meanMs, p95Ms: 2.2 * meanMs },
  leastMs: (2 * meanMs) / MOST_HASTE,
  mostMs: maxMs,
  wantedWorth: (share, factor) => share * (2 * meanMs * meanMs) * (factor * factor),
  inTimeMs: 0,
  worthOfStep: (posts, more, stepMs) => (posts + more / 2) * stepMs,
  /** Delays grow with the square root of what a read must be worth. */
  learn(pace, delaysMs, nowMs) {
    const kept = Math.exp(-Math.min(delaysMs.length / MEMORY_POSTS, Math.max(0, nowMs - pace.atMs) / MEMORY_MS));
    const shares = delaysMs.map((delayMs) => Math.min(Math.max(delayMs, 0), maxMs) / meanMs);
    const delays = pace.delays * kept + sum(shares, (share) => share);
    const roots = pace.roots * kept + delaysMs.length * Math.sqrt(pace.worth);
    return { ...pace, worth: delays > 0 ? (roots / delays) ** 2 : pace.worth, delays, roots, atMs: nowMs };
  },
});
