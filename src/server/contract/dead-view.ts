/** The JSON of `/api/v1/dead` and of the actions on it. */

export interface DeadAlert {
  readonly id: string;
  readonly type: string;
  /** Empty for the daemon's own events. */
  readonly watch: string;
  readonly title: string;
  readonly url: string | null;
}

export interface DeadLetterView {
  readonly message_id: string;
  readonly sink: string;
  /**
   * Why the message was given up: `expired` (retry_for ended), `refused …` (the sink will never
   * accept it, with its code) or `unrendered`.
   */
  readonly cause: string;
  readonly error: string;
  readonly given_up_at: string;
  readonly attempts: number;
  readonly alerts: readonly DeadAlert[];
}

/** The dead letters of one sink with one cause. */
export interface DeadGroupView {
  readonly sink: string;
  readonly cause: string;
  readonly messages: number;
  readonly alerts: number;
  /** A sentence for people. */
  readonly text: string;
  /** False if the configuration has no sink of that name, so that they cannot be sent again. */
  readonly configured: boolean;
}

/** The messages that were given up and were neither acknowledged nor sent again. */
export interface DeadView {
  readonly groups: readonly DeadGroupView[];
  /** Up to 500 messages, the oldest first. */
  readonly dead: readonly DeadLetterView[];
  /** Every configured sink, with or without dead letters. */
  readonly sinks: readonly string[];
}

export interface ResentView {
  readonly messages: number;
  readonly alerts: number;
}
