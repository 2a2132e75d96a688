/**
 * The storage port for events that wait for an endpoint or program to enrich them. Times are epoch
 * ms.
 */
import type { ChirpEvent } from "./event.ts";
import type { NewDelivery, NewEnrichment } from "./poll-store.ts";

/**
 * Whether an event was enriched or was sent without enrichment. This is the value of the label
 * `enrich`.
 */
export type EnrichResult = "ok" | "failed";

/**
 * The label that an event has once it is enriched, in addition to those that its watch declares.
 */
export const ENRICH_LABEL = "enrich";

export interface WaitingEvent extends Omit<NewEnrichment, "eventId"> {
  readonly event: ChirpEvent;
  readonly sinceMs: number;
  readonly attempts: number;
  /** The error of the last attempt; "" before the first. */
  readonly error: string;
}

/** The events of one watch that wait for their enrichment. */
export interface EnrichmentBacklog {
  readonly watchKey: string;
  readonly waiting: number;
  readonly oldestAtMs: number;
  /** When the first waiting event may be tried. */
  readonly nextAtMs: number;
  /** Why the last failed attempt for one of these events failed; "" if none failed. */
  readonly error: string;
}

export interface DueEnrichments {
  readonly watchKey: string;
  /** Events that may be tried by this time are returned. */
  readonly dueAtMs: number;
  readonly limit: number;
}

export interface EnrichedEvent {
  /** The event with its new labels and body, which are stored. */
  readonly event: ChirpEvent;
  readonly deliveries: readonly NewDelivery[];
  readonly result: EnrichResult;
  /** The error; "" if the result is `ok`. */
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
  /** Returns the watches with waiting events, in the order of their keys. */
  enrichmentBacklog(): Promise<readonly EnrichmentBacklog[]>;
  /**
   * Returns waiting events, oldest first. Leaves out those with an older event on the same subject
   * that may not be tried yet.
   */
  dueEnrichments(query: DueEnrichments): Promise<readonly WaitingEvent[]>;
  /**
   * Returns when events were routed after their enrichment, by their ids. An event that waits, was
   * not enriched, or has no delivery left has no entry.
   */
  enrichedAt(eventIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Stores a round. Returns the ids of the events whose deliveries it created; an event that no
   * longer waited gets none.
   */
  storeEnrichments(round: EnrichmentRound): Promise<ReadonlySet<string>>;
}
