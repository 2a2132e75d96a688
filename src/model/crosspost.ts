/**
 * Publishing what was sent to a channel's followers, as a port: a delivery of its own, with
 * attempts and an end of its own.
 */

export interface DueCrosspost {
  readonly messageId: string;
  /** The sink's own id of the message. */
  readonly ref: string;
  readonly attempts: number;
  readonly createdAtMs: number;
}

export type CrosspostResult =
  | { readonly messageId: string; readonly kind: "published"; readonly atMs: number }
  | {
      readonly messageId: string;
      readonly kind: "not_published";
      readonly atMs: number;
      readonly error: string;
    }
  /** `countAttempt` is false where the sink only asked to wait. */
  | {
      readonly messageId: string;
      readonly kind: "retry";
      readonly nextAttemptAtMs: number;
      readonly error: string;
      readonly countAttempt: boolean;
    };

/** What stands ahead of one sink's crossposts. */
export interface CrosspostOutlook {
  /** When the next is due; null when none waits. */
  readonly dueAtMs: number | null;
  /** The oldest that waits was made then. */
  readonly oldestAtMs: number | null;
  /** Not published and not yet reported, with the reason of the last. */
  readonly unreported: number;
  readonly reason: string;
  readonly reportedAtMs: number | null;
}

/** Which crossposts are given up for their age. */
export interface CrosspostExpiry {
  /** The newest of them were created then. */
  readonly createdUntilMs: number;
  readonly nowMs: number;
  /** For those that were never tried. */
  readonly reason: string;
}

export interface CrosspostStore {
  /** Of those that are due the newest; `record` of a message makes them. */
  dueCrosspost(sink: string, nowMs: number): Promise<DueCrosspost | undefined>;
  recordCrosspost(result: CrosspostResult): Promise<void>;
  /** Ends those that still wait and are too old. Answers how many. */
  expireCrossposts(sink: string, expiry: CrosspostExpiry): Promise<number>;
  crosspostOutlook(sink: string): Promise<CrosspostOutlook>;
  /** The operator knows of all that were not published so far. */
  markCrosspostsReported(sink: string, nowMs: number): Promise<void>;
}
