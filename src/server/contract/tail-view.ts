/**
 * The JSON of `/api/v1/tail`: one line for each event and for each delivery attempt, as they
 * happen.
 */

/** A filter for lines. Everything that is given must match. */
export interface TailFilter {
  readonly watch?: string | undefined;
  readonly sink?: string | undefined;
}

export interface TailEvent {
  readonly kind: "event";
  readonly at: string;
  readonly id: string;
  readonly type: string;
  /** The watch id; empty for the daemon's own events. */
  readonly watch: string;
  /** A line for people. */
  readonly title: string;
  readonly url: string | null;
  /** The sinks to which the event was routed; empty if no route matched. */
  readonly sinks: readonly string[];
}

export interface TailDelivery {
  readonly kind: "delivery";
  readonly at: string;
  readonly sink: string;
  readonly message_id: string;
  /** `retry` means that another attempt follows; `dead` means that the message was given up. */
  readonly outcome: "sent" | "retry" | "dead";
  /** The sink's error; empty if it accepted the message. */
  readonly error: string;
  /** Null unless there is another attempt. */
  readonly next_attempt_at: string | null;
  readonly alerts: readonly { readonly id: string; readonly watch: string }[];
}

export type TailLine = TailEvent | TailDelivery;
