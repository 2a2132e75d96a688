/** What watches read, alerted and cost over the days, for charts. */

/** What happened to one watch in one hour. Hours in which nothing happened are absent. */
export interface WatchHour {
  /** The hour, in whole hours since the epoch. */
  readonly hour: number;
  readonly read: number;
  readonly filtered: number;
  readonly requests: number;
}

export interface DayStore {
  /**
   * Returns how many alerts of all watches occurred from `fromMs` until before `toMs`. It counts in
   * an index, so a day takes some milliseconds with a thousand watches.
   */
  countAlerts(fromMs: number, toMs: number): Promise<number>;
  /** Returns these hours of a watch; `watchKey` is its key in the state, `watchId` its name. */
  watchHours(
    watch: { readonly watchKey: string; readonly watchId: string },
    hours: readonly number[],
  ): Promise<readonly WatchHour[]>;
}
