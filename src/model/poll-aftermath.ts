/**
 * What a run of a poll means for the next one. If neither `retryAtMs` nor `notBeforeMs` is set, it
 * succeeded.
 */
export interface PollAftermath {
  /** After a successful run: when its pace requires the next one; undefined for the next tick. */
  readonly nextDueMs?: number | undefined;
  /** After a failure: when to try again; undefined for the next tick. */
  readonly retryAtMs?: number;
  /** The next run is not made before this time, whatever the schedule says. */
  readonly notBeforeMs?: number;
  /**
   * Set if the service answered and what it said, such as that it has not indexed an account, is a
   * fact about the request and not an error.
   */
  readonly isAnswer?: true;
}
