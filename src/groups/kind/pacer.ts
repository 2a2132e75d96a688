/**
 * Decides when a poll runs next. It is created from the poll's timing, so that no other code needs
 * to distinguish timings.
 */
export interface Pacer {
  /**
   * Returns the wall time at which the next request is worth it by the current pace; undefined if
   * the poll runs at its next tick, as it does before its first run.
   */
  nextDueMs(): number | undefined;
}
