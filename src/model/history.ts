/** The storage port for the history of items, events and deliveries. */
import type { EditHistory } from "./edit.ts";
import type { Escalation } from "./escalation.ts";
import type { ChirpEvent, Verdict } from "./event.ts";
import type { Mark } from "./mark.ts";
import type { RoutedPlace } from "./routed-place.ts";
import type { Wait } from "./waiting.ts";

/**
 * The states of a delivery. Some need an explanation:
 * - `deleted`: the post was deleted before the alert was sent.
 * - `summarised`: a digest counted the alert and did not list it.
 * - `sealed`: its message is being sent.
 * - `published`, `not_published`: the states of crossposts.
 * - `not_enriched`: the event was sent without its enrichment.
 */
export const DELIVERY_STATES = [
  ...([
    "waiting",
    "held",
    "sealed",
    "sent",
    "summarised",
    "dead",
    "muted",
    "silenced",
    "deleted",
    "duplicate",
  ] as const),
  ...(["published", "not_published", "not_enriched"] as const),
] as const;
export type DeliveryOutcome = (typeof DELIVERY_STATES)[number];

export interface DeliveryHistory {
  /**
   * The name of the sink; `<name> crosspost` for the crosspost of its message; `enrichment` for
   * what happens before all sinks.
   */
  readonly sink: string;
  readonly state: DeliveryOutcome;
  readonly messageId: string | null;
  readonly attempts: number;
  readonly sentAtMs: number | null;
  readonly ref: string | null;
  readonly detail: string;
  /** Why the delivery waits; null if it does not wait. */
  readonly wait: Wait | null;
}

/** A delivery with the reasons for its sink and the result of each attempt. */
export interface DeliveryPath extends DeliveryHistory {
  /**
   * The group key from routing: JSON of route, sink and label values, a digest's key, or the
   * event's own id. Empty for a crosspost and for what happens before all sinks.
   */
  readonly groupKey: string;
  /** The key of the throttle that counts the delivery; null if none does. */
  readonly throttleKey: string | null;
  /**
   * The id of the silence that holds the delivery back, or did until it was sent again; null if
   * there was none.
   */
  readonly silencedBy: string | null;
  /** When an operator last sent the alert again, in epoch ms; null if never. */
  readonly replayedAtMs: number | null;
  /**
   * The id of the event into whose delivery this one was merged; null if it was merged into none.
   */
  readonly joinedEventId: string | null;
  /** The sink's own id of the channel of its message; null if the sink did not name one. */
  readonly channel: string | null;
  /** The newest failures of its message. */
  readonly failures: readonly { readonly atMs: number; readonly error: string }[];
  /** The newest edit of its message; null if none was ever wanted. */
  readonly edit: EditHistory | null;
  /** Why the alert was routed to its sink; null if that was not stored. */
  readonly routed: RoutedPlace | null;
  /** The place of its message in a thread or a list of several messages; null if it is in none. */
  readonly thread: ThreadPlace | null;
  /**
   * The template that rendered the alert, and the error if that failed; null if there was no
   * template.
   */
  readonly wording: { readonly template: string; readonly error: string | null } | null;
  /**
   * The repeats of an alert about a value that is still beyond its threshold. Null if the alert is
   * neither repeated nor followed by a message when the value is back to normal.
   */
  readonly repeat: { readonly count: number; readonly nextAtMs: number | null } | null;
  /** The steps of its escalation; null if it has none. */
  readonly escalation: Pick<Escalation, "plan" | "taken" | "ended" | "dueAtMs"> | null;
}

export interface ThreadPlace {
  /** The first message of the thread. */
  readonly firstMessageId: string;
  readonly isFirst: boolean;
  /** The sink's own id of the first message; null until that was sent. */
  readonly ref: string | null;
}

export interface ItemHistory {
  readonly watch: string;
  readonly target: string;
  readonly itemId: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly occurredAtMs: number;
  readonly seenAtMs: number;
  readonly event?: ChirpEvent;
  /** The person who acknowledged the event; absent if the event is not acknowledged at present. */
  readonly acknowledged?: Mark;
  readonly deliveries: readonly DeliveryPath[];
}

/**
 * A query for events. All its conditions must hold. An event matches if it was detected at or after
 * `sinceMs` and before `untilMs`.
 */
export interface EventQuery {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** The ids of the watches. */
  readonly watches?: readonly string[] | undefined;
  /** Whether the daemon's own events are left out. */
  readonly onlyAlerts?: boolean;
  /** The author of the posts, by handle or id. */
  readonly author?: string;
  /** A text that occurs anywhere in the event, ignoring the case of the letters A to Z. */
  readonly text?: string;
  /** A state that at least one of its deliveries has. */
  readonly state?: DeliveryOutcome;
  /** A sink that at least one of its deliveries went to; the same one if `state` is given too. */
  readonly sink?: string;
  /** Whether the event must be acknowledged, or must not be. */
  readonly isAcknowledged?: boolean;
  /** Whether the event must be marked as not relevant, or must not be. */
  readonly isNotRelevant?: boolean;
  readonly limit: number;
  /** About how many events are examined at most; the store's own bound if it is absent. */
  readonly mostExamined?: number;
  /** The `next` of the previous page; absent for the first page. */
  readonly before?: string | undefined;
}

export interface EventRecord {
  readonly event: ChirpEvent;
  readonly deliveries: readonly DeliveryHistory[];
  /** The person who acknowledged the event; absent if the event is not acknowledged at present. */
  readonly acknowledged?: Mark;
  /** The person who marked it as not relevant; absent if nobody did, or if that was undone. */
  readonly notRelevant?: Mark;
}

export interface EventPage {
  /** The events, newest first. */
  readonly events: readonly EventRecord[];
  /**
   * The `before` of the next page; null at the end of the search. A page may have fewer events than
   * its limit, or none, although there is a next one.
   */
  readonly next: string | null;
  /** The time of the oldest event that was examined; absent at the end of the search. */
  readonly searchedToMs?: number;
}

/** The alerts in a message; empty for a message about the channel itself. */
export interface MessageAlerts {
  readonly messageId: string;
  readonly sink: string;
  readonly alerts: readonly { readonly id: string; readonly watch: string }[];
}

/** A failed attempt to send a message. */
export interface RefusedAttempt {
  readonly messageId: string;
  readonly atMs: number;
  /** What the sink answered, or why there was no answer. */
  readonly error: string;
}

export interface LabelsPage {
  readonly events: readonly Pick<ChirpEvent, "watchType" | "labels">[];
  /** The `before` of the next page; null at the end. */
  readonly next: string | null;
}

export interface History {
  /** Returns every verdict on an item id, over all watches. */
  explainItem(itemId: string): Promise<readonly ItemHistory[]>;
  /** Returns the verdicts that led to an event; none if the state has no such event. */
  explainEvent(eventId: string): Promise<readonly ItemHistory[]>;
  /** Returns the newest events, newest first. */
  recentEvents(limit: number): Promise<readonly ChirpEvent[]>;
  /** Returns the newest events with their deliveries. */
  recentRecords(limit: number): Promise<readonly EventRecord[]>;
  /** Searches events. Reads a bounded part of the state, so long searches take several pages. */
  findEvents(query: EventQuery): Promise<EventPage>;
  /**
   * Returns the labels of the events that were found since a time, a bounded part at a time.
   * `before` is the `next` of the previous page.
   */
  labelsSince(sinceMs: number, before?: string): Promise<LabelsPage>;
  /** Returns the last failed attempts of messages that the sink has not taken, newest first. */
  lastRefusals(sink: string, limit: number): Promise<readonly RefusedAttempt[]>;
  /** Returns the alerts of these messages, as far as they are still stored. */
  alertsOfMessages(messageIds: readonly string[]): Promise<readonly MessageAlerts[]>;
  /**
   * Returns the user id that a handle had when it was last seen in an event, a target or a member
   * list; null if it never was.
   */
  userIdOfHandle(handle: string): Promise<string | null>;
}
