/**
 * Batches for the tests of chat sinks: tweets of strangers, in messages as the daemon would make
 * them.
 */
import type { Batch, Digest, OutboxEvent } from "../../src/model/sink.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import { countTypes } from "../../src/render/text/kind-words.ts";
import { tweetMessage } from "../../src/render/messages/tweet-message.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";

/** Returns an id as long as real ones. */
export const tweetId = (index: number): string =>
  String(2_012_345_678_901_234_000n + BigInt(index));

/** Creates one `tweet.created` for each set of changes, found by watch `brand`. */
export function tweetBatch(tweets: readonly Partial<Tweet>[], changes: Partial<Batch> = {}): Batch {
  const events = tweets.map((tweet, index) => {
    const id = tweetId(index);
    return {
      event: makeEvent(id, { body: { tweet: { ...makeTweet(id), ...tweet } as Tweet } }),
      watches: ["brand"],
    };
  });
  return {
    events,
    sample: false,
    read: (event) => tweetMessage(event, { linksHost: "https://x.com" }),
    ...changes,
  };
}

/** Creates a list without inner headings. */
export const listOf = (items: readonly OutboxEvent[]): Omit<Digest, "read"> => ({
  cause: undefined,
  title: "brand",
  counts: countTypes(items),
  sections: [{ title: "", isKind: false, count: items.length, items }],
  unlisted: undefined,
});
