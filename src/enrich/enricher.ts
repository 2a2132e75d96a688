/**
 * Enriches waiting events. The events of each watch are handled separately, so that a slow endpoint
 * of one watch delays no other watch.
 */
import { createInTurn } from "../model/in-turn.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { createCircuit } from "./circuit.ts";
import { Questions, type QuestionsDeps } from "./questions.ts";
import { type EnrichDeps, WatchEnricher } from "./watch-enricher.ts";

export type EnricherDeps = EnrichDeps & Omit<QuestionsDeps, "cache">;

export interface Enricher {
  /** Looks for waiting events and enriches them. Call this when events may be waiting. */
  wake(): void;
  /**
   * Closes the circuits and tries all waiting events again. Call this when another configuration
   * has become active.
   */
  renew(): void;
  /**
   * Returns the watches whose last question got no answer, by their keys, with the time since when
   * questions fail.
   */
  failing(): ReadonlyMap<string, FailingEnrichment>;
  /** Stops enriching. Resolves when no question is under way any more. */
  stop(): Promise<void>;
}

export interface FailingEnrichment {
  readonly sinceMs: number;
  readonly reason: string;
}

export function createEnricher(deps: EnricherDeps): Enricher {
  const { store, clock, random, log } = deps;
  const cache = createAnswerCache(clock);
  const enrichers = new Map<string, WatchEnricher>();
  const inTurn = createInTurn();
  let isStopped = false;
  let isAsked = false;
  const enricherOf = (watchKey: string): WatchEnricher => {
    const known = enrichers.get(watchKey);
    if (known !== undefined) return known;
    const circuit = createCircuit(clock, random);
    const { ask, meter, opsAlerts } = deps;
    const questions = new Questions(watchKey, circuit, {
      ask,
      cache,
      clock,
      log,
      meter,
      opsAlerts,
    });
    const made = new WatchEnricher(watchKey, deps, { circuit, questions });
    enrichers.set(watchKey, made);
    return made;
  };
  const wakeWaiting = async () => {
    isAsked = false;
    if (isStopped) return;
    for (const { watchKey } of await store.enrichmentBacklog()) enricherOf(watchKey).wake();
  };
  return {
    wake() {
      if (isAsked || isStopped) return;
      isAsked = true;
      inTurn(wakeWaiting).catch((error: unknown) =>
        log.warn("events that wait for their enrichment could not be read", { error }),
      );
    },
    renew() {
      for (const one of enrichers.values()) one.renew();
    },
    failing: () =>
      new Map(
        [...enrichers].flatMap(([watchKey, { failing }]) =>
          failing === undefined ? [] : [[watchKey, failing] as const],
        ),
      ),
    async stop() {
      isStopped = true;
      await inTurn(async () => undefined);
      await Promise.all([...enrichers.values()].map((one) => one.stop()));
    },
  };
}
