/** The message about a tweet whose counts crossed a threshold, or that was deleted. */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { tweetMessage, whatOf } from "./tweet-message.ts";
import { beforeFacts, crossedMoves, crossedText } from "./value-moves.ts";

const COUNTS = {
  likes_count: "likes",
  retweet_count: "reposts",
  reply_count: "replies",
  quote_count: "quotes",
  bookmark_count: "bookmarks",
  view_count: "views",
};

/**
 * Reads from the event's body `tweet`, in its current form or, if it was deleted, its last known
 * form, `previous`, the values before, and the names in `crossed`.
 */
export function tweetChangeMessage(event: OutboxEvent, context: ReadContext): NeutralMessage {
  const { type, body } = event.event;
  const { tweet } = body;
  if (tweet === undefined) return opsAlertMessage(event);
  if (type === "tweet.deleted") return tweetMessage(event, context);
  const crossed = crossedMoves(body, "tweet", COUNTS);
  const message = tweetMessage(event, context, `${whatOf(tweet)} ${crossedText(crossed)}`);
  // The title has the exact number of what was crossed, so no fact repeats it.
  const titled = crossed.map(({ noun }) => noun);
  const facts = message.facts.filter(({ name }) => !titled.includes(name.toLowerCase()));
  return { ...message, facts: [...facts, ...beforeFacts(crossed)] };
}
