/** Batches for the chat sinks' tests: tweets of strangers, read aloud as the daemon would. */
import type { Batch, Digest, OutboxEvent } from "../../src/model/sink.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import { countTypes } from "../../src/render/text/kind-words.ts";
import { tweetMessage } from "../../src/render/messages/tweet-message.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";

/** Ids as long as real ones. */
export const tweetId = (index: number): string =>
  String(2_012_345_678_901_234_000n + BigInt(index));

/** One `tweet.created` for each set of changes, found by watch `brand`. */
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

/** A list without headings within. */
export const listOf = (items: readonly OutboxEvent[]): Omit<Digest, "read"> => ({
  cause: undefined,
  title: "brand",
  counts: countTypes(items),
  sections: [{ title: "", isKind: false, count: items.length, items }],
  unlisted: undefined,
});
