/** Returns what a poll saw of tweets, for sinks that show them already. */
import type { TweetSight } from "../../model/edit.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { EvaluatedEvent } from "../evaluate/verdicts.ts";

/** Tweets that are gone come last: they count where an answer shows one of them all the same. */
export const sightsOf = (
  tweets: Iterable<Tweet>,
  events: readonly EvaluatedEvent[],
): readonly TweetSight[] => [
  ...[...tweets].map((tweet): TweetSight => ({ kind: "seen", tweet })),
  ...events.flatMap(({ event }): readonly TweetSight[] =>
    event.type === "tweet.deleted" ? [{ kind: "gone", tweetId: event.subject }] : [],
  ),
];
