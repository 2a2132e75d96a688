/** The JSON of `/api/v1/backfill`: what became of what was read of a watch's past. */

export interface BackfillView {
  /** Items that are alerts now; in a dry run, that would be. */
  readonly alerts: number;
  /** Kept back by the watch's own filters. */
  readonly filtered: number;
  /** Alerts already before. */
  readonly known: number;
  /** Newer than what the watch has read: its next poll brings them. */
  readonly left: number;
}

/** `sinceMs`: from then on. What was read and paid for before becomes alerts; nothing is read. */
export interface BackfillRequest {
  readonly watchId: string;
  readonly sinceMs: number;
  /** Who asks, for the audit. */
  readonly by: string;
}
