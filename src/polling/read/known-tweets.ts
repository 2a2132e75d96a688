/** Finds which tweets of a feed already have a verdict in the state, for each subscriber. */
import type { PollStore } from "../../model/poll-store.ts";
import type { FeedObservation } from "./read-feed.ts";
import type { Subscriber } from "../watch-poll.ts";

/**
 * Returns the part of a feed that concerns the subscriber: all of it or, if the subscriber reads
 * one author through a public list, the tweets of that author.
 */
export function ownFeed({ author }: Subscriber, feed: FeedObservation): FeedObservation {
  return author === undefined
    ? feed
    : { ...feed, items: feed.items.filter(({ id }) => feed.tweets.get(id)?.user.id === author) };
}

/**
 * Returns the known ids for each subscriber. Thousands of subscribers may share a public list, so
 * the state is asked only about those that have an item in the answer.
 */
export async function knownTweets(
  store: Pick<PollStore, "knownItems">,
  subscribers: readonly Subscriber[],
  feed: FeedObservation,
): Promise<readonly ReadonlySet<string>[]> {
  const ids = feed.items.map(({ id }) => id);
  const authors = new Set(ids.map((id) => feed.tweets.get(id)?.user.id));
  const asked = subscribers.filter(({ author }) => author === undefined || authors.has(author));
  if (ids.length === 0 || asked.length === 0) return [];
  const found = await store.knownItems(asked, ids);
  const known = new Map(
    asked.map((subscriber, index) => [subscriber, found[index] ?? new Set<string>()]),
  );
  return subscribers.map((subscriber) => known.get(subscriber) ?? new Set());
}
