/** What a plan would cost if posts could be found later: the least change to `freshness` that fits a quota. Pure: the caller plans again. */
import type { Freshness } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import type { Forecast } from "../forecast.ts";
import { firstThatFits, measure, type Measured, type Replanner, type RetimedWatch, watchesOf } from "./replan.ts";

export interface LooserFreshness extends Measured {
  readonly kind: "freshness";
  readonly watches: readonly RetimedWatch[];
}

/** `max` keeps this distance from the mean: probes go by what accounts are worth, and need room to. */
const LEAST_ROOM = 4;

/** The first of these times (ascending) at which the plan fits, for the mean, or for the delay of 95 of 100 posts, whichever was asked for. */
export function loosenFreshness(
  before: Forecast,
  limit: number,
  timesMs: readonly number[],
  { replan, slowestMs }: Pick<Replanner, "replan" | "slowestMs">,
): LooserFreshness | undefined {
  const looser = (timeMs: number) => (watch: Watch) => loosened(watch, timeMs, slowestMs);
  const fresh = watchesOf(before).filter((watch) => looser(Number.POSITIVE_INFINITY)(watch) !== watch);
  if (fresh.length === 0) return undefined;
  const found = firstThatFits(timesMs, limit, (timeMs) => replan(looser(timeMs)));
  if (found === undefined) return undefined;
  const { timeMs, after } = found;
  const changed = fresh.filter((watch) => looser(timeMs)(watch) !== watch);
  const watches = changed.map((watch) => ({
    watchId: watch.id,
    timing: looser(timeMs)(watch).timing,
    requestsPerMonth: after.watches.get(watch.id)?.requestsPerMonth ?? 0,
  }));
  return { kind: "freshness", watches, ...measure(before, after, changed) };
}

/** The watch itself where it has a schedule, or asks for no more than that; no looser than looks that are within what else is written of it. */
export function loosened(watch: Watch, wantedMs: number, slowestMs: Replanner["slowestMs"]): Watch {
  if (watch.timing.kind === "schedule") return watch;
  const { freshness } = watch.timing;
  const atLeastMs = Math.min(wantedMs, Math.floor(slowestMs(watch) / 2));
  if ((freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms) >= atLeastMs) return watch;
  const looser: Freshness =
    freshness.kind === "p95"
      ? { kind: "p95", p95Ms: atLeastMs }
      : { kind: "mean", meanMs: atLeastMs, maxMs: Math.max(freshness.maxMs, LEAST_ROOM * atLeastMs) };
  return { ...watch, timing: { kind: "freshness", freshness: looser } };
}
