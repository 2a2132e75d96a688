/**
 * The storage port for backfills: the pages of a feed's past that were read and billed. They are
 * kept for a day, so that a second backfill does not request them again.
 */
import type { Json } from "./json.ts";
import type { Tweet } from "./tweet.ts";

/** How far back a source was read, and where reading continues. */
export interface BackfillRead {
  /** Everything posted between this time and the start of the reading was read (epoch ms). */
  readonly reachedMs: number;
  /** The lowest tweet id that was read; undefined while nothing was found. */
  readonly lowestId?: string | undefined;
  /** The service's cursor with which reading continues. */
  readonly cursor?: string | undefined;
  /** The bounded query that the cursor belongs to, if there was one. */
  readonly query?: string;
  /** The time bound of `query`, in epoch ms: it returns no older items. */
  readonly boundMs?: number;
  /** Whether the list has ended or repeats itself, so that there is nothing more to read. */
  readonly hasEnded: boolean;
}

export interface BackfillPage {
  /** The fingerprint of the source. */
  readonly fingerprint: string;
  /** The progress after this page. */
  readonly read: BackfillRead;
  readonly tweets: readonly Tweet[];
  readonly atMs: number;
  /** Whether this page begins a new reading, so that stored pages of the source are deleted. */
  readonly isFirst: boolean;
}

export interface BackfillStore {
  /** Returns the progress of a source; undefined if no backfill has read it since `sinceMs`. */
  loadBackfill(fingerprint: string, sinceMs: number): Promise<BackfillRead | undefined>;
  saveBackfillPage(page: BackfillPage): Promise<void>;
  /** Returns the tweets posted at or after `postedMs`, oldest first. */
  backfilledTweets(fingerprint: string, postedMs: number): Promise<readonly Tweet[]>;
  /** Writes an audit record of what somebody did that changes no other table. */
  recordChange(
    atMs: number,
    action: "backfill" | "sink resume" | "sink test" | "watch test",
    detail: { readonly [name: string]: Json },
  ): Promise<void>;
}

export const BACKFILL_KEPT_MS = 86_400_000;
