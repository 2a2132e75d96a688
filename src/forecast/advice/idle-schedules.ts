/** Schedules that outrun their data: slower ones lose nothing, and come before all other changes that make a plan fit. Pure. */
import type { Forecast } from "../forecast.ts";
import { type Replanner, type RetimedWatch, watchesOf } from "./replan.ts";
import { slowed } from "./slower-schedules.ts";
import type { Watch } from "../../model/watch.ts";

export interface CalmPlan {
  readonly forecast: Forecast;
  /** To plan on from there. */
  readonly deps: Replanner;
  /** What was made slower. */
  readonly watches: readonly RetimedWatch[];
}

/** The plan in which no watch asks more often than its data change. */
export function calmPlan(before: Forecast, replanner: Replanner): CalmPlan {
  const useful = new Map<string, number>();
  for (const { poll } of before.polls)
    for (const { watch, type } of poll.subscribers) if (type.dataIntervalMs !== undefined) useful.set(watch.id, type.dataIntervalMs);
  const calm = (watch: Watch): Watch => slowed(watch, useful.get(watch.id) ?? 0, replanner);
  const idle = watchesOf(before).filter((watch) => calm(watch) !== watch);
  if (idle.length === 0) return { forecast: before, deps: replanner, watches: [] };
  const forecast = replanner.replan(calm);
  return {
    forecast,
    deps: { ...replanner, replan: (change) => replanner.replan((watch) => change(calm(watch))) },
    watches: idle.map((watch) => ({
      watchId: watch.id,
      timing: calm(watch).timing,
      requestsPerMonth: forecast.watches.get(watch.id)?.requestsPerMonth ?? 0,
    })),
  };
}
