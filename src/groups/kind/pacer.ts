/** When a poll runs next. Made from its timing, of which nobody else asks what kind it is. */
export interface Pacer {
  /**
   * When the next request is worth it by the pace of this moment, wall time; undefined: at the next
   * tick, as before the first run.
   */
  nextDueMs(): number | undefined;
}
