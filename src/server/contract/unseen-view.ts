/** Why nothing is stored about an item, watch by watch, as JSON: part of `explain`. */

export interface UnseenView {
  /** When the tweet was posted, which its id says; null where the item is no tweet. */
  readonly posted_at: string | null;
  /** Verdicts of that time are no longer kept. */
  readonly is_forgotten: boolean;
  /** Those that could have seen it first. */
  readonly watches: readonly UnseenLine[];
  /** Targets that are left out: the first 500 are shown. */
  readonly more: number;
}

export interface UnseenLine {
  readonly watch: string;
  /** As written in the YAML; empty where the reason is the whole watch's. */
  readonly target: string;
  /** Whether it may have been this watch's to see, or still is. */
  readonly could_see: boolean;
  /** Why it did not. */
  readonly reason: string;
}
