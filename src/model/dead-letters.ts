/**
 * Messages that were given up, as a port: why, what was in them, and what an operator can do about
 * them.
 */
import type { ChirpEvent } from "./event.ts";

/**
 * - `expired`: no attempt succeeded within `retry_for`. Sent again, it keeps its id and body.
 * - `unrendered`: it could not be made into a message. It is rendered anew.
 * - `refused …`: the sink will never take this content, with the sink's own code. It is rendered
 *   anew, as a new message.
 */
export type DeadCause = "expired" | "unrendered" | `refused ${string}`;

export interface DeadLetter {
  readonly messageId: string;
  readonly sink: string;
  readonly cause: DeadCause;
  /** What the sink said last. */
  readonly error: string;
  readonly deadAtMs: number;
  readonly attempts: number;
  /** Its alerts, oldest first. */
  readonly events: readonly ChirpEvent[];
}

/** Dead letters of one sink with one cause. */
export interface DeadGroup {
  readonly sink: string;
  readonly cause: DeadCause;
  /** The last one's. */
  readonly error: string;
  /** Oldest first. */
  readonly messageIds: readonly string[];
  readonly alerts: number;
}

export interface UnreportedDead extends DeadGroup {
  /**
   * When the operator was last notified of dead letters of this sink and cause; null when never.
   */
  readonly reportedAtMs: number | null;
}

/** All when empty. */
export interface DeadSelection {
  readonly sinks?: readonly string[];
  readonly messageIds?: readonly string[];
}

/** Everything here is about dead letters that were neither acknowledged nor sent again. */
export interface DeadLetters {
  /** Oldest first. */
  listDead(selection: DeadSelection, limit: number): Promise<readonly DeadLetter[]>;
  /** Those given up since a time, by sink and cause. */
  groupDead(sinceMs: number): Promise<readonly DeadGroup[]>;
  unreportedDead(): Promise<readonly UnreportedDead[]>;
  markDeadReported(messageIds: readonly string[], nowMs: number): Promise<void>;
  /** Their loss is accepted. How many messages that were. */
  acknowledgeDead(selection: DeadSelection, nowMs: number): Promise<number>;
  /**
   * What failed because of the sink is due again under the same id, with the same body and its
   * whole `retry_for`; what was refused for its content is due as if it had never been sealed. How
   * many messages and alerts that were. `by`: for the audit.
   */
  resendDead(
    selection: DeadSelection,
    nowMs: number,
    by: string,
  ): Promise<{ readonly messages: number; readonly alerts: number }>;
}
