/** The interface for running the polls of one kind of group. */
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Pacer } from "./pacer.ts";

export interface GroupRunner {
  /**
   * Runs a poll.
   * @throws UpstreamError or RequestHeld if the run learned nothing; StoreError
   */
  run(poll: Poll): Promise<GroupRun>;
  /** Returns the pacer of a poll. Absent for a kind whose polls always follow their schedules. */
  pacerOf?(poll: Poll): Pacer;
  /** Forgets groups and members that no poll contains any more. Called after every plan. */
  keepOnly?(polls: readonly Poll[]): void;
  /** Writes what was learned to the state. */
  close?(): Promise<void>;
}
