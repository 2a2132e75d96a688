/**
 * What `priority: low` does for a plan over its quota: which watches to make low, and how much slower the daemon then polls what is low.
 * Planned again, as watches of another priority share no requests with those they leave, and what others share stays as urgent as they are.
 * Pure; the daemon's own arithmetic is budget/slow-down.ts's.
 */
import type { Watch } from "../../model/watch.ts";
import { mostExpensive, type Forecast, MONTH_DAYS } from "../forecast.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { fewOrAll, type Replanner, watchesOf } from "./replan.ts";
import { sum } from "../../plan/sum.ts";

export interface LowPriority {
  readonly watchIds: readonly string[];
  /** Whatever is low is polled so much slower. */
  readonly factor: number;
  readonly requestsPerMonth: number;
  /** Of the slowest watch that is low then. */
  readonly delay: Delay;
}

/** Further than that the governor slows nothing down before it turns to the next priority. */
const MAX_SLOW_DOWN = 10;

/** The fewest of the most expensive watches that, made low, let the daemon keep the soft limit by slowing nothing else; undefined where it can already, or not even so. */
export function lowPriorityThatFits(forecast: Forecast, limit: number, replan: Replanner["replan"]): LowPriority | undefined {
  // Low already is enough, or everything low would not be.
  if (slowDownOf(forecast, limit) !== undefined || forecast.requestsPerMonth > MAX_SLOW_DOWN * limit) return undefined;
  const urgent = new Set(watchesOf(forecast).flatMap(({ id, priority }) => (priority === "low" ? [] : [id])));
  const order = mostExpensive(forecast).filter((id) => urgent.has(id));
  for (const count of fewOrAll(order.length)) {
    const watchIds = order.slice(0, count);
    const chosen = new Set(watchIds);
    const after = replan((watch) => (chosen.has(watch.id) ? { ...watch, priority: "low" } : watch));
    const factor = slowDownOf(after, limit);
    if (factor !== undefined) return { watchIds, factor, requestsPerMonth: limit, delay: delayOf(after, factor) };
  }
  return undefined;
}

/** How much slower low priority must go to keep the soft limit; undefined where that is not enough. */
function slowDownOf(forecast: Forecast, limit: number): number | undefined {
  const low = lowPerMonth(forecast);
  const left = limit - (forecast.requestsPerMonth - low);
  return left > 0 && low / left <= MAX_SLOW_DOWN ? Math.max(1, low / left) : undefined;
}

function lowPerMonth(forecast: Forecast): number {
  const polls = sum(forecast.polls, ({ poll, requestsPerDay }) => (poll.priority === "low" ? requestsPerDay : 0));
  const rechecks = sum(lowWatches(forecast), ({ id }) => forecast.rechecks.byWatch.get(id) ?? 0);
  return (polls + rechecks) * MONTH_DAYS;
}

const lowWatches = (forecast: Forecast): readonly Watch[] => watchesOf(forecast).filter(({ priority }) => priority === "low");

function delayOf({ polls }: Forecast, factor: number): Delay {
  const low = polls.filter(({ poll }) => poll.priority === "low");
  return {
    p50Ms: Math.max(0, ...low.map(({ delay }) => delay.p50Ms * factor)),
    p95Ms: Math.max(0, ...low.map(({ delay }) => delay.p95Ms * factor)),
  };
}
