/**
 * The storage port for silences. A silence holds alerts back that an operator does not want for a
 * while. route/ decides which alerts match.
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
   * Ends a silence now and returns it; undefined if there is no such silence. A silence that has
   * already ended is not changed. Writes an audit record.
   */
  expireSilence(id: string, nowMs: number): Promise<StoredSilence | undefined>;
  countSilenced(): Promise<readonly SilencedCount[]>;
  /**
   * Holds deliveries back that would now become a message. A delivery that does not wait any more
   * is not changed.
   */
  silenceDeliveries(silenced: readonly SilencedDelivery[]): Promise<void>;
  /**
   * Makes silenced alerts due now in their original groups, in spite of silences and mutes, and
   * writes an audit record. Returns the number of alerts.
   */
  resendSilenced(selection: SilencedSelection, nowMs: number, by: string): Promise<number>;
}
