/**
 * The result of evaluating a poll, before it is committed: verdicts, events and changes of targets,
 * for one subscriber or joined for all.
 */
import type { Findings } from "../../model/archive.ts";
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
   * The number of members that a complete read did not find, and that are reported as gone only if
   * the next one does not find them either.
   */
  readonly awaited?: number;
  /** Fresh tweets that are to be rechecked. */
  readonly rechecks?: readonly Recheck[];
  /**
   * Whether the answer lacked the record that it should have had, so that the reason must be looked
   * up.
   */
  readonly isAbsent?: boolean;
  /** What was new to the subscriber before its conditions. Absent if nothing was. */
  readonly found?: Partial<Findings>;
}

/** An event with the sinks that its watch names. */
export interface EvaluatedEvent {
  readonly event: ChirpEvent;
  readonly ownSinks: readonly string[];
  /**
   * Whether chats get it in a digest of missed events, because it happened while its watch was
   * paused, disabled or removed, or because a backfill found it.
   */
  readonly isMissed?: boolean;
  /** Whether a backfill found it. The digest then says so. */
  readonly isBackfilled?: boolean;
}

export interface RoutedEvent {
  /** The event with the current name of its watch. */
  readonly event: ChirpEvent;
  /** Empty while the event waits for its enrichment. */
  readonly deliveries: readonly NewDelivery[];
  readonly enrichment?: NewEnrichment;
}

/** Returns the parts of a commit that concern events. */
export const committedOf = (
  routed: readonly RoutedEvent[],
): Pick<PollCommit, "events" | "deliveries" | "enrichments"> => ({
  events: routed.map(({ event }) => event),
  deliveries: routed.flatMap(({ deliveries }) => deliveries),
  enrichments: routed.flatMap(({ enrichment }) => enrichment ?? []),
});

/**
 * Routes an event by the active configuration. `gatherMs` is how long a digest of missed events
 * waits for more of them.
 */
export type RouteEvaluated = (
  evaluated: EvaluatedEvent,
  nowMs: number,
  gatherMs?: number,
) => RoutedEvent;

export const NOTHING: SubscriberEvaluation = { verdicts: [], events: [], targets: [] };

/** Joins the evaluations of all subscribers, with their events in order, oldest first. */
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
 * Compares events by age: two tweets by their ids, which are in order even if the service's dates
 * are rounded or wrong, and other events by time.
 */
export function byAgeOfEvents(a: ChirpEvent, b: ChirpEvent): number {
  if (a.body.tweet !== undefined && b.body.tweet !== undefined)
    return compareIds(a.subject, b.subject);
  return a.occurredAtMs - b.occurredAtMs;
}
