/**
 * Decides when a poll runs next. It is created from the poll's timing, so that no other code has to
 * distinguish schedules from `freshness`.
 */
export interface Pacer {
  /**
   * Returns the time (epoch ms) at which the next request is worth its cost at the current pace.
   * Undefined if the poll runs at the next tick of its schedule, which a poll with `freshness` also
   * does before its first run.
   */
  nextDueMs(): number | undefined;
}
