/**
 * Which changes of the configuration would make a plan fit its quota, within what the configuration
 * accepts.
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
  /** Requests a month; null while unknown. */
  readonly limit: number | null;
}

/** No list has this id. */
const SOME_LIST = "0";

/** Settings of how accounts are read one by one do not apply to a list. */
function throughList(watch: Watch, everyMs: number): Watch {
  const { strategy: _, fullPollEveryMs: __, settings, ...rest } = watch;
  const timing = { kind: "schedule", schedule: { kind: "every", intervalMs: everyMs } } as const;
  return { ...rest, settings: { ...(settings as object), via_list: SOME_LIST }, timing };
}

const USUAL_MAX_AGE_MS = parseDuration(DEFAULTS.watch.max_age) ?? 0;

/** A configuration refuses longer intervals; a default `max_age` follows the schedule. */
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

/** Without the reserve, which is not for scheduled polls; with it where nothing else fits. */
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
