/** What follows a poll for the schedule. */
/** When a poll that did not go well runs again; undefined: at its next tick. */
export interface PollAftermath {
  readonly retryAtMs?: number;
  /** No sooner than that, whatever the schedule says. */
  readonly notBeforeMs?: number;
  /** The service answered, and what it said is a fact about what was asked for: no error. */
  readonly isAnswer?: true;
  /** It went well, and its next one waits for as long as the pace of the moment says. */
  readonly isPaced?: true;
}
