/** How much slower than planned a running daemon polls each watch now. */
import { isSlowed, NO_SLOW_DOWN } from "../../budget/slow-down.ts";
import type { Watch } from "../../model/watch.ts";
import type { Forecast } from "../../forecast/forecast.ts";
import { round } from "./plan-changes.ts";

export interface PaceView {
  /**
   * False under `freshness`, because each run is then placed by what the last one found, and while
   * `stretch` is above 1.
   */
  readonly next_runs_exact: boolean;
  /**
   * How many times slower a running daemon polls the watch now because the quota is short; 1 if it
   * does not slow it down, or if none runs.
   */
  readonly stretch: number;
}

/**
 * Returns the slow-down factor by watch id: the largest of its polls'. A poll that several watches
 * share has the pace of the most urgent one.
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
