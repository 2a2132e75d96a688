/**
 * Silences as a port: alerts that an operator does not want for a while, stored in the state.
 * route/ decides how they match.
 */

export interface NewSilence {
  /**
   * The matchers as written, checked by whatever adds them: `team="comms"`. All of them must match.
   */
  readonly matchers: readonly string[];
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** The person who added it; may be empty. */
  readonly author: string;
  readonly comment: string;
}

export interface StoredSilence extends NewSilence {
  /** Counts up from "1" and is never used again. */
  readonly id: string;
}

/** The number of alerts that a silence holds back now, at one sink. */
export interface SilencedCount {
  readonly silenceId: string;
  readonly sink: string;
  readonly alerts: number;
}

/** A waiting delivery that a silence must hold back. */
export interface SilencedDelivery {
  readonly deliveryId: string;
  readonly silenceId: string;
}

/** Selects silenced alerts. All given conditions must hold. */
export interface SilencedSelection {
  readonly sinks: readonly string[];
  readonly silenceId?: string | undefined;
}

export interface SilenceStore {
  /** Adds a silence. Writes an audit record. */
  addSilence(silence: NewSilence): Promise<StoredSilence>;
  /**
   * Returns the silences in the order in which they were added, including those that ended within
   * the retention.
   */
  listSilences(): Promise<readonly StoredSilence[]>;
  /**
   * Ends a silence now and returns it. One that had already ended is not changed. Undefined if
   * there is none. Writes an audit record.
   */
  expireSilence(id: string, nowMs: number): Promise<StoredSilence | undefined>;
  countSilenced(): Promise<readonly SilencedCount[]>;
  /**
   * Holds back deliveries that would now become a message. Those that no longer wait are not
   * changed.
   */
  silenceDeliveries(silenced: readonly SilencedDelivery[]): Promise<void>;
  /**
   * Makes silenced alerts due now, past silences and mutes, in their original groups. Returns the
   * number of alerts. Writes an audit record.
   */
  resendSilenced(selection: SilencedSelection, nowMs: number, by: string): Promise<number>;
}
