/**
 * What a poll is about to commit, gathered over its subscribers: verdicts, events, target changes.
 */
import type { ChirpEvent } from "../../model/event.ts";
import { compareIds } from "../../model/id.ts";
import type {
  ItemVerdict,
  MembersChange,
  NewDelivery,
  NewEnrichment,
  PollCommit,
  TargetChange,
} from "../../model/poll-store.ts";
import type { Recheck } from "../../model/recheck.ts";

export interface SubscriberEvaluation {
  readonly verdicts: readonly ItemVerdict[];
  readonly events: readonly EvaluatedEvent[];
  readonly targets: readonly TargetChange[];
  readonly members?: readonly MembersChange[];
  /**
   * Members that a complete read did not find, and that are not reported as gone before another
   * one.
   */
  readonly awaited?: number;
  /** Fresh tweets to be rechecked. */
  readonly rechecks?: readonly Recheck[];
  /** The answer should have had its record, and had not: someone must ask why. */
  readonly isAbsent?: boolean;
}

/** An event with the sinks its watch names. */
export interface EvaluatedEvent {
  readonly event: ChirpEvent;
  readonly ownSinks: readonly string[];
  /** It came while the watch was away: a chat gets it in a digest. */
  readonly isMissed?: boolean;
  /** A backfill found it: that digest says so. */
  readonly isBackfilled?: boolean;
}

export interface RoutedEvent {
  /** Under the name that its watch has now. */
  readonly event: ChirpEvent;
  /** None while it waits for its enrichment. */
  readonly deliveries: readonly NewDelivery[];
  readonly enrichment?: NewEnrichment;
}

/** What a commit holds of events. */
export const committedOf = (
  routed: readonly RoutedEvent[],
): Pick<PollCommit, "events" | "deliveries" | "enrichments"> => ({
  events: routed.map(({ event }) => event),
  deliveries: routed.flatMap(({ deliveries }) => deliveries),
  enrichments: routed.flatMap(({ enrichment }) => enrichment ?? []),
});

/**
 * Where an event goes, by the active configuration. `gatherMs`: how long a digest of what was
 * missed waits for more of it.
 */
export type RouteEvaluated = (
  evaluated: EvaluatedEvent,
  nowMs: number,
  gatherMs?: number,
) => RoutedEvent;

export const NOTHING: SubscriberEvaluation = { verdicts: [], events: [], targets: [] };

/** Oldest first over all subscribers. */
export function joinEvaluations(
  evaluations: readonly SubscriberEvaluation[],
): SubscriberEvaluation {
  return {
    verdicts: evaluations.flatMap(({ verdicts }) => verdicts),
    events: evaluations
      .flatMap(({ events }) => events)
      .sort((a, b) => byAgeOfEvents(a.event, b.event)),
    targets: evaluations.flatMap(({ targets }) => targets),
    members: evaluations.flatMap(({ members }) => members ?? []),
    rechecks: evaluations.flatMap(({ rechecks }) => rechecks ?? []),
  };
}

/**
 * Tweets by their ids, which say the order even where the service's dates are rounded to seconds or
 * wrong; the rest by time.
 */
export function byAgeOfEvents(a: ChirpEvent, b: ChirpEvent): number {
  if (a.body.tweet !== undefined && b.body.tweet !== undefined)
    return compareIds(a.subject, b.subject);
  return a.occurredAtMs - b.occurredAtMs;
}
