/**
 * Plans with changed watches: the least of a kind of change that fits a quota, what it costs, and
 * what it makes worse. Pure: the caller plans again.
 */
import type { Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { sum } from "../../plan/sum.ts";
import { type Forecast, slowestDelay } from "../forecast.ts";

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
export interface Goal extends Replanner {
  readonly before: Forecast;
  /** Requests a month. */
  readonly limit: number;
}

/** What watches could be changed to. */
export interface Option {
  readonly watches: readonly Watch[];
  /** Times to try, ascending; the later, the cheaper. */
  readonly timesMs: readonly number[];
  /** The watch as it is then; itself where that changes nothing. */
  readonly change: (watch: Watch, timeMs: number) => Watch;
}

export interface Fit {
  readonly everyMs: number;
  /** Those that it changes, as they are then. */
  readonly watches: readonly {
    readonly watchId: string;
    readonly timing: Timing;
    readonly requestsPerMonth: number;
  }[];
  readonly requestsPerMonth: number;
  /** Of the slowest watch it changes. */
  readonly delay: Delay;
  /** What it makes worse, summed over targets: the cheapest change is the one with least. */
  readonly lossMs: number;
}

export const watchesOf = ({ polls }: Pick<Forecast, "polls">): readonly Watch[] => [
  ...new Map(
    polls.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => [watch.id, watch] as const)),
  ).values(),
];

/** At the first time at which the plan fits; undefined where none does. */
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
