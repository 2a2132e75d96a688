/**
 * How a group polls one of its members: by itself, or with what was read for it together with
 * others.
 */
import type { PollStore } from "../../model/poll-store.ts";
import type { Reach } from "../../detect/feed-poll.ts";
import type { PollRun } from "./poll-run.ts";
import type { FeedObservation } from "../read/read-feed.ts";
import type { Poll } from "../watch-poll.ts";

export interface RunMember {
  /** Reads a member by itself, as deep as `reach` says. Never rejects. */
  readonly runOne: (poll: Poll, reach?: Reach) => Promise<PollRun>;
  /**
   * Evaluates what was read of a member together with others, and commits it through `store`. Never
   * rejects.
   */
  readonly processFeed: (
    poll: Poll,
    feed: FeedObservation,
    store: Pick<PollStore, "commitPoll">,
  ) => Promise<PollRun>;
}
