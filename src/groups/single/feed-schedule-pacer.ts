/** A feed that is read at the ticks of its schedules, whatever was found. */
import type { Poll } from "../../polling/watch-poll.ts";
import type { FeedPacer } from "./feed-pacer.ts";

export const createFeedSchedulePacer = ({ intervalMs }: Poll): FeedPacer => ({
  leastMs: intervalMs,
  mostMs: intervalMs,
  after: async () => undefined,
  nextDueMs: () => undefined,
});
