/** The pacer of each feed, by its timing. */
import { readAlgorithm } from "./feed-algorithms.ts";
import { createFeedFreshnessPacer, type FeedPacerDeps } from "./feed-freshness-pacer.ts";
import type { FeedPacers } from "./feed-pacer.ts";
import { createFeedSchedulePacer } from "./feed-schedule-pacer.ts";

export function createFeedPacers({ feedStates, clock, serviceClock, slowDownOf }: Omit<FeedPacerDeps, "dueMs">): FeedPacers {
  const deps: FeedPacerDeps = { feedStates, clock, serviceClock, slowDownOf, dueMs: new Map() };
  return (poll) =>
    poll.timing.kind === "schedule"
      ? createFeedSchedulePacer(poll)
      : createFeedFreshnessPacer(poll, readAlgorithm(poll.timing.freshness), deps);
}
