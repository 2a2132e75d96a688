/**
 * Profiles as probes show them, and reads that follow, for tests of what is remembered between the
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
/** Probed once, with ten posts. */
export const START = firstProbe(fields(10), 0);
