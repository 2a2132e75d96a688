/** The storage port for counts of events. */

/** The time after `fromMs`, up to and including `toMs`. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Counts the events of watches, by which `volume.*` events are raised. `volume.*` events themselves
 * are not counted.
 */
export interface VolumeStore {
  /**
   * Returns the number of events of a watch by the time at which they occurred, in the order of
   * `spans`.
   */
  countEvents(watchKey: string, spans: readonly TimeSpan[]): Promise<readonly number[]>;
  /**
   * Returns the newest event, or the newest of a type that occurred at `sinceMs` or later;
   * undefined if there is none or it was pruned.
   */
  newestEvent(
    watchKey: string,
    wanted?: { readonly type: string; readonly sinceMs: number },
  ): Promise<{ readonly id: string; readonly detectedAtMs: number } | undefined>;
}
