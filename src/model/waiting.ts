/**
 * Why deliveries wait, as far as the state knows. Waits that a sink asked for are added by the code
 * that knows them.
 */

/**
 * The cause of a wait.
 * - `enriching`: an event waits for its enrichment; `about` is why the last attempt failed, or "".
 * - `held`: by a mute's time interval; `about` is its name.
 * - `throttled`: gathered for the digest of a throttle; `about` is its key.
 * - `backfilled`: gathered for the digest of a backfill; `about` is the key of its watch.
 * - `returning`: gathered for the digest of a watch that was not polled; `about` is its key.
 * - `scheduled`: gathered for a scheduled digest; `about` is the key that it is configured for.
 * - `grouped`: others may still join it; `about` is its group's key, or "" for many groups.
 * - `threaded`: its message is placed below another one that is still being sent.
 * - `retrying`: its last attempt failed; `about` is why.
 * - `queued`: it is due, but others go first.
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
  /**
   * When the wait ends by itself, of several deliveries the first one's; null if that depends on
   * deliveries before them.
   */
  readonly untilMs: number | null;
  readonly about: string;
}

/**
 * The number of deliveries without a message, and of messages, that wait for a sink for one reason.
 */
export interface WaitCount extends Wait {
  readonly sink: string;
  readonly count: number;
}
