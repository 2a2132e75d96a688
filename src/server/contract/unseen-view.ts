/** Why nothing is stored about an item, for each watch, as JSON: part of `explain`. */

export interface UnseenView {
  /** When the tweet was posted, according to its id; null if the item is no tweet. */
  readonly posted_at: string | null;
  /** Whether verdicts of that time are no longer kept. */
  readonly is_forgotten: boolean;
  /** The watches, those that could have seen the item first. */
  readonly watches: readonly UnseenLine[];
  /** How many targets are left out: only the first 500 are shown. */
  readonly more: number;
}

export interface UnseenLine {
  readonly watch: string;
  /** The target as written in the YAML; empty if the reason concerns the whole watch. */
  readonly target: string;
  /** Whether this watch could have seen the item, or still can. */
  readonly could_see: boolean;
  /** Why it did not see the item. */
  readonly reason: string;
}
