/**
 * Schedules made slower, planned again: polls that then fall together share requests, so that arithmetic over the old plan says too much or
 * too little. Where neither slower schedules nor looser freshness are enough, both, with what was written of full polls. Pure: the caller plans.
 */
import type { Freshness, Schedule } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";
import { type Delay, type Forecast, slowestDelay } from "./forecast.ts";
import { firstThatFits, loosened, type Replan, type SlowestMs, watchesOf } from "./looser-freshness.ts";
import { sum } from "./sum.ts";

export interface Replanner {
  readonly replan: Replan;
  /** The shortest time between two polls. */
  readonly intervalMs: (schedule: Schedule) => number;
  readonly slowestMs: SlowestMs;
  /** The watch as it would be if a list of its own held its accounts. */
  readonly throughList: (watch: Watch, everyMs: number) => Watch;
}

const FEW_WATCHES = [1, 2, 3, 5] as const;

/** How many of the dearest watches a change is tried on: few before all of them. */
export const fewOrAll = (all: number): readonly number[] => [...FEW_WATCHES.filter((few) => few < all), all];

type SlowingDeps = Omit<Replanner, "throughList">;

export interface SlowedWatch {
  readonly watchId: string;
  /** Its own where that is slow enough: only a sharer of its poll was too fast. */
  readonly schedule: Schedule;
  readonly requestsPerMonth: number;
}

/** A watch made later in each way that it can be; what is absent stays as it is. */
export interface LaterWatch {
  readonly watchId: string;
  readonly schedule?: Schedule;
  readonly freshness?: Freshness;
  readonly fullPollEveryMs?: number;
  readonly requestsPerMonth: number;
}

export interface Measured {
  readonly requestsPerMonth: number;
  /** Of the slowest watch it names; beside others not of those that outran their data. */
  readonly delay: Delay;
  /** What it makes worse, summed over targets: the cheapest change is the one with least. */
  readonly lossMs: number;
}

/** The first of these times (ascending), searched for from `startMs` on, at which the plan fits with nothing of these watches polled more often. */
export function slowerSchedules(
  before: Forecast,
  limit: number,
  { ids, startMs, timesMs }: { readonly ids: ReadonlySet<string>; readonly startMs: number; readonly timesMs: readonly number[] },
  deps: SlowingDeps,
): (Measured & { readonly watches: readonly SlowedWatch[] }) | undefined {
  const slow = (watch: Watch, everyMs: number): Watch => (ids.has(watch.id) ? slowed(watch, everyMs, deps) : watch);
  const at = (index: number): Forecast | undefined => {
    const everyMs = timesMs[index];
    return everyMs === undefined ? undefined : deps.replan((watch) => slow(watch, everyMs));
  };
  const fits = (forecast: Forecast | undefined): forecast is Forecast => forecast !== undefined && forecast.requestsPerMonth <= limit;
  let index = Math.max(0, timesMs.indexOf(startMs));
  let after = at(index);
  if (fits(after)) {
    for (let sooner = at(index - 1); fits(sooner); sooner = at(index - 1)) {
      index -= 1;
      after = sooner;
    }
  } else while (after !== undefined && !fits(after)) after = at(++index);
  const everyMs = timesMs[index];
  if (after === undefined || everyMs === undefined) return undefined;
  const touched = watchesOf(before).filter(({ id }) => ids.has(id));
  // One that is slow enough itself only shared its poll with a faster one.
  const watches = touched.flatMap((watch) => {
    const { schedule } = slow(watch, everyMs);
    return schedule === watch.schedule ? [] : [{ watchId: watch.id, schedule, requestsPerMonth: requestsOf(after, watch) }];
  });
  const delay = slowestDelay(
    after,
    watches.map(({ watchId }) => watchId),
  );
  return { watches: dearestFirst(before, watches), ...measure(before, after, touched), delay };
}

/** Everything of everybody at least so late, for the first of these times (ascending) that fits; full polls no more often than every `fullPollEveryMs`. */
export function everythingLater(
  before: Forecast,
  limit: number,
  timesMs: readonly number[],
  deps: SlowingDeps,
): (Measured & { readonly watches: readonly LaterWatch[] }) | undefined {
  const later = (watch: Watch, atLeastMs: number): Watch =>
    rarerFullPolls(watch.freshness === undefined ? slowed(watch, atLeastMs, deps) : loosened(watch, atLeastMs, deps.slowestMs), timesMs);
  const found = firstThatFits(timesMs, limit, (timeMs) => deps.replan((watch) => later(watch, timeMs)));
  if (found === undefined) return undefined;
  const { timeMs, after } = found;
  const touched = watchesOf(before).filter((watch) => later(watch, timeMs) !== watch);
  const watches = touched.map((watch): LaterWatch => {
    const { freshness, schedule, fullPollEveryMs } = later(watch, timeMs);
    return {
      watchId: watch.id,
      ...(freshness === undefined ? (schedule === watch.schedule ? {} : { schedule }) : freshness === watch.freshness ? {} : { freshness }),
      ...(fullPollEveryMs === undefined || fullPollEveryMs === watch.fullPollEveryMs ? {} : { fullPollEveryMs }),
      requestsPerMonth: requestsOf(after, watch),
    };
  });
  return { watches: dearestFirst(before, watches), ...measure(before, after, touched) };
}

/** The watch itself where it asks for freshness, or is slow enough. A `max_age` that nobody wrote keeps to twice a long interval. */
export function slowed(watch: Watch, wantedMs: number, { intervalMs, slowestMs }: Pick<Replanner, "intervalMs" | "slowestMs">): Watch {
  const everyMs = Math.min(wantedMs, slowestMs(watch));
  if (watch.freshness !== undefined || intervalMs(watch.schedule) >= everyMs) return watch;
  const maxAgeMs = everyMs >= watch.maxAgeMs ? 2 * everyMs : watch.maxAgeMs;
  return { ...watch, schedule: { kind: "every", intervalMs: everyMs }, maxAgeMs };
}

/** As rarely as `max_age` allows, where somebody wrote how often. */
function rarerFullPolls(watch: Watch, timesMs: readonly number[]): Watch {
  const rarestMs = timesMs.findLast((timeMs) => timeMs < watch.maxAgeMs / 2);
  if (watch.fullPollEveryMs === undefined || rarestMs === undefined || rarestMs <= watch.fullPollEveryMs) return watch;
  return { ...watch, fullPollEveryMs: rarestMs };
}

const requestsOf = (forecast: Forecast, { id }: Watch): number => forecast.watches.get(id)?.requestsPerMonth ?? 0;

/** What the change of these watches comes to. */
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

const dearestFirst = <T extends { readonly watchId: string }>(before: Forecast, watches: readonly T[]): readonly T[] => {
  const costOf = ({ watchId }: T): number => before.watches.get(watchId)?.requestsPerDay ?? 0;
  return [...watches].sort((a, b) => costOf(b) - costOf(a));
};
