/**
 * What a backfill of a watch reads: the feeds of its targets, each by itself, whatever they are
 * read together with. Pure.
 */
import type { Poll } from "../../polling/watch-poll.ts";

/** With the watch's own subscribers only. */
export const feedsOf = (polls: readonly Poll[], watchId: string): readonly Poll[] =>
  polls
    .flatMap((poll) => poll.group?.members ?? [poll])
    .filter(({ detector }) => detector === "feed")
    .map((poll) => ({
      ...poll,
      subscribers: poll.subscribers.filter(({ watch }) => watch.id === watchId),
    }))
    .filter(({ subscribers }) => subscribers.length > 0);
