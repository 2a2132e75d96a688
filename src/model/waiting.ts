/**
 * The reasons why deliveries wait, as far as the state shows them. The code that knows of waits
 * that a sink asked for adds these.
 */

/**
 * The cause of a wait.
 * - `enriching`: an event waits for its enrichment; `about` is why the last attempt failed, or "".
 * - `held`: a mute holds the delivery; `about` is the name of the mute's time interval.
 * - `throttled`: gathered for the digest of a throttle; `about` is the throttle's key.
 * - `backfilled`: gathered for the digest of a backfill; `about` is the key of its watch.
 * - `returning`: gathered for the digest of a watch that was not polled; `about` is the watch's
 *   key.
 * - `scheduled`: gathered for a scheduled digest; `about` is the key for which the digest is
 *   configured.
 * - `grouped`: other deliveries may still join the group; `about` is the group's key, or "" for
 *   many groups.
 * - `threaded`: its message is posted under another message that is still being sent.
 * - `retrying`: its last attempt failed; `about` is why.
 * - `queued`: it is due, but other messages are sent first.
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
   * When the wait ends, in epoch ms; for several deliveries, when the first of their waits ends.
   * Null if the wait depends on other deliveries.
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
