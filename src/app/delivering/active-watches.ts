/** Watches by their keys as they are now: a poll that began before a reload knows its own, and its sinks, as they were then. */
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { Watch } from "../../model/watch.ts";
import type { EvaluatedEvent, RouteEvaluated } from "../../polling/evaluate/verdicts.ts";
import type { Routing } from "./routing.ts";

export interface ActiveWatches {
  set(watches: readonly EngineWatch[]): void;
  /** Where an event goes, with the name and the sinks that its watch has now; with its own when the watch is gone. */
  readonly route: RouteEvaluated;
}

export function createActiveWatches(routing: () => Pick<Routing, "routeOf">): ActiveWatches {
  let byKey: ReadonlyMap<string, Watch> = new Map();
  const update = (evaluated: EvaluatedEvent): EvaluatedEvent => {
    const { event } = evaluated;
    const watch = byKey.get(event.watchKey);
    if (watch === undefined) return evaluated;
    const named = { ...event, watch: watch.id, labels: { ...event.labels, watch: watch.id } };
    return { ...evaluated, event: named, ownSinks: watch.sinks };
  };
  return {
    set(watches) {
      byKey = new Map(watches.map(({ watch, state }) => [state.key, watch]));
    },
    route(evaluated, nowMs, gatherMs) {
      const now = update(evaluated);
      return { event: now.event, deliveries: routing().routeOf(now, nowMs, gatherMs) };
    },
  };
}
