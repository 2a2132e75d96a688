/** How much slower than planned a running daemon polls each watch now. */
import { isSlowed, NO_SLOW_DOWN } from "../../budget/slow-down.ts";
import type { Watch } from "../../model/watch.ts";
import type { Forecast } from "../../forecast/forecast.ts";
import { round } from "./plan-changes.ts";

export interface PaceView {
  /**
   * False under freshness, where the planner places each run by what the last one found, and while
   * `stretch` is above 1.
   */
  readonly next_runs_exact: boolean;
  /**
   * How many times slower a running daemon polls it now, because the quota is short; 1 where it
   * does not, and where none runs.
   */
  readonly stretch: number;
}

/**
 * By watch id, of the slowest of its polls: what several watches share goes at the pace of the most
 * urgent one.
 */
export function rangesOf({ polls }: Forecast, factors = NO_SLOW_DOWN): ReadonlyMap<string, number> {
  const byWatch = new Map<string, number>();
  for (const { poll } of polls)
    for (const { watch } of poll.subscribers)
      byWatch.set(watch.id, Math.max(byWatch.get(watch.id) ?? 1, factors[poll.priority]));
  return byWatch;
}

export function paceView({ timing }: Watch, factor = 1): PaceView {
  return {
    next_runs_exact: timing.kind === "schedule" && !isSlowed(factor),
    stretch: isSlowed(factor) ? round(factor) : 1,
  };
}
