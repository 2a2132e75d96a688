/**
 * What a probe must be worth before it is sent, so that posts are found as fresh as was asked for and no sooner. The worth is learned
 * from the delays of posts that were found: they grow with its square root. A burst makes probes worth their request sooner, silence
 * later; the worth itself moves slowly. Pure; the memory is plain data.
 */
import type { Freshness } from "../model/schedule.ts";
import { BATCH_SIZE } from "../model/batch.ts";
import { allocateChecks, requestsOf } from "./probe-choice.ts";

export interface PaceMemory {
  /** Posts x ms, for each request it is expected to take. */
  readonly worth: number;
  /** It never gets less, however late posts are found: a search that lags is not made faster by asking more often. */
  readonly leastWorth: number;
  /** The mean delay aimed at. */
  readonly meanMs: number;
  /** Over the posts found lately, older ones counting less: how many, their delays, and sqrt(worth) at the time. */
  readonly posts: number;
  readonly delayMs: number;
  readonly rootWorth: number;
  readonly atMs: number;
}

/** The delays of so many posts are remembered, and of six hours at least: fewer would be chance, an hour of a large group its time of day. */
const MEMORY_POSTS = 400;
const DAY_MS = 86_400_000;
const MEMORY_MS = 21_600_000;
/** How many found posts outweigh the first guess. */
const FIRST_GUESS_POSTS = 60;
/** Where rates stand out as they do on such platforms, 95 of 100 posts stay under about three times the mean. */
const P95_BY_MEAN = 3.3;
const P50_BY_MEAN = 0.55;
/** Probes come at most about three times as often as was worked out at first. */
const MOST_HASTE = 9;
/** How much one post moves the mean aimed at for a p95. */
const QUANTILE_STEP = 0.02;

/** The longest any account waits. */
export const longestWaitMs = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.maxMs : 4 * freshness.p95Ms);

/** The mean delay that is aimed at before anything is learned. */
export const aimedMeanMs = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms / P95_BY_MEAN);

/** What delays to expect: posts of busy accounts are found soon, those of quiet ones late. */
export const expectedDelay = (freshness: Freshness): { readonly p50Ms: number; readonly p95Ms: number } => ({
  p50Ms: aimedMeanMs(freshness) * P50_BY_MEAN,
  p95Ms: aimedMeanMs(freshness) * P95_BY_MEAN,
});

/** The pace to begin with, by the rates as far as they are known (posts a day). */
export function firstPace(rates: readonly number[], freshness: Freshness, nowMs: number): PaceMemory {
  const meanMs = aimedMeanMs(freshness);
  const worth = rates.length <= BATCH_SIZE ? worthOfAll(rates, meanMs) : worthOfSome(rates, meanMs, longestWaitMs(freshness));
  return {
    worth,
    leastWorth: worth / MOST_HASTE,
    meanMs,
    posts: FIRST_GUESS_POSTS,
    delayMs: FIRST_GUESS_POSTS * meanMs,
    rootWorth: FIRST_GUESS_POSTS * Math.sqrt(worth),
    atMs: nowMs,
  };
}

/** Where one probe asks for everybody, the mean delay is half of the time between two. */
function worthOfAll(rates: readonly number[], meanMs: number): number {
  const postsPerMs = rates.reduce((sum, rate) => sum + rate, 0) / DAY_MS;
  return (postsPerMs * 2 * meanMs * meanMs) / requestsOf(postsPerMs * 2 * meanMs);
}

function worthOfSome(rates: readonly number[], meanMs: number, maxMs: number): number {
  const { checksPerDay, worthOfCheck } = allocateChecks(rates, meanMs, maxMs);
  const postsPerProbe = rates.reduce((sum, rate) => sum + rate, 0) / (checksPerDay / BATCH_SIZE);
  return (worthOfCheck * BATCH_SIZE) / requestsOf(postsPerProbe);
}

/** The pace after posts were found, `delaysMs` after they were posted. */
export function learnDelays(memory: PaceMemory, delaysMs: readonly number[], freshness: Freshness, nowMs: number): PaceMemory {
  if (delaysMs.length === 0) return memory;
  const kept = Math.exp(-Math.min(delaysMs.length / MEMORY_POSTS, Math.max(0, nowMs - memory.atMs) / MEMORY_MS));
  // What was found after an outage says nothing about the pace.
  const delays = delaysMs.map((delayMs) => Math.min(Math.max(delayMs, 0), longestWaitMs(freshness)));
  const posts = memory.posts * kept + delays.length;
  const delayMs = memory.delayMs * kept + delays.reduce((sum, delay) => sum + delay, 0);
  const rootWorth = memory.rootWorth * kept + delays.length * Math.sqrt(memory.worth);
  const meanMs = freshness.kind === "mean" ? freshness.meanMs : aimForP95(memory.meanMs, delays, freshness.p95Ms);
  const root = delayMs > 0 ? (meanMs * rootWorth) / delayMs : Math.sqrt(memory.worth);
  const worth = Math.max(root * root, memory.leastWorth);
  return { ...memory, worth, meanMs, posts, delayMs, rootWorth, atMs: nowMs };
}

function aimForP95(meanMs: number, delaysMs: readonly number[], p95Ms: number): number {
  const late = delaysMs.filter((delayMs) => delayMs > p95Ms).length;
  const moved = meanMs * Math.exp(QUANTILE_STEP * (0.05 * delaysMs.length - late));
  return Math.min(Math.max(moved, p95Ms / 12), p95Ms / 2);
}
