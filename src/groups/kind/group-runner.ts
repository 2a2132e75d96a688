/** Who reads the polls of one kind of group. */
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupRunner {
  /** @throws UpstreamError or RequestHeld when nothing could be learned, or a store's error */
  run(poll: Poll): Promise<GroupRun>;
  /** When the next request is worth it by the pace of this moment, wall time; undefined where a schedule says, and before the first run. */
  againAt?(poll: Poll): number | undefined;
  /** Called after every plan: forgets what is in no poll any more. */
  keepOnly?(polls: readonly Poll[]): void;
  /** Writes what was learned: nothing more comes. */
  close?(): Promise<void>;
}
