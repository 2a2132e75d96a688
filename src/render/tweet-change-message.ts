/** How a tweet reads that something became of: counts that crossed, or its end. */
import type { NeutralMessage } from "../model/message.ts";
import type { OutboxEvent } from "../model/sink.ts";
import { kindOfTweet, type TweetKind } from "../model/tweet.ts";
import { nameOf, type ReadContext } from "./event-message.ts";
import { noticeMessage } from "./notice-message.ts";
import { tweetMessage } from "./tweet-message.ts";
import { beforeFacts, crossedMoves, crossedText } from "./value-moves.ts";

const COUNTS = {
  likes_count: "likes",
  retweet_count: "reposts",
  reply_count: "replies",
  quote_count: "quotes",
  bookmark_count: "bookmarks",
  view_count: "views",
};
const KINDS: Readonly<Record<TweetKind, string>> = { post: "A post", reply: "A reply", quote: "A quote", retweet: "A repost" };

/** Reads `body.tweet`, as it is now or as it was last remembered, `previous` and the names in `crossed`. */
export function tweetChangeMessage(event: OutboxEvent, context: ReadContext): NeutralMessage {
  const { type, body } = event.event;
  const { tweet } = body;
  if (tweet === undefined) return noticeMessage(event);
  const what = `${KINDS[kindOfTweet(tweet)]} by ${nameOf(tweet.user)}`;
  if (type === "tweet.deleted") return tweetMessage(event, context, `${what} is gone: deleted, or no longer public`);
  const crossed = crossedMoves(body, "tweet", COUNTS);
  const message = tweetMessage(event, context, `${what} ${crossedText(crossed)}`);
  return { ...message, facts: [...message.facts, ...beforeFacts(crossed)] };
}
