/** The tables of the outbox: deliveries, messages, attempts, and the state of each. */

/**
 * The state of a delivery.
 * - `sealed`: sealed into a message, whose row says what became of it.
 * - `summarised`: its message counts it and does not list it.
 * - `muted`: dropped by a mute.
 * - `silenced`: a silence holds it back until an operator sends it.
 * - `deleted`: its post was known to be gone before it was sent.
 * - `merged`: it joined another delivery.
 */
export type DeliveryState =
  | "waiting"
  | "sealed"
  | "summarised"
  | "muted"
  | "silenced"
  | "deleted"
  | "duplicate"
  | "merged";

export interface DeliveriesTable {
  id: number;
  event_id: string;
  sink: string;
  group_key: string;
  /** 0 if the event is a group of its own. */
  grouped: number;
  not_before: number;
  /** The time interval that holds it back until `not_before`; null if none does. */
  held_by: string | null;
  once_key: string | null;
  throttle_key: string | null;
  state: DeliveryState;
  detail: string;
  due_at: number;
  created_at: number;
  message_id: string | null;
  joined_id: number | null;
  /** The group in which it was created, if a throttle has moved it into a digest. */
  original_group_key: string | null;
  /** The silence that holds it back, or that did until it was sent again. */
  silenced_by: string | null;
  /** When an operator last sent it again. No silence holds it back after that. */
  replayed_at: number | null;
  /** The template of its route; null for the sink's template. */
  template: string | null;
  /** JSON: why it goes to this sink; null in rows from before this was stored. */
  routed: string | null;
  /** The template that should have rendered it in its message; null if there is none. */
  worded_by: string | null;
  /** Why that template failed and the default was sent instead. */
  wording_error: string | null;
  /**
   * The latest alert on the same subject that was still on its way when this one was created. It is
   * sent first.
   */
  after_id: number | null;
  /**
   * The alert that this one is a follow-up to; null if it is no follow-up, or the sink had no such
   * alert.
   */
  follows_id: number | null;
  /** JSON: the receivers, of several, that had it before it was sent again; null if none had. */
  taken?: string | null;
}

/** The timers of groups. An event that is a group of its own has none. */
export interface GroupsTable {
  sink: string;
  group_key: string;
  /** Null while nothing waits. */
  due_at: number | null;
  last_sealed_at: number | null;
  /**
   * The `group_interval` of its newest member; null for digests, and in rows from before this was
   * stored.
   */
  interval_ms: number | null;
}

export interface MessagesTable {
  id: string;
  /** The oldest member's delivery id. Messages of one group are sent in this order. */
  seq: number;
  sink: string;
  group_key: string;
  throttle_key: string | null;
  body: string;
  sealed_at: number;
  state: "open" | "sent" | "dead";
  attempts: number;
  first_attempt_at: number | null;
  next_attempt_at: number;
  done_at: number | null;
  ref: string | null;
  /** The sink's own id of the channel, if it has one. */
  channel?: string | null;
  /**
   * The error of the last failed attempt. For a sent message, which of several receivers do not
   * have it.
   */
  error: string;
  /** JSON: the receivers that have it; null if there is only one receiver. */
  taken?: string | null;
  /** The message that it is posted under: the first of its digest or thread. */
  parent_id: string | null;
  /** Why the message was given up (`DeadCause`). Empty while it is open or sent. */
  cause: string;
  /**
   * The type of the sink that its body was rendered for; null in rows from before this was stored.
   */
  sealed_for: string | null;
  /**
   * The time interval that holds it back until `next_attempt_at`, or did before its last attempt;
   * null if none does.
   */
  held_by: string | null;
  /** When the operator was notified that it is dead. */
  reported_at: number | null;
  acknowledged_at: number | null;
}

/** The failed attempts at a message, as far as they are kept. */
export interface AttemptsTable {
  message_id: string;
  at: number;
  error: string;
}

/** Messages that are to be published to the followers of their channel. */
export interface CrosspostsTable {
  message_id: string;
  sink: string;
  /** The sink's own id of the message. */
  ref: string;
  state: "waiting" | "published" | "not_published";
  attempts: number;
  created_at: number;
  next_attempt_at: number;
  done_at: number | null;
  /** When the operator was notified that it was not published. */
  reported_at: number | null;
  error: string;
}

export interface SilencesTable {
  id: number;
  /** JSON: the matchers as written. */
  matchers: string;
  starts_at: number;
  ends_at: number;
  author: string;
  comment: string;
}

export interface SinkHealthTable {
  sink: string;
  breaker: "closed" | "open";
  cause: "destination" | "transient";
  reason: string;
  hint: string;
  opened_at: number | null;
  probe_at: number | null;
  is_reported: number;
  reported_at: number | null;
  gone_from: string | null;
}
