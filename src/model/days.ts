/** What watches read, alerted and cost over the days, for charts. */

/** What happened to one watch in one hour. Hours in which nothing happened are absent. */
export interface WatchHour {
  /** The hour, in whole hours since the epoch. */
  readonly hour: number;
  readonly read: number;
  readonly filtered: number;
  readonly requests: number;
}

/** How many alerts occurred in a period. */
export interface PeriodCount {
  readonly count: number;
  /**
   * The sequence number of the newest event when the count was made; null if events can be added
   * later with lower numbers.
   */
  readonly lastSeq: number | null;
}

export interface DayStore {
  /**
   * Counts the alerts of all watches that occurred from `fromMs` until before `toMs`. It counts in
   * an index, so a day takes some milliseconds with a thousand watches. With an earlier count of
   * the same period it counts only the events since then, if they are few.
   */
  countAlerts(fromMs: number, toMs: number, earlier?: PeriodCount): Promise<PeriodCount>;
  /** Returns these hours of a watch; `watchKey` is its key in the state, `watchId` its name. */
  watchHours(
    watch: { readonly watchKey: string; readonly watchId: string },
    hours: readonly number[],
  ): Promise<readonly WatchHour[]>;
}
