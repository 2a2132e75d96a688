/** Who reads the polls of one kind of group. */
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Pacer } from "./pacer.ts";

export interface GroupRunner {
  /** @throws UpstreamError or RequestHeld when nothing could be learned, or a store's error */
  run(poll: Poll): Promise<GroupRun>;
  /** Undefined of polls that run at their ticks. */
  pacerOf?(poll: Poll): Pacer;
  /** Called after every plan: forgets what is in no poll any more. */
  keepOnly?(polls: readonly Poll[]): void;
  /** Writes what was learned. */
  close?(): Promise<void>;
}
