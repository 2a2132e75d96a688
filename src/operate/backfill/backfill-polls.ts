/**
 * Returns the polls with which a backfill reads a watch: the feed of each target on its own, even
 * if regular polls read several of them together. Pure.
 */
import type { Poll } from "../../polling/watch-poll.ts";

/** Returns the polls with only this watch's subscribers. */
export const feedsOf = (polls: readonly Poll[], watchId: string): readonly Poll[] =>
  polls
    .flatMap((poll) => poll.group?.members ?? [poll])
    .filter(({ detector }) => detector === "feed")
    .map((poll) => ({
      ...poll,
      subscribers: poll.subscribers.filter(({ watch }) => watch.id === watchId),
    }))
    .filter(({ subscribers }) => subscribers.length > 0);
