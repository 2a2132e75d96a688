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
   * `expired`: retry_for ended. `refused …`: the sink will never take it, with its code.
   * `unrendered`.
   */
  readonly cause: string;
  readonly error: string;
  readonly given_up_at: string;
  readonly attempts: number;
  readonly alerts: readonly DeadAlert[];
}

/** Dead letters of one sink with one cause. */
export interface DeadGroupView {
  readonly sink: string;
  readonly cause: string;
  readonly messages: number;
  readonly alerts: number;
  /** One sentence for people. */
  readonly text: string;
  /** False: the configuration has no sink of that name, so they cannot be sent again. */
  readonly configured: boolean;
}

/** What was given up and neither acknowledged nor sent again. */
export interface DeadView {
  readonly groups: readonly DeadGroupView[];
  /** Oldest first, the first 500. */
  readonly dead: readonly DeadLetterView[];
  /** Every sink of the configuration, with dead letters or without. */
  readonly sinks: readonly string[];
}

export interface ResentView {
  readonly messages: number;
  readonly alerts: number;
}
