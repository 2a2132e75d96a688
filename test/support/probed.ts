/**
 * Profiles as probes show them, and the reads that follow, for tests of the probe state between the
 * two.
 */
import type { JsonObject } from "../../src/model/json.ts";
import { firstProbe, type ReadResult } from "../../src/groups/probing/pending-changes.ts";

export const fields = (tweets: number, pinned: readonly string[] = []): JsonObject => ({
  tweets_count: tweets,
  media_count: 0,
  pinned_tweet_ids: pinned,
});
export const read = (changes: Partial<ReadResult> = {}): ReadResult => ({
  endpoint: "search",
  newPosts: 0,
  newBeforeProbe: 0,
  isFull: false,
  ...changes,
});
/** An account that was probed once, with ten posts. */
export const START = firstProbe(fields(10), 0);
