/** The interface through which the polls of one kind of group are run. */
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Pacer } from "./pacer.ts";

export interface GroupRunner {
  /**
   * Runs a poll.
   * @throws UpstreamError or RequestHeld if nothing could be learned, or a store error
   */
  run(poll: Poll): Promise<GroupRun>;
  /** Returns the pacer of a poll. Absent for polls that run at their ticks. */
  pacerOf?(poll: Poll): Pacer;
  /** Forgets the groups and members that are in no poll any more. Called after every plan. */
  keepOnly?(polls: readonly Poll[]): void;
  /** Writes what was learned. */
  close?(): Promise<void>;
}
