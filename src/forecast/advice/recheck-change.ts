/** What a plan would cost if fresh tweets were rechecked less often: the least that fits a quota. Pure: the caller plans again. */
import type { RecheckRule, Watch } from "../../model/watch.ts";
import type { Forecast } from "../forecast.ts";
import { firstThatFits, measure, type Measured, type Replanner, watchesOf } from "./replan.ts";
import { sum } from "../../plan/sum.ts";

export interface RarerRechecks extends Measured {
  readonly watches: readonly { readonly watchId: string; readonly recheck: RecheckRule; readonly requestsPerMonth: number }[];
}

/** The first of these times (ascending) at which the plan fits; undefined where none does, or nothing is rechecked. */
export function rarerRechecksThatFit(
  before: Forecast,
  limit: number,
  timesMs: readonly number[],
  replan: Replanner["replan"],
): RarerRechecks | undefined {
  if (before.rechecks.requestsPerDay === 0) return undefined;
  const found = firstThatFits(timesMs, limit, (everyMs) => replan((watch) => rarerRechecks(watch, everyMs)));
  if (found === undefined) return undefined;
  const { timeMs, after } = found;
  const touched = watchesOf(before).filter((watch) => rarerRechecks(watch, timeMs) !== watch);
  const watches = touched.flatMap((watch) => {
    const { id, recheck } = rarerRechecks(watch, timeMs);
    return recheck === undefined ? [] : [{ watchId: id, recheck, requestsPerMonth: after.watches.get(id)?.requestsPerMonth ?? 0 }];
  });
  // A recheck comes so much later on average as the watch's polls would.
  const lossMs = sum(touched, (watch) => ((rarerRechecks(watch, timeMs).recheck?.everyMs ?? 0) - (watch.recheck?.everyMs ?? 0)) / 2);
  return { watches, ...measure(before, after, touched), lossMs };
}

/** The watch itself where it rechecks no more often than that. A tweet is rechecked once at least. */
export function rarerRechecks(watch: Watch, wantedMs: number): Watch {
  const { recheck } = watch;
  const everyMs = Math.min(wantedMs, recheck?.untilMs ?? 0);
  return recheck === undefined || recheck.everyMs >= everyMs ? watch : { ...watch, recheck: { ...recheck, everyMs } };
}
