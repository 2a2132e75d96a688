/** What a plan would cost if lists and accounts were read whole less often than somebody wrote: the least that fits a quota. Pure: the caller plans again. */
import type { Watch } from "../../model/watch.ts";
import type { Forecast } from "../forecast.ts";
import { firstThatFits, type Goal, measure, type Measured, type Replanner, watchesOf } from "./replan.ts";

export interface RarerFullPolls extends Measured {
  readonly everyMs: number;
  readonly watchIds: readonly string[];
}

/** The first of these times (ascending) at which the plan fits, well within what each watch still reports; undefined where none does. */
export function rarerFullPollsThatFit({ before, limit, timesMs }: Goal, { replan }: Replanner): RarerFullPolls | undefined {
  const written = watchesOf({ ...before, polls: before.polls.filter(({ poll }) => poll.group?.fullPollEveryMs !== undefined) });
  const longestMs = Math.min(...written.map(({ maxAgeMs }) => maxAgeMs / 2));
  const ids = new Set(written.map(({ id }) => id));
  const isRarer = ({ id, fullPollEveryMs }: Watch, everyMs: number): boolean =>
    ids.has(id) && fullPollEveryMs !== undefined && fullPollEveryMs < everyMs;
  const tried = (everyMs: number): Forecast =>
    replan((watch) => (isRarer(watch, everyMs) ? { ...watch, fullPollEveryMs: everyMs } : watch));
  const allowed = timesMs.filter((everyMs) => everyMs < longestMs && written.some((watch) => isRarer(watch, everyMs)));
  const found = firstThatFits(allowed, limit, tried);
  if (found === undefined) return undefined;
  const { timeMs: everyMs, after } = found;
  const touched = written.filter((watch) => isRarer(watch, everyMs));
  return { everyMs, watchIds: touched.map(({ id }) => id), ...measure(before, after, touched) };
}
