/** What a plan would cost if posts could be found later: the least change to `freshness` that fits a quota. Pure: the caller plans again. */
import type { Freshness } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";
import { type Delay, type Forecast, slowestDelay } from "./forecast.ts";
import { sum } from "./sum.ts";
import { evenSchedule } from "./wishes.ts";

export interface LooserWatch {
  readonly watchId: string;
  readonly freshness: Freshness;
  readonly requestsPerMonth: number;
}

export interface LooserFreshness {
  readonly kind: "freshness";
  readonly watches: readonly LooserWatch[];
  readonly requestsPerMonth: number;
  /** Of the slowest of them. */
  readonly delay: Delay;
  readonly lossMs: number;
}

/** The forecast of the same watches after each was changed so. */
export type Replan = (change: (watch: Watch) => Watch) => Forecast;

/** The longest interval that what else is written of the watch leaves room for. */
export type SlowestMs = (watch: Watch) => number;

/** `max` keeps this distance from the mean: probes go by what accounts are worth, and need room to. */
const LEAST_ROOM = 4;

/** The first of these times (ascending) at which the plan fits, for the mean, or for the delay of 95 of 100 posts, whichever was asked for. */
export function loosenFreshness(
  before: Forecast,
  limit: number,
  timesMs: readonly number[],
  { replan, slowestMs }: { readonly replan: Replan; readonly slowestMs: SlowestMs },
): LooserFreshness | undefined {
  const fresh = watchesOf(before).filter(({ freshness }) => freshness !== undefined);
  if (fresh.length === 0) return undefined;
  const looser = (timeMs: number) => (watch: Watch) => loosened(watch, timeMs, slowestMs);
  const found = firstThatFits(timesMs, limit, (timeMs) => replan(looser(timeMs)));
  return found === undefined ? undefined : changeOf(before, found.after, fresh, looser(found.timeMs));
}

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

function changeOf(before: Forecast, after: Forecast, fresh: readonly Watch[], looser: (watch: Watch) => Watch): LooserFreshness {
  const changed = fresh.filter((watch) => looser(watch) !== watch);
  const delayOf = (forecast: Forecast, watches: readonly Watch[]): Delay =>
    slowestDelay(
      forecast,
      watches.map(({ id }) => id),
    );
  const targetsOf = ({ id }: Watch): number =>
    sum(before.polls, ({ poll }) => poll.subscribers.filter(({ watch }) => watch.id === id).length);
  return {
    kind: "freshness",
    watches: changed.flatMap((watch) => {
      const { freshness } = looser(watch);
      const requestsPerMonth = after.watches.get(watch.id)?.requestsPerMonth ?? 0;
      return freshness === undefined ? [] : [{ watchId: watch.id, freshness, requestsPerMonth }];
    }),
    requestsPerMonth: after.requestsPerMonth,
    delay: delayOf(after, changed),
    lossMs: sum(changed, (watch) => (delayOf(after, [watch]).p50Ms - delayOf(before, [watch]).p50Ms) * targetsOf(watch)),
  };
}

/** The watch itself where it asks for no more than that; no looser than looks that are within what else is written of it. */
export function loosened(watch: Watch, wantedMs: number, slowestMs: SlowestMs): Watch {
  const { freshness } = watch;
  const atLeastMs = Math.min(wantedMs, Math.floor(slowestMs(watch) / 2));
  if (freshness === undefined || (freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms) >= atLeastMs) return watch;
  const looser: Freshness =
    freshness.kind === "p95"
      ? { kind: "p95", p95Ms: atLeastMs }
      : { kind: "mean", meanMs: atLeastMs, maxMs: Math.max(freshness.maxMs, LEAST_ROOM * atLeastMs) };
  return { ...watch, freshness: looser, schedule: evenSchedule(looser) };
}

export const watchesOf = ({ polls }: Forecast): readonly Watch[] => [
  ...new Map(polls.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => [watch.id, watch] as const))).values(),
];
