/** What a plan would cost if its most expensive watches were polled less often, or could find posts later. Pure: the caller plans again. */
import type { Freshness, Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import { mostExpensive } from "../forecast.ts";
import { firstThatFits, type Goal, measure, type Measured, type Replanner, watchesOf } from "./replan.ts";

export interface Retimed extends Measured {
  readonly watches: readonly { readonly watchId: string; readonly timing: Timing; readonly requestsPerMonth: number }[];
}

/** The watch with a later timing; itself where it has another kind of timing, or is as slow already. */
type Retime = (watch: Watch, wantedMs: number, replanner: Replanner) => Watch;

/** How many of the most expensive watches are tried, before all of them. */
const FEW_WATCHES = [1, 2, 3, 5] as const;

/** Of so many watches, each delayed as little as fits the limit: the choice with the smallest loss. Undefined where none fits. */
export function retimedThatFit({ before, limit, timesMs }: Goal, retime: Retime, replanner: Replanner): Retimed | undefined {
  const canChange = new Map(
    watchesOf(before).flatMap((watch) => (retime(watch, Number.POSITIVE_INFINITY, replanner) === watch ? [] : [[watch.id, watch]])),
  );
  const order = mostExpensive(before).filter((id) => canChange.has(id));
  const options = [...FEW_WATCHES.filter((few) => few < order.length), order.length].flatMap((count) => {
    const chosen = new Set(order.slice(0, count));
    const later = (timeMs: number) => (watch: Watch) => (chosen.has(watch.id) ? retime(watch, timeMs, replanner) : watch);
    const found = count === 0 ? undefined : firstThatFits(timesMs, limit, (timeMs) => replanner.replan(later(timeMs)));
    if (found === undefined) return [];
    const { timeMs, after } = found;
    const changed = order.flatMap((id) => canChange.get(id) ?? []).filter((watch) => later(timeMs)(watch) !== watch);
    const watches = changed.map((watch) => ({
      watchId: watch.id,
      timing: later(timeMs)(watch).timing,
      requestsPerMonth: after.watches.get(watch.id)?.requestsPerMonth ?? 0,
    }));
    return [{ watches, ...measure(before, after, changed) }];
  });
  const [first, ...others] = options;
  return first === undefined ? undefined : others.reduce((best, one) => (one.lossMs < best.lossMs ? one : best), first);
}

/** A default `max_age` is raised to twice a long interval. */
export const slowed: Retime = (watch, wantedMs, { intervalMs, slowestMs }) => {
  const everyMs = Math.min(wantedMs, slowestMs(watch));
  if (watch.timing.kind === "freshness" || intervalMs(watch.timing) >= everyMs) return watch;
  const maxAgeMs = everyMs >= watch.maxAgeMs ? 2 * everyMs : watch.maxAgeMs;
  return { ...watch, timing: { kind: "schedule", schedule: { kind: "every", intervalMs: everyMs } }, maxAgeMs };
};

/** `max` is at least this multiple of the mean, so that probes can request quiet accounts less often. */
const LEAST_ROOM = 4;

export const loosened: Retime = (watch, wantedMs, { slowestMs }) => {
  if (watch.timing.kind === "schedule") return watch;
  const { freshness } = watch.timing;
  const atLeastMs = Math.min(wantedMs, Math.floor(slowestMs(watch) / 2));
  if ((freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms) >= atLeastMs) return watch;
  const looser: Freshness =
    freshness.kind === "p95"
      ? { kind: "p95", p95Ms: atLeastMs }
      : { kind: "mean", meanMs: atLeastMs, maxMs: Math.max(freshness.maxMs, LEAST_ROOM * atLeastMs) };
  return { ...watch, timing: { kind: "freshness", freshness: looser } };
};
