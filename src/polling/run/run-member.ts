/**
 * How a group polls one of its members: with a read of its own, or with its part of a read that
 * members shared.
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
   * Evaluates the member's part of a shared read, and commits it through `store`. Never rejects.
   */
  readonly processFeed: (
    poll: Poll,
    feed: FeedObservation,
    store: Pick<PollStore, "commitPoll">,
  ) => Promise<PollRun>;
}
