/**
 * Keeps the mean delay of a feed's posts at the configured value. All reads cost the same, so the
 * mean delay is smallest if the time between reads is proportional to 1 / sqrt(rate). The next read
 * is therefore due when the waiting times of the posts that are expected since the last one add up
 * to a threshold, the required worth. Pure.
 */
import type { Mean } from "../../plan/delay-aims.ts";
import { sum } from "../../plan/sum.ts";
import type { ReadAlgorithm } from "./feed-pace.ts";

/** Reads in a burst are at most this many times as frequent as reads at even intervals. */
const MAX_SPEED_UP = 6;
/** Delays are averaged over about this many posts and at least six hours. */
const MEMORY_POSTS = 400;
const MEMORY_MS = 21_600_000;

export const readsForMean = ({ meanMs, maxMs }: Mean): ReadAlgorithm => ({
  kind: "mean",
  // The median is below the mean, because posts of a burst are found sooner.
  delay: { p50Ms: 0.95 * meanMs, p95Ms: 2.2 * meanMs },
  leastMs: (2 * meanMs) / MAX_SPEED_UP,
  mostMs: maxMs,
  wantedWorth: (share, factor) => share * (2 * meanMs * meanMs) * (factor * factor),
  inTimeMs: 0,
  worthOfStep: (posts, more, stepMs) => (posts + more / 2) * stepMs,
  /** Adjusts the required worth, because delays grow with its square root. */
  learn(pace, delaysMs, nowMs) {
    const kept = Math.exp(
      -Math.min(delaysMs.length / MEMORY_POSTS, Math.max(0, nowMs - pace.atMs) / MEMORY_MS),
    );
    const shares = delaysMs.map((delayMs) => Math.min(Math.max(delayMs, 0), maxMs) / meanMs);
    const delays = pace.delays * kept + sum(shares, (share) => share);
    const roots = pace.roots * kept + delaysMs.length * Math.sqrt(pace.worth);
    return {
      ...pace,
      worth: delays > 0 ? (roots / delays) ** 2 : pace.worth,
      delays,
      roots,
      atMs: nowMs,
    };
  },
});
