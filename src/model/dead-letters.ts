/**
 * The storage port for messages that were given up: why, their content, and what an operator can do
 * about them.
 */
import type { ChirpEvent } from "./event.ts";

/**
 * Why a message was given up.
 * - `expired`: no attempt succeeded within `retry_for`. If the message is sent again, it keeps its
 *   id and body.
 * - `unrendered`: the message could not be rendered. If it is sent again, it is rendered again.
 * - `refused …`: the sink will never accept this content; the sink's own code follows. If it is
 *   sent again, it is rendered again, as a new message.
 */
export type DeadCause = "expired" | "unrendered" | `refused ${string}`;

export interface DeadLetter {
  readonly messageId: string;
  readonly sink: string;
  readonly cause: DeadCause;
  /** The sink's last error. */
  readonly error: string;
  readonly deadAtMs: number;
  readonly attempts: number;
  /** The alerts, oldest first. */
  readonly events: readonly ChirpEvent[];
}

/** The dead letters of one sink with one cause. */
export interface DeadGroup {
  readonly sink: string;
  readonly cause: DeadCause;
  /** The error of the last message. */
  readonly error: string;
  /** The messages, oldest first. */
  readonly messageIds: readonly string[];
  readonly alerts: number;
}

export interface UnreportedDead extends DeadGroup {
  /** When the operator was last notified of dead letters of this sink and cause; null if never. */
  readonly reportedAtMs: number | null;
}

/** Selects dead letters: all of them if no field is set. */
export interface DeadSelection {
  readonly sinks?: readonly string[];
  readonly messageIds?: readonly string[];
}

/** Operations on dead letters that were neither acknowledged nor sent again. */
export interface DeadLetters {
  /** Returns dead letters, oldest first. */
  listDead(selection: DeadSelection, limit: number): Promise<readonly DeadLetter[]>;
  /** Returns the dead letters that were given up since a time, by sink and cause. */
  groupDead(sinceMs: number): Promise<readonly DeadGroup[]>;
  unreportedDead(): Promise<readonly UnreportedDead[]>;
  markDeadReported(messageIds: readonly string[], nowMs: number): Promise<void>;
  /** Records that the loss of dead letters is accepted. Returns the number of messages. */
  acknowledgeDead(selection: DeadSelection, nowMs: number, by?: string): Promise<number>;
  /**
   * Makes dead letters due again. A message that failed because of the sink keeps its id and body
   * and gets its whole `retry_for`. The alerts of a message that was refused because of its content
   * are due as if they had never been sealed. Returns the numbers of messages and alerts. `by`
   * names the person, for the audit record.
   */
  resendDead(
    selection: DeadSelection,
    nowMs: number,
    by: string,
  ): Promise<{ readonly messages: number; readonly alerts: number }>;
}
