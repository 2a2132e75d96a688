/** What came of one run: of a poll, and of a group. */
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { PollOutcome } from "./poll-outcome.ts";

/** A poll that was dealt with, well or not. */
export interface PollRun {
  readonly aftermath: PollAftermath;
  /** Undefined when nothing was learned. */
  readonly outcome?: PollOutcome;
}

export interface GroupRun {
  readonly outcome: PollOutcome;
  /** When the next one is worth its requests, wall time; undefined: at the next tick. */
  readonly nextDueMs?: number | undefined;
}
