/**
 * How an alert came to a sink, and what happened in each attempt there, as JSON: what `explain`
 * adds to the state of a delivery.
 */

export interface PathView {
  /**
   * The place of the route that sent the alert there, such as `route.routes[0]`; null unless
   * `routed_by` is `route`. For alerts from before schema 25 it is found with the current
   * configuration.
   */
  readonly route: string | null;
  /**
   * What sent the alert to the sink.
   * - `replay`: an operator.
   * - `unknown`: the alert is from before schema 25, and the current configuration would not send
   *   it there.
   */
  readonly routed_by: "route" | "watch" | "ops" | "replay" | "unknown";
  readonly matchers: readonly string[];
  /**
   * The labels of the alert's group with their values, or another reason why it was gathered with
   * others; empty if it was sent by itself.
   */
  readonly group: readonly string[];
  /** The throttle that counts the alert, such as `30 messages in 10m`; null if none does. */
  readonly throttle: string | null;
  readonly silence: PathSilenceView | null;
  /** When an operator last sent it again; null if nobody did. */
  readonly replayed_at: string | null;
  /** The event whose alert this one was delivered with, or repeats. */
  readonly joined_event: string | null;
  /**
   * The place of its message in a thread or in a digest of several messages; null if the message
   * stands by itself.
   */
  readonly thread: ThreadView | null;
  /** The template chosen for the message; null if there was none, or if there is no message yet. */
  readonly template: string | null;
  /** Why the template failed, so that the default message was sent; null if it did not fail. */
  readonly template_error: string | null;
  /**
   * Repeats of an alert on a value that is still across its threshold; null unless
   * `repeat_interval` or `send_resolved` asks for more alerts.
   */
  readonly repeat: RepeatView | null;
  /** Oldest first: up to 50 failed attempts, and the one that ended it. */
  readonly attempt_log: readonly AttemptView[];
  /** The newest edit of the message; null if it never had to be edited. */
  readonly edit: EditView | null;
  /** Where people see the message; null if that cannot be known. */
  readonly link: string | null;
}

export interface ThreadView {
  readonly first_message: string;
  /** Whether it is the first message itself. */
  readonly is_first: boolean;
  /** The sink's own id of the first message; null until that was sent. */
  readonly ref: string | null;
}

export interface RepeatView {
  /** How often the alert was sent again. */
  readonly count: number;
  /** When the next repeat is due; null if only the end is reported. */
  readonly next_at: string | null;
}

export interface EditView {
  /**
   * `dropped` means that the edit was given up until the tweet changes again; `refused` means that
   * the message cannot be edited.
   */
  readonly state: "waiting" | "done" | "dropped" | "refused";
  /** When the edit is due; null if it does not wait. */
  readonly due_at: string | null;
  /** When the message was last edited. */
  readonly edited_at: string | null;
  /** The sink's error in the last attempt; empty if that succeeded. */
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
  /** The sink's error if the attempt failed, or its id of the message if it succeeded. */
  readonly answer: string;
}
