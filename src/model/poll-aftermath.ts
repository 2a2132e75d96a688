/**
 * What a run of a poll means for its next one. With neither `retryAtMs` nor `notBeforeMs` it went
 * well.
 */
export interface PollAftermath {
  /** After a run that went well: when its pace wants the next one; undefined: at its next tick. */
  readonly nextDueMs?: number | undefined;
  /** After a failure; undefined: at its next tick. */
  readonly retryAtMs?: number;
  /** No sooner than that, whatever the schedule says. */
  readonly notBeforeMs?: number;
  /** The service answered, and what it said is a fact about what was asked for: no error. */
  readonly isAnswer?: true;
}
