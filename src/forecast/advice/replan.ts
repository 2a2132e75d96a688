/** Plans with changed watches: what fits a quota, and what a change costs. Pure: the caller plans again. */
import type { Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import { type Forecast, slowestDelay } from "../forecast.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { sum } from "../../plan/sum.ts";

export interface Replanner {
  /** The forecast of the same watches after each was changed so. */
  readonly replan: (change: (watch: Watch) => Watch) => Forecast;
  /** The shortest time between two polls. */
  readonly intervalMs: (timing: Timing) => number;
  /** The longest interval that the other settings of the watch allow. */
  readonly slowestMs: (watch: Watch) => number;
  /** The watch as it would be if a list of its own held its accounts. */
  readonly throughList: (watch: Watch, everyMs: number) => Watch;
}

/** A plan that costs too much. */
export interface Goal {
  readonly before: Forecast;
  /** Requests a month. */
  readonly limit: number;
  /** Intervals to try, ascending. */
  readonly timesMs: readonly number[];
}

export interface Measured {
  readonly requestsPerMonth: number;
  /** Of the slowest watch it names. */
  readonly delay: Delay;
  /** What it makes worse, summed over targets: the cheapest change is the one with least. */
  readonly lossMs: number;
}

export const watchesOf = ({ polls }: Forecast): readonly Watch[] => [
  ...new Map(polls.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => [watch.id, watch] as const))).values(),
];

/** The first of these times (ascending) at which a plan fits; the later, the cheaper. */
export function firstThatFits(
  timesMs: readonly number[],
  limit: number,
  planAt: (timeMs: number) => Forecast,
): { readonly timeMs: number; readonly after: Forecast } | undefined {
  let [low, high] = [0, timesMs.length];
  let found: { readonly timeMs: number; readonly after: Forecast } | undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const timeMs = timesMs[middle] ?? 0;
    const after = planAt(timeMs);
    if (after.requestsPerMonth <= limit) {
      high = middle;
      found = { timeMs, after };
    } else low = middle + 1;
  }
  return found;
}

/** What the change of these watches costs and delays. */
export function measure(before: Forecast, after: Forecast, watches: readonly Watch[]): Measured {
  const targets = new Map<string, number>();
  for (const { poll } of before.polls) for (const { watch } of poll.subscribers) targets.set(watch.id, (targets.get(watch.id) ?? 0) + 1);
  const worse = ({ id }: Watch): number => slowestDelay(after, [id]).p50Ms - slowestDelay(before, [id]).p50Ms;
  return {
    requestsPerMonth: after.requestsPerMonth,
    delay: slowestDelay(
      after,
      watches.map(({ id }) => id),
    ),
    lossMs: sum(watches, (watch) => worse(watch) * (targets.get(watch.id) ?? 0)),
  };
}
