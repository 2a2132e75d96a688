/**
 * Why deliveries wait, as far as the state knows: what their sink says or keeps to itself is added
 * by whoever knows it.
 */

/**
 * - `enriching`: an event waits for its enrichment, `about` is why the last attempt failed, or "".
 * - `held`: a mute's time interval, `about` its name.
 * - `throttled`: gathered for the digest of the throttle whose key `about` is.
 * - `backfilled`: gathered for the digest of a backfill, `about` the key of its watch.
 * - `returning`: gathered for the digest of a watch that was away, `about` its key.
 * - `scheduled`: gathered for a digest with a schedule, `about` the key that it is written for.
 * - `grouped`: others may still join it; `about` is its group's key, or "" for many groups.
 * - `threaded`: its message goes below another one that is still on its way.
 * - `retrying`: its last attempt failed, `about` says why.
 * - `queued`: due; others go first.
 */
export type WaitCause =
  | "enriching"
  | "held"
  | "throttled"
  | "returning"
  | "backfilled"
  | "scheduled"
  | "grouped"
  | "threaded"
  | "retrying"
  | "queued";

export interface Wait {
  readonly cause: WaitCause;
  /** When it may go out by itself, of several the first; null: as soon as those before it. */
  readonly untilMs: number | null;
  readonly about: string;
}

/** What waits for a sink for one reason: deliveries that are in no message yet, and messages. */
export interface WaitCount extends Wait {
  readonly sink: string;
  readonly count: number;
}
