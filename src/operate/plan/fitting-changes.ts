/**
 * Finds changes of the configuration that make a plan fit its quota. Offers only changes that pass
 * the checks of the configuration.
 */
import { spendingLimit } from "../../budget/spending-limit.ts";
import type { Config } from "../../config/config.ts";
import { DEFAULTS } from "../../config/defaults.ts";
import { type Change, findChanges } from "../../forecast/advice/cheaper.ts";
import type { Replanner } from "../../forecast/advice/fit.ts";
import type { Forecast } from "../../forecast/forecast.ts";
import { parseDuration } from "../../model/duration.ts";
import type { Watch } from "../../model/watch.ts";

export interface FitQuery extends Pick<Replanner, "replan" | "intervalMs"> {
  /** The limit in requests a month; null if it is unknown. */
  readonly limit: number | null;
}

/** A placeholder for the id of a list; no real list has it. */
const SOME_LIST = "0";

/**
 * Returns the watch as if it read its accounts through a list. The settings for reading accounts
 * one by one do not apply to it.
 */
function throughList(watch: Watch, everyMs: number): Watch {
  const { strategy: _, fullPollEveryMs: __, settings, ...rest } = watch;
  const timing = { kind: "schedule", schedule: { kind: "every", intervalMs: everyMs } } as const;
  return { ...rest, settings: { ...(settings as object), via_list: SOME_LIST }, timing };
}

const USUAL_MAX_AGE_MS = parseDuration(DEFAULTS.watch.max_age) ?? 0;

/**
 * Returns the longest interval that the configuration accepts for each watch. A default `max_age`
 * does not limit the interval, because the default grows with the schedule.
 */
function slowestIn({ state }: Config): (watch: Watch) => number {
  return ({ maxAgeMs, spike, noEventsForMs }) => {
    const allowed = [
      maxAgeMs === USUAL_MAX_AGE_MS ? state.retentionMs : maxAgeMs,
      noEventsForMs ?? Number.POSITIVE_INFINITY,
    ];
    return Math.floor(
      Math.min(Math.min(...allowed) / 2, spike?.windowMs ?? Number.POSITIVE_INFINITY),
    );
  };
}

/**
 * Finds changes that make the plan fit into the quota without the reserve, which scheduled polls
 * may not use. If there are none, finds changes that make it fit with the reserve.
 */
export function changesThatFit(
  forecast: Forecast,
  config: Config,
  { limit, replan, intervalMs }: FitQuery,
): readonly Change[] {
  const { reserve } = config.api.quota;
  const planner: Replanner = { replan, intervalMs, slowestMs: slowestIn(config), throughList };
  const line = spendingLimit({ monthly: limit ?? undefined, reserve, purpose: "poll" });
  if (line === undefined || limit === null) return [];
  const within = findChanges({ before: forecast, limit: line, ...planner });
  return within.length > 0 || line === limit
    ? within
    : findChanges({ before: forecast, limit, ...planner });
}
