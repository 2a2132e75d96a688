/**
 * Schedules made slower, planned again: polls that then fall together share requests, so that arithmetic over the old plan says too much or
 * too little. Where neither slower schedules nor looser freshness are enough, both, with what was written of full polls. Pure: the caller plans.
 */
import type { Timing } from "../../model/schedule.ts";
import type { RecheckRule, Watch } from "../../model/watch.ts";
import { type Forecast, slowestDelay } from "../forecast.ts";
import { loosened } from "./looser-freshness.ts";
import { rarerRechecks } from "./recheck-change.ts";
import { firstThatFits, measure, type Measured, type Replanner, type RetimedWatch, watchesOf } from "./replan.ts";

type SlowingDeps = Omit<Replanner, "throughList">;

/** A watch made later in each way that it can be; what is absent stays as it is. */
export interface LaterWatch {
  readonly watchId: string;
  readonly timing?: Timing;
  readonly fullPollEveryMs?: number;
  readonly recheck?: RecheckRule;
  readonly requestsPerMonth: number;
}

/** The first of these times (ascending), searched for from `startMs` on, at which the plan fits with nothing of these watches polled more often. */
export function slowerSchedules(
  before: Forecast,
  limit: number,
  { ids, startMs, timesMs }: { readonly ids: ReadonlySet<string>; readonly startMs: number; readonly timesMs: readonly number[] },
  deps: SlowingDeps,
): (Measured & { readonly watches: readonly RetimedWatch[] }) | undefined {
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
    const { timing } = slow(watch, everyMs);
    return timing === watch.timing ? [] : [{ watchId: watch.id, timing, requestsPerMonth: requestsOf(after, watch) }];
  });
  const delay = slowestDelay(
    after,
    watches.map(({ watchId }) => watchId),
  );
  return { watches: mostExpensiveFirst(before, watches), ...measure(before, after, touched), delay };
}

/** Everything of everybody at least so late, for the first of these times (ascending) that fits; full polls no more often than every `fullPollEveryMs`. */
export function everythingLater(
  before: Forecast,
  limit: number,
  timesMs: readonly number[],
  deps: SlowingDeps,
): (Measured & { readonly watches: readonly LaterWatch[] }) | undefined {
  const later = (watch: Watch, atLeastMs: number): Watch =>
    rarerRechecks(rarerFullPolls(loosened(slowed(watch, atLeastMs, deps), atLeastMs, deps.slowestMs), timesMs), atLeastMs);
  const found = firstThatFits(timesMs, limit, (timeMs) => deps.replan((watch) => later(watch, timeMs)));
  if (found === undefined) return undefined;
  const { timeMs, after } = found;
  const touched = watchesOf(before).filter((watch) => later(watch, timeMs) !== watch);
  const watches = touched.map((watch): LaterWatch => {
    const { timing, fullPollEveryMs, recheck } = later(watch, timeMs);
    return {
      watchId: watch.id,
      ...(timing === watch.timing ? {} : { timing }),
      ...(fullPollEveryMs === undefined || fullPollEveryMs === watch.fullPollEveryMs ? {} : { fullPollEveryMs }),
      ...(recheck === undefined || recheck === watch.recheck ? {} : { recheck }),
      requestsPerMonth: requestsOf(after, watch),
    };
  });
  return { watches: mostExpensiveFirst(before, watches), ...measure(before, after, touched) };
}

/** The watch itself where it asks for freshness, or is slow enough. A `max_age` that nobody wrote keeps to twice a long interval. */
export function slowed(watch: Watch, wantedMs: number, { intervalMs, slowestMs }: Pick<Replanner, "intervalMs" | "slowestMs">): Watch {
  const everyMs = Math.min(wantedMs, slowestMs(watch));
  if (watch.timing.kind === "freshness" || intervalMs(watch.timing) >= everyMs) return watch;
  const maxAgeMs = everyMs >= watch.maxAgeMs ? 2 * everyMs : watch.maxAgeMs;
  return { ...watch, timing: { kind: "schedule", schedule: { kind: "every", intervalMs: everyMs } }, maxAgeMs };
}

/** As rarely as `max_age` allows, where somebody wrote how often. */
function rarerFullPolls(watch: Watch, timesMs: readonly number[]): Watch {
  const rarestMs = timesMs.findLast((timeMs) => timeMs < watch.maxAgeMs / 2);
  if (watch.fullPollEveryMs === undefined || rarestMs === undefined || rarestMs <= watch.fullPollEveryMs) return watch;
  return { ...watch, fullPollEveryMs: rarestMs };
}

const requestsOf = (forecast: Forecast, { id }: Watch): number => forecast.watches.get(id)?.requestsPerMonth ?? 0;

const mostExpensiveFirst = <T extends { readonly watchId: string }>(before: Forecast, watches: readonly T[]): readonly T[] => {
  const costOf = ({ watchId }: T): number => before.watches.get(watchId)?.requestsPerDay ?? 0;
  return [...watches].sort((a, b) => costOf(b) - costOf(a));
};
