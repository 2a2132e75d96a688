/**
 * Alerts of a replay that wait for the answer to their enrichment. Each is routed at the time at
 * which the daemon routed it: a silence that began meanwhile holds for it, and a throttle counts it
 * then.
 */
import type { Clock } from "../../model/clock.ts";
import { ENRICH_LABEL } from "../../model/enrichment.ts";
import { ownValue } from "../../model/own-value.ts";
import type { NewEnrichment } from "../../model/poll-store.ts";
import type { Store } from "../../model/store.ts";
import type { Routing } from "../../operate/alerts/routing.ts";
import type { EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";

export interface WaitingAlert {
  /** The alert with its answer. */
  readonly evaluated: EvaluatedEvent;
  readonly gatherMs: number;
  readonly routedAtMs: number;
}

interface WaitingDeps {
  readonly store: Pick<Store, "storeEnrichments">;
  readonly clock: Pick<Clock, "now">;
  readonly routing: Routing;
  wakeDelivery(): void;
}

export class WaitingAlerts {
  readonly #deps: WaitingDeps;
  /** The alerts by their times, those of one time in the order in which they were found. */
  #waiting: readonly WaitingAlert[] = [];

  constructor(deps: WaitingDeps) {
    this.#deps = deps;
  }

  /** When the next alert is routed; infinite if none waits. */
  get nextAtMs(): number {
    return this.#waiting[0]?.routedAtMs ?? Number.POSITIVE_INFINITY;
  }

  add(alerts: readonly WaitingAlert[]): void {
    if (alerts.length === 0) return;
    this.#waiting = [...this.#waiting, ...alerts].sort((a, b) => a.routedAtMs - b.routedAtMs);
  }

  /** Routes the alerts whose answers came until `untilMs`. */
  async route(untilMs: number): Promise<void> {
    const answered = this.#waiting.filter(({ routedAtMs }) => routedAtMs <= untilMs);
    if (answered.length === 0) return;
    this.#waiting = this.#waiting.slice(answered.length);
    const { store, clock, routing, wakeDelivery } = this.#deps;
    const nowMs = clock.now();
    await store.storeEnrichments({
      atMs: nowMs,
      enriched: answered.map(({ evaluated, gatherMs }) => ({
        event: evaluated.event,
        deliveries: routing.routeOf(evaluated, nowMs, gatherMs),
        result: ownValue(evaluated.event.labels, ENRICH_LABEL) === "failed" ? "failed" : "ok",
        ...{ error: "", attempts: 1 },
      })),
      postponed: [],
    });
    wakeDelivery();
  }
}

/** Returns what the state stores of an alert that waits. */
export const enrichmentOf = ({ event, ownSinks }: EvaluatedEvent): NewEnrichment => ({
  eventId: event.id,
  watchKey: event.watchKey,
  ownSinks,
});
