/**
 * Finds the watches of the active configuration by their keys. A poll that began before a reload
 * still contains the old watch, but its events must be routed with the watch's current name and
 * sinks.
 */
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { WaitingEvent } from "../../model/enrichment.ts";
import { underName } from "../../model/event.ts";
import type { EnrichRule, Watch } from "../../model/watch.ts";
import { gatherMs as shortestGatherMs } from "../../polling/evaluate/absence.ts";
import type {
  EvaluatedEvent,
  RoutedEvent,
  RouteEvaluated,
} from "../../polling/evaluate/verdicts.ts";
import { isVolumeEvent } from "../../render/messages/volume-message.ts";
import type { PresentWatch, Routing } from "./routing.ts";

export interface ActiveWatches {
  set(watches: readonly EngineWatch[]): void;
  /**
   * Routes an event with the current name and sinks of its watch, or with the event's own if the
   * watch is gone. An event that is to be enriched is routed only after its enrichment.
   */
  readonly route: RouteEvaluated;
  /** Routes an event that has waited for its enrichment. */
  routeEnriched(waiting: WaitingEvent, nowMs: number): RoutedEvent;
  /** Returns undefined if the watch is gone or has no enrichment. */
  enrichOf(watchKey: string): EnrichRule | undefined;
  /** Returns the current name and sinks of a watch; undefined if the watch is gone. */
  watchOf(watchKey: string): PresentWatch | undefined;
}

export function createActiveWatches(routing: () => Pick<Routing, "routeOf">): ActiveWatches {
  let byKey: ReadonlyMap<string, Watch> = new Map();
  const update = (evaluated: EvaluatedEvent): EvaluatedEvent => {
    const { event } = evaluated;
    const watch = byKey.get(event.watchKey);
    if (watch === undefined) return evaluated;
    return { ...evaluated, event: underName(event, watch.id), ownSinks: watch.sinks };
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
    watchOf: (watchKey) => byKey.get(watchKey),
    route(evaluated, nowMs, gatherMs) {
      const now = update(evaluated);
      const { event, ownSinks, isMissed, isBackfilled = false } = now;
      // Events about the volume of a watch have no content that an enrichment could add to.
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
