/**
 * Finds the smallest change of one kind with which a plan fits its quota, and reports what the plan
 * then costs and how much later items are found. Pure: the caller computes the changed plans.
 */
import type { Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { sum } from "../../plan/sum.ts";
import { type Forecast, slowestDelay } from "../forecast.ts";

export interface Replanner {
  /** Returns the forecast of the plan after `change` was applied to each watch. */
  readonly replan: (change: (watch: Watch) => Watch) => Forecast;
  /** Returns the shortest time between two polls of a timing. */
  readonly intervalMs: (timing: Timing) => number;
  /** Returns the longest interval that the watch's other settings allow. */
  readonly slowestMs: (watch: Watch) => number;
  /** Returns the watch as if its accounts were read through a list of their own. */
  readonly throughList: (watch: Watch, everyMs: number) => Watch;
}

/** The task: make a plan that costs more than `limit` fit. */
export interface Goal extends Replanner {
  readonly before: Forecast;
  /** The maximum number of requests per month. */
  readonly limit: number;
}

/** A kind of change, with the watches to which it may be applied and the times to try for it. */
export interface Option {
  readonly watches: readonly Watch[];
  /** The times to try, in ascending order. A longer time is cheaper. */
  readonly timesMs: readonly number[];
  /** Returns the changed watch, or the watch itself if the time does not change it. */
  readonly change: (watch: Watch, timeMs: number) => Watch;
}

export interface Fit {
  readonly everyMs: number;
  /** The changed watches, with their new timing and cost. */
  readonly watches: readonly {
    readonly watchId: string;
    readonly timing: Timing;
    readonly requestsPerMonth: number;
  }[];
  readonly requestsPerMonth: number;
  /** The delay of the slowest changed watch. */
  readonly delay: Delay;
  /**
   * The additional median delay, summed over all targets. The change with the smallest loss is
   * preferred.
   */
  readonly lossMs: number;
}

export const watchesOf = ({ polls }: Pick<Forecast, "polls">): readonly Watch[] => [
  ...new Map(
    polls.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => [watch.id, watch] as const)),
  ).values(),
];

/**
 * Returns the change with the shortest of the option's times at which the plan fits; undefined if
 * it fits at none of them.
 */
export function fit(
  { before, limit, replan }: Goal,
  { watches, timesMs, change }: Option,
): Fit | undefined {
  const ids = new Set(watches.map(({ id }) => id));
  const changeTo = (timeMs: number) => (watch: Watch) =>
    ids.has(watch.id) ? change(watch, timeMs) : watch;
  let [low, high] = [0, timesMs.length];
  let found: { readonly everyMs: number; readonly after: Forecast } | undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const everyMs = timesMs[middle] ?? 0;
    const after = replan(changeTo(everyMs));
    if (after.requestsPerMonth > limit) low = middle + 1;
    else [high, found] = [middle, { everyMs, after }];
  }
  if (found === undefined) return undefined;
  const { everyMs, after } = found;
  const changed = watches.filter((watch) => changeTo(everyMs)(watch) !== watch);
  const targets = (id: string) =>
    sum(before.polls, ({ poll }) => poll.subscribers.filter(({ watch }) => watch.id === id).length);
  const worseMs = (id: string) =>
    slowestDelay(after, [id]).p50Ms - slowestDelay(before, [id]).p50Ms;
  return {
    everyMs,
    watches: changed.map((watch) => ({
      watchId: watch.id,
      timing: changeTo(everyMs)(watch).timing,
      requestsPerMonth: after.watches.get(watch.id)?.requestsPerMonth ?? 0,
    })),
    requestsPerMonth: after.requestsPerMonth,
    delay: slowestDelay(
      after,
      changed.map(({ id }) => id),
    ),
    lossMs: sum(changed, ({ id }) => worseMs(id) * targets(id)),
  };
}
