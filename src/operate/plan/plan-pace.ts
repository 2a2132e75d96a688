/** Describes how much slower than planned a running daemon polls each watch at present. */
import { isSlowed, NO_SLOW_DOWN } from "../../budget/slow-down.ts";
import type { Watch } from "../../model/watch.ts";
import type { Forecast } from "../../forecast/forecast.ts";
import { round } from "./plan-changes.ts";

export interface PaceView {
  /**
   * Whether the next runs are known exactly. They are not if the watch has a `freshness`, because
   * the result of each poll decides when the next one runs, and not while `stretch` is above 1.
   */
  readonly next_runs_exact: boolean;
  /**
   * How many times slower a running daemon polls the watch now because the quota is short; 1 if it
   * is not slowed down, or if no daemon runs.
   */
  readonly stretch: number;
}

/**
 * Returns the slow-down factor of each watch, by its id: the largest factor of its polls. A poll
 * that several watches share has the priority of the most urgent one.
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
