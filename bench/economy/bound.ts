/**
 * The least that a workload can cost: probes of a hundred by its true rates, and every post in a
 * full page. Pure.
 */
import { BATCH_SIZE } from "../../src/model/batch.ts";
import { ITEMS_PER_PAGE } from "../../src/plan/polls/feed-pages.ts";
import { sum } from "../../src/plan/sum.ts";

const DAY_MS = 86_400_000;
const STEPS = 60;

/** Requests a day; `rates` in posts a day, one an account. */
export const boundOf = (rates: readonly number[], meanMs: number, maxMs: number): number =>
  checksPerDay(rates, meanMs, maxMs) / BATCH_SIZE + sum(rates, (rate) => rate) / ITEMS_PER_PAGE;

/**
 * Requests a day of even ticks that report all news of a tick in it: a probe for every hundred
 * accounts, and a search where somebody posted.
 */
export const leastOfTicks = (accounts: number, intervalMs: number, ticksWithNews: number): number =>
  Math.ceil(accounts / BATCH_SIZE) * (DAY_MS / intervalMs) + ticksWithNews;

/**
 * The fewest checks of accounts for a mean delay over all posts, when rates stand still: intervals
 * as 1/sqrt(rate), nobody waits longer than `maxMs`.
 */
export function checksPerDay(rates: readonly number[], meanMs: number, maxMs: number): number {
  const total = sum(rates, (rate) => rate);
  if (total === 0) return (rates.length * DAY_MS) / maxMs;
  const intervalsOf = (k: number) =>
    rates.map((rate) => Math.min(maxMs, rate > 0 ? k / Math.sqrt(rate / DAY_MS) : maxMs));
  let [low, high] = [0, maxMs * Math.sqrt(Math.max(...rates) / DAY_MS)];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    const delayMs = sum(intervalsOf(middle), (ms, index) => (ms / 2) * (rates[index] ?? 0)) / total;
    if (delayMs > meanMs) high = middle;
    else low = middle;
  }
  return sum(intervalsOf(low), (ms) => DAY_MS / Math.max(ms, 1));
}
