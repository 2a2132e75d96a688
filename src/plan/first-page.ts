/** What the first read of a feed is remembered by. */
/** What the first read of a feed showed, kept in its target's memory. */
export interface FirstPage {
  /** Posts in so many days, as `firstRate` counts them. */
  readonly posts: number;
  readonly days: number;
  readonly tweets: number;
  /** Of them, those of the kinds, authors and words the watch wants. */
  readonly wanted: number;
}
