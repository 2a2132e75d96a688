/** How an alert came to a sink and what became of each attempt there, as JSON: what `explain` adds to the state of a delivery. */

export interface PathView {
  /** Where the route is written that names this sink, by the configuration of now: `route.routes[0]`. Null where `routed_by` is no route. */
  readonly route: string | null;
  /** `unknown`: the configuration of now would not send it there. */
  readonly routed_by: "route" | "watch" | "ops" | "unknown";
  readonly matchers: readonly string[];
  /** The labels of its group with their values, or what else it is gathered by; empty when it went out by itself. */
  readonly group: readonly string[];
  /** The throttle that counts it: `30 messages in 10m`; null where none does. */
  readonly throttle: string | null;
  readonly silence: PathSilenceView | null;
  /** When an operator last had it sent again. */
  readonly replayed_at: string | null;
  /** The event whose alert it was delivered with, or repeats. */
  readonly joined_event: string | null;
  /** Oldest first: up to 50 that failed, and the one that ended it. */
  readonly attempt_log: readonly AttemptView[];
  /** The newest edit of its message; null where none was ever wanted. */
  readonly edit: EditView | null;
  /** The message where people see it; null where that cannot be known. */
  readonly link: string | null;
}

export interface EditView {
  /** `dropped`: given up until the tweet changes again. `refused`: the message cannot be edited. */
  readonly state: "waiting" | "done" | "dropped" | "refused";
  /** When it is due; null where it does not wait. */
  readonly due_at: string | null;
  /** When the message was last edited. */
  readonly edited_at: string | null;
  /** What the sink answered, where the last attempt failed. */
  readonly error: string;
}

export interface PathSilenceView {
  readonly id: string;
  readonly matchers: readonly string[];
  readonly author: string;
  readonly comment: string;
  readonly ends_at: string | null;
}

export interface AttemptView {
  readonly at: string;
  readonly result: "sent" | "failed";
  /** What the sink answered, of an attempt that failed; its own id of the message, of one that did not. */
  readonly answer: string;
}
