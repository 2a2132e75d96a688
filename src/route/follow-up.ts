/** Which alerts speak about a message that was sent before, and what an alert is about, so that the alerts on one subject keep their order. Pure. */
import type { ChirpEvent } from "../model/event.ts";
import type { NewDelivery } from "../model/poll-store.ts";

/**
 * An edited or deleted post that was announced, and a value that is back. A watch of type `tweet` announces no posts: the end of one is its alert.
 * Repeats of a value are alerts, too.
 */
const isAfterAlert = ({ type, watchType, body }: Pick<ChirpEvent, "type" | "watchType" | "body">): boolean =>
  body["resolved"] !== undefined || (watchType !== "tweet" && (type === "tweet.edited" || type === "tweet.deleted"));

/** Nothing comes before the alert on a post that was found. A post is one, whichever target of a watch it was found for. */
export function aboutOf(event: ChirpEvent): Pick<NewDelivery, "about" | "follows"> {
  const { type, watchKey, subject, labels, body } = event;
  if (type === "tweet.created") return {};
  const place = body.tweet === undefined ? { target: labels["target"] ?? "" } : {};
  return { about: { watchKey, subject, ...place }, ...(isAfterAlert(event) ? { follows: {} } : {}) };
}
