/** A poll of a feed: reads it, and prepares its evaluation for the readers. */
import { EMPTY_FEED, type GapCause, readFeedMemory } from "../../detect/feed-memory.ts";
import type { Reach } from "../../detect/feed-poll.ts";
import { ageGaps, gapAges } from "../../detect/gap-age.ts";
import { compareIds } from "../../model/id.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Ask } from "../ask.ts";
import { isSkipping } from "../evaluate/absence.ts";
import { evaluateFeed, feedNeeds } from "../evaluate/evaluate-feed.ts";
import { knownTweets, ownFeed } from "../read/known-tweets.ts";
import { type FeedObservation, readFeed } from "../read/read-feed.ts";
import type { PollState, Seen } from "./seen.ts";

export interface FeedStart {
  readonly startedAtMs: number;
  /**
   * Set if something other than the schedule decides how far back the poll reads, for example a
   * probe.
   */
  readonly reach: Reach | undefined;
  readonly serviceClock: ServiceClock;
}

export async function readFeedPoll(
  ask: Ask,
  state: PollState,
  { startedAtMs, reach, serviceClock }: FeedStart,
): Promise<Seen> {
  const { poll, readers, source } = state;
  const needs = () => ({
    ...feedNeeds(readers, serviceClock),
    reach,
  });
  // If an absence of all watches is to be skipped, the feed is read as if for the first time, which
  // takes one page.
  const isFresh = readers.every(({ subscriber, target }) => isSkipping(subscriber.watch, target));
  const memory = isFresh ? EMPTY_FEED : readFeedMemory(source.memory);
  const feed = await readFeed(ask, poll, { memory, needs, serviceClock, startedAtMs });
  return seenFeed({
    ...feed,
    memory: ageGaps(memory, feed.memory, { nowMs: startedAtMs, cause: causeOf(feed.error) }),
  });
}

/** Returns why a read did not shrink the gaps that it left. */
function causeOf(error: unknown): GapCause {
  if (error instanceof RequestHeld && (error.reason === "pace" || error.reason === "quota"))
    return "quota";
  return error === undefined ? "depth" : "service";
}

export function seenFeed(feed: FeedObservation): Seen {
  const { memory, error, isHeadWhole, isSuspicious, lostGaps, tweets } = feed;
  const openGaps = gapAges(memory);
  // Older tweets may carry an older handle, so the newest tweet of each author decides.
  const oldestFirst = [...tweets.values()].sort((a, b) => compareIds(a.id, b.id));
  return {
    memory,
    error,
    isWhole: isHeadWhole && openGaps.length === 0,
    tweets: [...tweets.values()],
    users: new Map(oldestFirst.map(({ user }) => [user.id, user])),
    isAboutAccount: false,
    async evaluator({ poll }, store, context) {
      const known = await knownTweets(store, poll.subscribers, feed);
      return ({ subscriber, target }, index) =>
        evaluateFeed(subscriber, target, ownFeed(subscriber, feed), {
          ...context,
          known: known[index] ?? new Set(),
        });
    },
    outcome: () => ({
      isSuspicious,
      lostGaps,
      openGaps,
      ...(isHeadWhole ? { shown: new Set(tweets.keys()) } : {}),
    }),
  };
}
