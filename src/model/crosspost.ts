/**
 * The storage port for crossposts. A crosspost publishes a sent message to the followers of its
 * channel, with attempts of its own.
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
  /** `countAttempt` is false if the sink only asked to wait. */
  | {
      readonly messageId: string;
      readonly kind: "retry";
      readonly nextAttemptAtMs: number;
      readonly error: string;
      readonly countAttempt: boolean;
    };

/** The pending crossposts of one sink. */
export interface CrosspostOutlook {
  /** When the next crosspost is due, in epoch ms; null if none waits. */
  readonly dueAtMs: number | null;
  /** When the oldest waiting crosspost was created, in epoch ms; null if none waits. */
  readonly oldestAtMs: number | null;
  /** How many messages were not published and are not reported to the operator yet. */
  readonly unreported: number;
  /** Why the last unreported message was not published; may be empty. */
  readonly reason: string;
  readonly reportedAtMs: number | null;
}

/** Which crossposts are given up because of their age. */
export interface CrosspostExpiry {
  /** Crossposts created until this time are given up. */
  readonly createdUntilMs: number;
  readonly nowMs: number;
  /** The reason to record for crossposts that were never tried. */
  readonly reason: string;
}

export interface CrosspostStore {
  /**
   * Returns the newest crosspost that is due. Crossposts are created when the result of a message
   * is recorded.
   */
  dueCrosspost(sink: string, nowMs: number): Promise<DueCrosspost | undefined>;
  recordCrosspost(result: CrosspostResult): Promise<void>;
  /** Ends waiting crossposts that are too old. Returns their number. */
  expireCrossposts(sink: string, expiry: CrosspostExpiry): Promise<number>;
  crosspostOutlook(sink: string): Promise<CrosspostOutlook>;
  /** Records that the operator knows of all messages that were not published so far. */
  markCrosspostsReported(sink: string, nowMs: number): Promise<void>;
}
