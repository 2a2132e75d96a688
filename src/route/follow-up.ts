/**
 * Which alerts speak about a message that was sent before, and what an alert is about, so that the
 * alerts on one subject keep their order. Pure.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import type { Tweet } from "../model/tweet.ts";

/**
 * An edited or deleted post that was announced, and a value that is back. A watch of type `tweet`
 * announces no posts: the end of one is its alert. Repeats of a value are alerts, too.
 */
export const isAfterAlert = ({
  type,
  watchType,
  body,
}: Pick<ChirpEvent, "type" | "watchType" | "body">): boolean =>
  body["resolved"] !== undefined ||
  (watchType !== "tweet" && (type === "tweet.edited" || type === "tweet.deleted"));

/**
 * Nothing comes before the alert on a post that was found. A post is one, whichever target of a
 * watch it was found for.
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
 * The same event; where it says that a post is gone, without the text and the pictures of that post
 * and of what it showed.
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
