/**
 * The result of a run of a poll, as far as it decides when the poll runs next. If neither
 * `retryAtMs` nor `notBeforeMs` is set, the run succeeded.
 */
export interface PollAftermath {
  /**
   * When the poll runs next after a successful run, in epoch ms; undefined if it follows the ticks
   * of its schedule.
   */
  readonly nextDueMs?: number | undefined;
  /**
   * When a failed poll is tried again, in epoch ms; undefined if it follows the ticks of its
   * schedule.
   */
  readonly retryAtMs?: number;
  /** The next run is not made before this time, whatever the schedule says. */
  readonly notBeforeMs?: number;
  /**
   * Set if the failure is a fact about the target and not an error, for example that the service
   * has not indexed an account.
   */
  readonly isAnswer?: true;
}
