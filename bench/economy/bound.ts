/**
 * The lowest cost that a workload can have: probes of a hundred accounts by their true rates, and
 * every post in a full page. Pure.
 */
import { BATCH_SIZE } from "../../src/model/batch.ts";
import { ITEMS_PER_PAGE } from "../../src/plan/polls/feed-pages.ts";
import { sum } from "../../src/plan/sum.ts";

const DAY_MS = 86_400_000;
const STEPS = 60;

/** Returns requests per day. `rates` has one entry per account, in posts per day. */
export const boundOf = (rates: readonly number[], meanMs: number, maxMs: number): number =>
  checksPerDay(rates, meanMs, maxMs) / BATCH_SIZE + sum(rates, (rate) => rate) / ITEMS_PER_PAGE;

/**
 * Returns the requests per day of a schedule with even ticks that reports all news of each tick:
 * one probe for every hundred accounts, and one search where somebody posted.
 */
export const leastOfTicks = (accounts: number, intervalMs: number, ticksWithNews: number): number =>
  Math.ceil(accounts / BATCH_SIZE) * (DAY_MS / intervalMs) + ticksWithNews;

/**
 * Returns the fewest checks of accounts that reach a mean delay over all posts when rates are
 * constant. Intervals go by 1/sqrt(rate), and no account waits longer than `maxMs`.
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
