/**
 * The storage port for silences and snoozes. A silence holds alerts back that an operator does not
 * want for a while, until somebody sends them. A snooze holds alerts back and sends them as one
 * digest when it ends. route/ decides which alerts match.
 */
import type { ClickKey } from "./clicks.ts";

export const SILENCE_KINDS = ["silence", "snooze"] as const;
export type SilenceKind = (typeof SILENCE_KINDS)[number];

export interface NewSilence {
  /** Absent for a silence. */
  readonly kind?: SilenceKind;
  /** The sinks at which it holds; every sink if the list is empty or absent. */
  readonly sinks?: readonly string[];
  /** The alert on which a person asked for it; null or absent if there is none. */
  readonly eventId?: string | null;
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

export interface StoredSilence extends Required<NewSilence> {
  /** Counts up from "1" and is never used again. */
  readonly id: string;
}

/** A request to hold back what an alert is about. */
export interface HoldRequest {
  /** The action for the audit. */
  readonly action: "snooze" | "mute author";
  /** The id of the event or message that the person named. */
  readonly what: string;
  readonly by: string;
  readonly from: string;
  readonly atMs: number;
  /** What must hold afterwards. Each names exactly one sink. */
  readonly silences: readonly NewSilence[];
  /** The click that asks for it, which takes effect once; undefined if it was no click. */
  readonly click?: ClickKey | undefined;
}

/** What became of one silence of a `HoldRequest`. */
export interface HoldOutcome {
  readonly silence: StoredSilence;
  /** `unchanged`: one that lasts as long was already active. */
  readonly change: "added" | "extended" | "unchanged";
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
   * Adds the silences and snoozes, or extends active ones of the same kind, sink and matchers.
   * Returns what became of each, in their order. Writes one audit record if something changed.
   */
  holdBack(request: HoldRequest): Promise<readonly HoldOutcome[]>;
  /**
   * Returns the silences in the order in which they were added, including those that ended within
   * the retention.
   */
  listSilences(): Promise<readonly StoredSilence[]>;
  /**
   * Ends a silence now and returns it; undefined if there is no such silence. What a snooze holds
   * back is then due. A silence that has already ended is not changed. Writes an audit record.
   */
  expireSilence(id: string, nowMs: number, by?: string): Promise<StoredSilence | undefined>;
  /** Counts the alerts that silences and snoozes hold back now. */
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
