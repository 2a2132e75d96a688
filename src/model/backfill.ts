/**
 * Pages of a feed's past that were paid for, as a port: kept for a day, so that nobody pays for
 * them twice.
 */
import type { Json } from "./json.ts";
import type { Tweet } from "./tweet.ts";

/** How far back a source was read, and where its reading goes on. */
export interface BackfillRead {
  /** All that was posted later was read, up to when the reading began. */
  readonly reachedMs: number;
  /** Undefined while nothing came. */
  readonly lowestId?: string;
  /** The service's cursor below what was read. */
  readonly cursor?: string;
  /** The bounded query that the cursor belongs to, where one was asked. */
  readonly query?: string;
  /** The oldest time that this query asks for. */
  readonly boundMs?: number;
  /** The list ended, or goes in circles: there is nothing more below. */
  readonly hasEnded: boolean;
}

export interface BackfillPage {
  /** Of the source. */
  readonly fingerprint: string;
  /** As it stands after this page. */
  readonly read: BackfillRead;
  readonly tweets: readonly Tweet[];
  readonly atMs: number;
  /** What was kept of the source before goes. */
  readonly isFirst: boolean;
}

export interface BackfillStore {
  /** Undefined when the source was not read back since `sinceMs`. */
  loadBackfill(fingerprint: string, sinceMs: number): Promise<BackfillRead | undefined>;
  saveBackfillPage(page: BackfillPage): Promise<void>;
  /** Posted at or after `postedMs`, oldest first. */
  backfilledTweets(fingerprint: string, postedMs: number): Promise<readonly Tweet[]>;
  /** A row for the audit. */
  recordBackfill(atMs: number, detail: { readonly [name: string]: Json }): Promise<void>;
}

export const BACKFILL_KEPT_MS = 86_400_000;
