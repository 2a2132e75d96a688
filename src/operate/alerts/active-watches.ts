/**
 * Watches by their keys as they are now: a poll that began before a reload knows its own, and its
 * sinks, as they were then.
 */
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { WaitingEvent } from "../../model/enrichment.ts";
import type { EnrichRule, Watch } from "../../model/watch.ts";
import { gatherMs as shortestGatherMs } from "../../polling/evaluate/absence.ts";
import type {
  EvaluatedEvent,
  RoutedEvent,
  RouteEvaluated,
} from "../../polling/evaluate/verdicts.ts";
import { isVolumeEvent } from "../../render/messages/volume-message.ts";
import type { Routing } from "./routing.ts";

export interface ActiveWatches {
  set(watches: readonly EngineWatch[]): void;
  /**
   * Where an event goes, with the name and the sinks that its watch has now; with its own when the
   * watch is gone. One that is enriched waits for that first.
   */
  readonly route: RouteEvaluated;
  /** Where one that waited for its enrichment goes. */
  routeEnriched(waiting: WaitingEvent, nowMs: number): RoutedEvent;
  /** Undefined where the watch is gone, or asks nobody. */
  enrichOf(watchKey: string): EnrichRule | undefined;
  /** The sinks that a watch names; undefined when it is gone. */
  sinksOf(watchKey: string): readonly string[] | undefined;
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
  const routeNow = (
    now: EvaluatedEvent,
    nowMs: number,
    gatherMs: number | undefined,
  ): RoutedEvent => ({
    event: now.event,
    deliveries: routing().routeOf(now, nowMs, gatherMs),
  });
  return {
    set(watches) {
      byKey = new Map(watches.map(({ watch, state }) => [state.key, watch]));
    },
    sinksOf: (watchKey) => byKey.get(watchKey)?.sinks,
    route(evaluated, nowMs, gatherMs) {
      const now = update(evaluated);
      const { event, ownSinks, isMissed, isBackfilled = false } = now;
      // What is about the watch itself says nothing that could be asked about.
      if (byKey.get(event.watchKey)?.enrich === undefined || isVolumeEvent({ event, watches: [] }))
        return routeNow(now, nowMs, gatherMs);
      const missed =
        isMissed === true ? { gatherMs: gatherMs ?? shortestGatherMs(0, true), isBackfilled } : {};
      return {
        event,
        deliveries: [],
        enrichment: { eventId: event.id, watchKey: event.watchKey, ownSinks, ...missed },
      };
    },
    routeEnriched: ({ event, ownSinks, gatherMs, isBackfilled = false }, nowMs) =>
      routeNow(
        update({ event, ownSinks, isMissed: gatherMs !== undefined, isBackfilled }),
        nowMs,
        gatherMs,
      ),
    enrichOf: (watchKey) => byKey.get(watchKey)?.enrich,
  };
}
