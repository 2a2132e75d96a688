/**
 * Decides which alerts follow up on a message that was sent before, and what an alert is about, so
 * that the alerts on one subject keep their order. Pure.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import type { Tweet } from "../model/tweet.ts";

/**
 * Whether an alert follows up an earlier one: a post that had an alert was edited or deleted, or a
 * value is back to normal. A watch of type `tweet` raises no alert about the post itself, so its
 * alerts about an edit or a deletion are not follow-ups. A repeated alert on a value is not a
 * follow-up either.
 */
export const isAfterAlert = ({
  type,
  watchType,
  body,
}: Pick<ChirpEvent, "type" | "watchType" | "body">): boolean =>
  body["resolved"] !== undefined ||
  (watchType !== "tweet" && (type === "tweet.edited" || type === "tweet.deleted"));

/**
 * Returns the subject of an alert and whether the alert follows another one; nothing for an alert
 * on a new post, which follows no other. If the alert is on a post, the subject leaves out the
 * target, because several targets of a watch may find the same post.
 */
export function aboutOf(event: ChirpEvent): Pick<NewDelivery, "about" | "follows"> {
  const { type, watchKey, subject, labels, body } = event;
  if (type === "tweet.created") return {};
  const place = body.tweet === undefined ? { target: labels["target"] ?? "" } : {};
  return {
    about: { watchKey, subject, ...place },
    ...(isAfterAlert(event) ? { follows: {} } : {}),
  };
}

/**
 * Returns the event. If the event reports that a post was deleted, the text and media of the post
 * are removed, and those of the posts that it contained.
 */
export function withoutDeletedText(event: ChirpEvent): ChirpEvent {
  const { tweet } = event.body;
  return event.type !== "tweet.deleted" || tweet === undefined
    ? event
    : { ...event, body: { ...event.body, tweet: withoutText(tweet) } };
}

function withoutText(tweet: Tweet): Tweet {
  const { retweeted_status: reposted, quoted_status: quoted } = tweet;
  return {
    ...tweet,
    full_text: "",
    entities: [],
    ...(reposted === undefined ? {} : { retweeted_status: withoutText(reposted) }),
    ...(quoted === undefined ? {} : { quoted_status: withoutText(quoted) }),
  };
}
