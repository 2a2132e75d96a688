/** The result of a run: of a single poll, or of a group. */
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { PollOutcome } from "./poll-outcome.ts";

/** A poll that has ended, with or without success. */
export interface PollRun {
  readonly aftermath: PollAftermath;
  /** Undefined if the poll failed before it read anything. */
  readonly outcome?: PollOutcome;
}

/**
 * Returns how many ms to wait before the target is read again; 0 or less means that no wait is
 * needed.
 */
export const cooldownMs = ({ aftermath }: Pick<PollRun, "aftermath">, nowMs: number): number =>
  Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0) - nowMs;

export interface GroupRun {
  readonly outcome: PollOutcome;
  /**
   * When the next run is worth its requests, in epoch ms; undefined if the poll runs at its next
   * tick.
   */
  readonly nextDueMs?: number | undefined;
}
