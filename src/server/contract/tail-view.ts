/**
 * The JSON of `/api/v1/tail`: one line for each event and for each attempt at a delivery, as they
 * happen.
 */

/** All that is given must hold. */
export interface TailFilter {
  readonly watch?: string | undefined;
  readonly sink?: string | undefined;
}

export interface TailEvent {
  readonly kind: "event";
  readonly at: string;
  readonly id: string;
  readonly type: string;
  /** Watch id; empty for the daemon's own events. */
  readonly watch: string;
  /** One line for people. */
  readonly title: string;
  readonly url: string | null;
  /** Where its route sends it; empty where no route takes it. */
  readonly sinks: readonly string[];
}

export interface TailDelivery {
  readonly kind: "delivery";
  readonly at: string;
  readonly sink: string;
  readonly message_id: string;
  /** `retry`: it is tried again. `dead`: it was given up. */
  readonly outcome: "sent" | "retry" | "dead";
  /** What the sink said; empty where it took the message. */
  readonly error: string;
  /** Null unless it is tried again. */
  readonly next_attempt_at: string | null;
  readonly alerts: readonly { readonly id: string; readonly watch: string }[];
}

export type TailLine = TailEvent | TailDelivery;
