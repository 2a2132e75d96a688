/** What came of one run: of a poll, and of a group. */
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { PollOutcome } from "./poll-outcome.ts";

/** A poll that was dealt with, well or not. */
export interface PollRun {
  readonly aftermath: PollAftermath;
  /** Undefined when nothing was learned. */
  readonly outcome?: PollOutcome;
}

/** How long to wait before the target is read again; 0 or less: not at all. */
export const cooldownMs = ({ aftermath }: Pick<PollRun, "aftermath">, nowMs: number): number =>
  Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0) - nowMs;

export interface GroupRun {
  readonly outcome: PollOutcome;
  /** When the next one is worth its requests, wall time; undefined: at the next tick. */
  readonly nextDueMs?: number | undefined;
}
