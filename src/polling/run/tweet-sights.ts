/**
 * Collects what a poll saw of tweets, for messages that were already sent about them and may be
 * edited.
 */
import type { TweetSight } from "../../model/edit.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { EvaluatedEvent } from "../evaluate/verdicts.ts";

/**
 * Returns the tweets that the poll saw. Deleted ones come last, so that a deletion counts even if
 * an answer still shows the tweet.
 */
export const sightsOf = (
  tweets: Iterable<Tweet>,
  events: readonly EvaluatedEvent[],
): readonly TweetSight[] => [
  ...[...tweets].map((tweet): TweetSight => ({ kind: "seen", tweet })),
  ...events.flatMap(({ event }): readonly TweetSight[] =>
    event.type === "tweet.deleted" ? [{ kind: "gone", tweetId: event.subject }] : [],
  ),
];
