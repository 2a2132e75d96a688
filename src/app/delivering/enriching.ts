/**
 * Connects the enricher with the rest of the daemon: with the endpoints of the active
 * configuration, with the routing of enriched events, and with the events that wake it.
 */
import type { Config } from "../../config/config.ts";
import { createAsk } from "../../enrich/ask.ts";
import { createEnricher, type Enricher } from "../../enrich/enricher.ts";
import type { Meter } from "../../model/meter.ts";
import type { Store } from "../../model/store.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import type { Delivering } from "./delivering.ts";

export interface EnrichingParts {
  readonly delivering: Pick<Delivering, "active" | "config" | "delivery" | "opsAlerts">;
  readonly store: Store;
  readonly meter: Meter;
  readonly events: DaemonEvents;
  readonly deps: Pick<DaemonDeps, "clock" | "random" | "log" | "http" | "outputs" | "addSecret">;
}

export interface Enriching extends Pick<Enricher, "failing"> {
  /**
   * Starts enrichment and returns a function that stops it. Must be called after the active watches
   * are known, because they name the endpoints.
   */
  start(): () => Promise<void>;
}

export function createEnriching({
  delivering,
  store,
  meter,
  events,
  deps,
}: EnrichingParts): Enriching {
  const { clock, random, log, http, outputs, addSecret } = deps;
  const { active, config, delivery, opsAlerts } = delivering;
  const keepSecrets = () => secretsIn(config()).forEach(addSecret);
  const enricher = createEnricher({
    ...{ store, clock, random, log, meter, opsAlerts },
    ask: createAsk({ http, outputs, clock }),
    ruleOf: active.enrichOf,
    route: active.routeEnriched,
    onStored: () => delivery().pump.wake(),
  });
  return {
    failing: enricher.failing,
    start() {
      keepSecrets();
      events.on("committed", () => enricher.wake());
      events.on("storeRecovered", () => enricher.wake());
      events.on("activated", () => {
        keepSecrets();
        enricher.renew();
      });
      // An earlier process may have left events waiting.
      enricher.wake();
      return () => enricher.stop();
    },
  };
}

/**
 * Matches the names of headers that hold credentials. The values of other headers may be ordinary
 * words.
 */
const SECRET_HEADER = /auth|cookie|key|secret|token/i;

const secretsIn = ({ watches }: Pick<Config, "watches">): readonly string[] =>
  watches.flatMap(({ enrich }) =>
    enrich?.via.kind === "url"
      ? Object.entries(enrich.via.headers).flatMap(([name, value]) =>
          SECRET_HEADER.test(name) ? [value] : [],
        )
      : [],
  );
