/**
 * Decides when a poll runs next. It is created from the poll's timing, so that no other code needs
 * to distinguish timings.
 */
export interface Pacer {
  /**
   * Returns the wall time at which the next request is worth it by the current pace; undefined for
   * the next tick, as before the first run.
   */
  nextDueMs(): number | undefined;
}
