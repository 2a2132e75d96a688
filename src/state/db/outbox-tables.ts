/** The tables of the outbox: deliveries, messages, attempts, and the state of each. */

/**
 * The state of a delivery.
 * - `waiting`: it is not in a message yet.
 * - `sealed`: it is listed in a message, whose row has the outcome.
 * - `summarised`: it is counted in a message, but not listed in it.
 * - `muted`: it was dropped by a mute, or by a restore with `--quiet`.
 * - `silenced`: a silence holds it back until an operator sends it.
 * - `deleted`: it was not sent, because its tweet was gone before.
 * - `duplicate`: it was not sent, because another alert reports the same or replaces it.
 * - `merged`: it was sent as part of the delivery that it joined.
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
  /** 0 if the event is in a group of its own, so that it is sent alone; otherwise 1. */
  grouped: number;
  not_before: number;
  /**
   * The name of the time interval of a mute that holds the delivery back until `not_before`; null
   * if none does.
   */
  held_by: string | null;
  once_key: string | null;
  throttle_key: string | null;
  state: DeliveryState;
  detail: string;
  due_at: number;
  created_at: number;
  message_id: string | null;
  joined_id: number | null;
  /**
   * The group in which the delivery was created, if a throttle has moved it into a digest;
   * otherwise null.
   */
  original_group_key: string | null;
  /**
   * The id of the silence that holds the delivery back, or held it back until an operator sent it;
   * null if there is none.
   */
  silenced_by: string | null;
  /**
   * When an operator last sent the delivery again; null if it was never sent again. No silence
   * holds it back after that.
   */
  replayed_at: number | null;
  /** The template of its route; null for the sink's template. */
  template: string | null;
  /** JSON: why the event goes to this sink; null in rows that are older than this column. */
  routed: string | null;
  /**
   * The template that was to render the delivery in its message; null if it has the default
   * wording.
   */
  worded_by: string | null;
  /**
   * Why the template in `worded_by` failed and the default wording was sent instead; null if it did
   * not fail.
   */
  wording_error: string | null;
  /**
   * The id of the latest alert on the same subject that was still on its way to the sink when this
   * delivery was created; null if there was none. This delivery waits until that alert is done.
   */
  after_id: number | null;
  /**
   * The id of the delivery that this one is a follow-up to; null if it is no follow-up, or the sink
   * had no such alert.
   */
  follows_id: number | null;
  /**
   * JSON: the receivers that already had the alert when it was sent again, if a sink has several
   * and others lacked it; otherwise null.
   */
  taken?: string | null;
}

/** The timers of groups. A group with a single event that is sent alone has none. */
export interface GroupsTable {
  sink: string;
  group_key: string;
  /** When the group's next delivery is due; null while no delivery waits in the group. */
  due_at: number | null;
  last_sealed_at: number | null;
  /**
   * The `group_interval` of the group's newest delivery; null for digests, and in rows that are
   * older than this column.
   */
  interval_ms: number | null;
}

export interface MessagesTable {
  id: string;
  /**
   * The id of the oldest delivery in the message. Messages of one group are sent in the order of
   * these numbers.
   */
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
  /** The sink's own id of the channel that has the message; null if the sink reports none. */
  channel?: string | null;
  /**
   * The line below the message when it was sealed, which says who acknowledged its alerts, empty
   * for none; null if the sink cannot edit the message.
   */
  footer: string | null;
  /**
   * The error of the last failed attempt. For a sent message, which of several receivers do not
   * have it.
   */
  error: string;
  /** JSON: the receivers that have the message; null if there is only one receiver. */
  taken?: string | null;
  /**
   * The id of the message under which this one is posted: the first one of its digest or thread.
   * Null if there is none.
   */
  parent_id: string | null;
  /** Why the message was given up (`DeadCause`). Empty while it is open or sent. */
  cause: string;
  /**
   * The type of the sink that its body was rendered for; null in rows that are older than this
   * column.
   */
  sealed_for: string | null;
  /**
   * The name of the time interval of a mute that holds the message back until `next_attempt_at`, or
   * held it back before its last attempt; null if there is none.
   */
  held_by: string | null;
  /** When the operator was notified that the message was given up; null if nobody was. */
  reported_at: number | null;
  acknowledged_at: number | null;
}

/** The failed attempts to send messages. Only the newest attempts of each message are kept. */
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
  /**
   * When the operator was notified that the message was not published; null if nobody was notified.
   */
  reported_at: number | null;
  error: string;
}

export interface SilencesTable {
  id: number;
  kind: "silence" | "snooze";
  /** JSON: the sinks at which it holds; null for every sink. */
  sinks: string | null;
  /** The alert on which a person asked for it; null if there is none. */
  event_id: string | null;
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
