/** Which tweets of a feed the state knows already, for each of those who share it. */
import type { PollStore } from "../../model/poll-store.ts";
import type { FeedObservation } from "./read-feed.ts";
import type { Subscriber } from "../watch-poll.ts";

/** What of a feed is the subscriber's: all of it, or what its own account posted. */
export function ownFeed({ author }: Subscriber, feed: FeedObservation): FeedObservation {
  return author === undefined ? feed : { ...feed, items: feed.items.filter(({ id }) => feed.tweets.get(id)?.user.id === author) };
}

/** Per subscriber. Of the thousands that may share a list, only those with an item in the answer are asked about. */
export async function knownTweets(
  store: Pick<PollStore, "knownItems">,
  subscribers: readonly Subscriber[],
  feed: FeedObservation,
): Promise<readonly ReadonlySet<string>[]> {
  if (feed.items.length === 0) return [];
  const everything = feed.items.map(({ id }) => id);
  const whole = subscribers.filter(({ author }) => author === undefined);
  const known = new Map<Subscriber, ReadonlySet<string>>();
  for (const [index, set] of (whole.length === 0 ? [] : await store.knownItems(whole, everything)).entries()) {
    const subscriber = whole[index];
    if (subscriber !== undefined) known.set(subscriber, set);
  }
  const authors = new Set(feed.items.map(({ id }) => feed.tweets.get(id)?.user.id));
  for (const subscriber of subscribers.filter(({ author }) => author !== undefined && authors.has(author))) {
    const ids = ownFeed(subscriber, feed).items.map(({ id }) => id);
    known.set(subscriber, (await store.knownItems([subscriber], ids))[0] ?? new Set());
  }
  return subscribers.map((subscriber) => known.get(subscriber) ?? new Set());
}
