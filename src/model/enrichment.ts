/** Events that wait for what an endpoint or a program adds to them, as a port. Times epoch ms. */
import type { ChirpEvent } from "./event.ts";
import type { NewDelivery, NewEnrichment } from "./poll-store.ts";

/** What an event was given: `ok`, or passed on without it. The value of the label `enrich`. */
export type EnrichResult = "ok" | "failed";

/** Labels that an event has once it is enriched, beside those that its watch declares. */
export const ENRICH_LABEL = "enrich";

export interface WaitingEvent extends Omit<NewEnrichment, "eventId"> {
  readonly event: ChirpEvent;
  readonly sinceMs: number;
  readonly attempts: number;
  /** Of the last attempt; "" before the first. */
  readonly error: string;
}

/** What waits of one watch. */
export interface EnrichmentBacklog {
  readonly watchKey: string;
  readonly waiting: number;
  readonly oldestAtMs: number;
  /** When the first of them may be asked for. */
  readonly nextAtMs: number;
  /** Why the last attempt of one of them failed; "" when none did. */
  readonly error: string;
}

export interface DueEnrichments {
  readonly watchKey: string;
  /** Those that may be asked for until then. */
  readonly dueAtMs: number;
  readonly limit: number;
}

export interface EnrichedEvent {
  /** As it is now: its labels and its body are stored. */
  readonly event: ChirpEvent;
  readonly deliveries: readonly NewDelivery[];
  readonly result: EnrichResult;
  /** "" where it is `ok`. */
  readonly error: string;
  readonly attempts: number;
}

export interface PostponedEnrichment {
  readonly eventId: string;
  readonly nextAtMs: number;
  readonly attempts: number;
  readonly error: string;
}

export interface EnrichmentRound {
  readonly atMs: number;
  readonly enriched: readonly EnrichedEvent[];
  readonly postponed: readonly PostponedEnrichment[];
}

export interface EnrichmentStore {
  /** Of watches of which something waits, in the order of their keys. */
  enrichmentBacklog(): Promise<readonly EnrichmentBacklog[]>;
  /** Oldest first; none about a subject of which an older one may not be asked for yet. */
  dueEnrichments(query: DueEnrichments): Promise<readonly WaitingEvent[]>;
  /** Ids of the events whose deliveries it created: of those that no longer waited, none are. */
  storeEnrichments(round: EnrichmentRound): Promise<ReadonlySet<string>>;
}
