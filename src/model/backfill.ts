/**
 * The store's port for backfills: the pages of a feed's past that were paid for. They are kept for
 * a day, so that nobody pays for them twice.
 */
import type { Json } from "./json.ts";
import type { Tweet } from "./tweet.ts";

/** How far back a source was read, and where reading continues. */
export interface BackfillRead {
  /** Everything posted after this time was read, up to the start of the reading. */
  readonly reachedMs: number;
  /** The lowest tweet id that was read; undefined while nothing was found. */
  readonly lowestId?: string | undefined;
  /** The service's cursor below what was read. */
  readonly cursor?: string | undefined;
  /** The bounded query that the cursor belongs to, if there was one. */
  readonly query?: string;
  /** The oldest time that this query asks for. */
  readonly boundMs?: number;
  /** Whether the list has ended or repeats itself, so that there is nothing more below. */
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
  /** Returns the progress; undefined if the source was not read back since `sinceMs`. */
  loadBackfill(fingerprint: string, sinceMs: number): Promise<BackfillRead | undefined>;
  saveBackfillPage(page: BackfillPage): Promise<void>;
  /** Returns the tweets posted at or after `postedMs`, oldest first. */
  backfilledTweets(fingerprint: string, postedMs: number): Promise<readonly Tweet[]>;
  /** Writes an audit record of a backfill. */
  recordBackfill(atMs: number, detail: { readonly [name: string]: Json }): Promise<void>;
}

export const BACKFILL_KEPT_MS = 86_400_000;
