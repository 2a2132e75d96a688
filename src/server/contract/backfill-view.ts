/** The JSON of `/api/v1/backfill`: what was made of what was read of a watch's past. */

export interface BackfillView {
  /** Items that became alerts; in a dry run, that would become alerts. */
  readonly alerts: number;
  /** Items that the watch's own filters rejected. */
  readonly filtered: number;
  /** Items that were alerts before. */
  readonly known: number;
  /** Items that are newer than what the watch has read; its next poll finds them. */
  readonly left: number;
}

/**
 * A request to turn what was read and paid for, from `sinceMs` on, into alerts. It reads nothing
 * more.
 */
export interface BackfillRequest {
  readonly watchId: string;
  readonly sinceMs: number;
  /** The caller, for the audit. */
  readonly by: string;
}
