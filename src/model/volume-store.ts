/** How many events there were, as the port that counts them. */

/** After `fromMs`, up to and including `toMs`. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What `volume.*` events are made from; they do not count themselves. */
export interface VolumeStore {
  /** Events of a watch by the time they occurred, in the order of `spans`. */
  countEvents(watchKey: string, spans: readonly TimeSpan[]): Promise<readonly number[]>;
  /**
   * The last one, or the last of a type that occurred at `sinceMs` or later; undefined when there
   * is none or it is forgotten.
   */
  newestEvent(
    watchKey: string,
    wanted?: { readonly type: string; readonly sinceMs: number },
  ): Promise<{ readonly id: string; readonly detectedAtMs: number } | undefined>;
}
