/**
 * Silences as a port: what an operator wants no alerts of for a while, kept in the state. How they
 * match is decided in route/.
 */

export interface NewSilence {
  /** As written, checked by whoever adds it: `team="comms"`. All of them must match. */
  readonly matchers: readonly string[];
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** May be empty. */
  readonly author: string;
  readonly comment: string;
}

export interface StoredSilence extends NewSilence {
  /** Counts up from "1"; never used again. */
  readonly id: string;
}

/** Alerts that a silence holds back now, at one sink. */
export interface SilencedCount {
  readonly silenceId: string;
  readonly sink: string;
  readonly alerts: number;
}

/** A waiting delivery that a silence is to hold back. */
export interface SilencedDelivery {
  readonly deliveryId: string;
  readonly silenceId: string;
}

/** All that is given must hold. */
export interface SilencedSelection {
  readonly sinks: readonly string[];
  readonly silenceId?: string;
}

export interface SilenceStore {
  /** The audit gets a row. */
  addSilence(silence: NewSilence): Promise<StoredSilence>;
  /** Those that ended within the retention included, in the order in which they were added. */
  listSilences(): Promise<readonly StoredSilence[]>;
  /**
   * Ends it now. The silence as it is then: one that had ended stays as it was. Undefined when
   * there is none. The audit gets a row.
   */
  expireSilence(id: string, nowMs: number): Promise<StoredSilence | undefined>;
  countSilenced(): Promise<readonly SilencedCount[]>;
  /**
   * Holds back what waited until a message was made of it. Those that do not wait any more are left
   * alone.
   */
  silenceDeliveries(silenced: readonly SilencedDelivery[]): Promise<void>;
  /**
   * Makes what was silenced due now, past silences and mutes, in the groups it had; how many
   * alerts. The audit gets a row.
   */
  resendSilenced(selection: SilencedSelection, nowMs: number, by: string): Promise<number>;
}
