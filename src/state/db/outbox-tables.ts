/** Tables of the outbox: what goes to which sink, in which message, and how far each has come. */

/**
 * `sealed` covers everything after sealing: the message row knows the rest. `summarised`: its
 * message counts it and does not list it. `merged` joined another delivery. `silenced`: a silence
 * holds it back until an operator sends it. `deleted`: its post was known to be gone before it was
 * sent.
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
  /** 0: the event is its own group. */
  grouped: number;
  not_before: number;
  /** The time interval that holds it back until then; null where none does. */
  held_by: string | null;
  once_key: string | null;
  throttle_key: string | null;
  state: DeliveryState;
  detail: string;
  due_at: number;
  created_at: number;
  message_id: string | null;
  joined_id: number | null;
  /** The group it was created in, where a throttle has moved it into a digest. */
  original_group_key: string | null;
  /** The silence that holds it back, or did until it was sent again. */
  silenced_by: string | null;
  /** When an operator last had it sent again: no silence holds it back after that. */
  replayed_at: number | null;
  /** Its route's own template; null: the sink's. */
  template: string | null;
  /** JSON: why it goes to this sink; null in rows from before that was kept. */
  routed: string | null;
  /** The template that was to write it in its message; null: none. */
  worded_by: string | null;
  /** Why that one did not, and the default was sent. */
  wording_error: string | null;
  /**
   * The latest alert on the same subject that was still on its way when this one came: it goes
   * first.
   */
  after_id: number | null;
  /**
   * The alert that this one is a follow-up to; null where it is none, or the sink had no such
   * alert.
   */
  follows_id: number | null;
  /** JSON: those of several receivers who had it before it was sent again; null: nobody. */
  taken?: string | null;
}

/** Timers of real groups; an event that is its own group has none. */
export interface GroupsTable {
  sink: string;
  group_key: string;
  /** Null while nothing waits. */
  due_at: number | null;
  last_sealed_at: number | null;
  /**
   * `group_interval` of its newest member; null for digests, and in rows from before that was kept.
   */
  interval_ms: number | null;
}

export interface MessagesTable {
  id: string;
  /** The oldest member's delivery id: messages of one group go out in this order. */
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
  /** The sink's own id of the place where it stands, where it names one. */
  channel?: string | null;
  /** Of the last attempt that failed; of a sent one, which of several receivers do not have it. */
  error: string;
  /** JSON: those of several receivers who have it; null where there is one. */
  taken?: string | null;
  /** The message it belongs under: the first of its digest or thread. */
  parent_id: string | null;
  /** Of dead ones: a `DeadCause`; else "". */
  cause: string;
  /** The type of the sink that its body is for; null in rows from before that was kept. */
  sealed_for: string | null;
  /**
   * The time interval that holds it back until `next_attempt_at`, or did before its last attempt;
   * null where none does.
   */
  held_by: string | null;
  /**
   * When the operator was notified that it is dead, and when it was acknowledged or rendered anew.
   */
  reported_at: number | null;
  acknowledged_at: number | null;
}

/** Attempts at a message that failed, as far as they are kept. */
export interface AttemptsTable {
  message_id: string;
  at: number;
  error: string;
}

/** One for each message that is to be published to its channel's followers. */
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
