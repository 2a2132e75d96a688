/**
 * How an alert came to a sink and what became of each attempt there, as JSON: what `explain` adds
 * to the state of a delivery.
 */

export interface PathView {
  /**
   * Where the route was written that sent it there: `route.routes[0]`. Null where `routed_by` is no
   * route. Of alerts from before schema 25: by the configuration of now.
   */
  readonly route: string | null;
  /**
   * `replay`: an operator sent it to this sink. `unknown`: from before schema 25, and the
   * configuration of now would not send it there.
   */
  readonly routed_by: "route" | "watch" | "ops" | "replay" | "unknown";
  readonly matchers: readonly string[];
  /**
   * The labels of its group with their values, or what else it is gathered by; empty when it went
   * out by itself.
   */
  readonly group: readonly string[];
  /** The throttle that counts it: `30 messages in 10m`; null where none does. */
  readonly throttle: string | null;
  readonly silence: PathSilenceView | null;
  /** When an operator last had it sent again. */
  readonly replayed_at: string | null;
  /** The event whose alert it was delivered with, or repeats. */
  readonly joined_event: string | null;
  /**
   * Where its message stands in a thread, or among the messages of a list; null where it stands by
   * itself.
   */
  readonly thread: ThreadView | null;
  /** The template that was to write it; null where none was, and while it is no message yet. */
  readonly template: string | null;
  /** Why that one did not, so that the default message was sent; null where it did. */
  readonly template_error: string | null;
  /**
   * Of an alert on a value that is still across its threshold, where `repeat_interval` or
   * `send_resolved` asks for more.
   */
  readonly repeat: RepeatView | null;
  /** Oldest first: up to 50 that failed, and the one that ended it. */
  readonly attempt_log: readonly AttemptView[];
  /** The newest edit of its message; null where none was ever wanted. */
  readonly edit: EditView | null;
  /** The message where people see it; null where that cannot be known. */
  readonly link: string | null;
}

export interface ThreadView {
  readonly first_message: string;
  /** It is the first message itself. */
  readonly is_first: boolean;
  /** The sink's own id of the first message; null until that was sent. */
  readonly ref: string | null;
}

export interface RepeatView {
  /** How often it was sent again. */
  readonly count: number;
  /** When it is due again; null where only the end is reported. */
  readonly next_at: string | null;
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
  /**
   * What the sink answered, of an attempt that failed; its own id of the message, of one that did
   * not.
   */
  readonly answer: string;
}
