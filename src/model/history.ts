/** What became of items and events: the port that finds them. */
import type { EditHistory } from "./edit.ts";
import type { ChirpEvent, Verdict } from "./event.ts";
import type { RoutedPlace } from "./routed-place.ts";
import type { Wait } from "./waiting.ts";

/**
 * What became of a delivery. `deleted`: its post was gone before it was sent. `summarised`: a
 * digest counted it and did not list it. `sealed`: its message is on its way. `published` and
 * `not_published` are those of crossposts, `not_enriched` of an event that went out without its
 * enrichment.
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
   * Name of the sink; `<name> crosspost` for the crosspost of its message; `enrichment` for what
   * comes before all sinks.
   */
  readonly sink: string;
  readonly state: DeliveryOutcome;
  readonly messageId: string | null;
  readonly attempts: number;
  readonly sentAtMs: number | null;
  readonly ref: string | null;
  readonly detail: string;
  /** Why it waits; null when it does not. */
  readonly wait: Wait | null;
}

/** A delivery with what led it to its sink and what became of each attempt. */
export interface DeliveryPath extends DeliveryHistory {
  /**
   * As routing made it: JSON of route, sink and label values; a digest's; or the event's own id.
   * Empty of a crosspost, and of what comes before all sinks.
   */
  readonly groupKey: string;
  /** Of the throttle that counts it; null where none does. */
  readonly throttleKey: string | null;
  /** The silence that holds it back, or did until it was sent again. */
  readonly silencedBy: string | null;
  /** When an operator last had it sent again. */
  readonly replayedAtMs: number | null;
  /** The event whose delivery it joined, or is a duplicate of. */
  readonly joinedEventId: string | null;
  /** The sink's own id of the place where its message stands; null where it did not say. */
  readonly channel: string | null;
  /** Of its message, the newest ones. */
  readonly failures: readonly { readonly atMs: number; readonly error: string }[];
  /** The newest edit of its message; null where none was ever wanted. */
  readonly edit: EditHistory | null;
  /** Why it went to its sink, as it was decided; null where that was not kept. */
  readonly routed: RoutedPlace | null;
  /** Where its message stands in a thread or a list of several; null where it stands by itself. */
  readonly thread: ThreadPlace | null;
  /** The template that was to write it, and why that one did not; null where none was. */
  readonly wording: { readonly template: string; readonly error: string | null } | null;
  /**
   * Of an alert on a value that is still across its threshold; null where it is sent neither again
   * nor once more.
   */
  readonly repeat: { readonly count: number; readonly nextAtMs: number | null } | null;
}

export interface ThreadPlace {
  /** The message that stands first. */
  readonly firstMessageId: string;
  readonly isFirst: boolean;
  /** The sink's own id of the first message; null until it was sent. */
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
  readonly deliveries: readonly DeliveryPath[];
}

/**
 * All that is given must hold. Times are those of detection: from `sinceMs` on, before `untilMs`.
 */
export interface EventQuery {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** The ids of the watches. */
  readonly watches?: readonly string[];
  /** Without what the daemon says about itself. */
  readonly onlyAlerts?: boolean;
  /** A handle or an id. */
  readonly author?: string;
  /** Somewhere in what the event says, in either case of the letters A to Z. */
  readonly text?: string;
  /** Of one of its deliveries at least. */
  readonly state?: DeliveryOutcome;
  readonly limit: number;
  /** `next` of the page before. */
  readonly before?: string;
}

export interface EventRecord {
  readonly event: ChirpEvent;
  readonly deliveries: readonly DeliveryHistory[];
}

export interface EventPage {
  /** Newest first. */
  readonly events: readonly EventRecord[];
  /**
   * Where the search goes on; null at its end. A page may hold fewer events than its limit, or
   * none, and yet have a next one.
   */
  readonly next: string | null;
}

/** What is in a message; empty for one about the channel itself. */
export interface MessageAlerts {
  readonly messageId: string;
  readonly sink: string;
  readonly alerts: readonly { readonly id: string; readonly watch: string }[];
}

export interface LabelsPage {
  readonly events: readonly Pick<ChirpEvent, "watchType" | "labels">[];
  /** Null at the end. */
  readonly next: string | null;
}

export interface History {
  /** Every verdict on an item id, over all watches. */
  explainItem(itemId: string): Promise<readonly ItemHistory[]>;
  /** The newest events, newest first. */
  recentEvents(limit: number): Promise<readonly ChirpEvent[]>;
  /** The same with what became of them. */
  recentRecords(limit: number): Promise<readonly EventRecord[]>;
  /** Reads a bounded part of the state: long searches take several pages. */
  findEvents(query: EventQuery): Promise<EventPage>;
  /**
   * Labels of the events that were found since then, a bounded part of them at a time; `before` is
   * the `next` of the page before.
   */
  labelsSince(sinceMs: number, before?: string): Promise<LabelsPage>;
  /** Those of the messages that are kept. */
  alertsOfMessages(messageIds: readonly string[]): Promise<readonly MessageAlerts[]>;
  /**
   * The user id a handle had when it was last seen in an event, a target or a roster; null when
   * never.
   */
  userIdOfHandle(handle: string): Promise<string | null>;
}
