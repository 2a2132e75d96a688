/** Creates an event from a fact: its id, labels and times. */
import { type EventBody, eventId, type Labels } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import { kindOfTweet } from "../../model/tweet.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { EvaluatedEvent } from "./verdicts.ts";
import type { Subscriber } from "../watch-poll.ts";

/** What every evaluation needs. */
export interface EvaluationContext {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  /** A fresh random id for events that can recur. */
  readonly episode: string;
}

export interface Fact {
  readonly type: string;
  readonly subject: string;
  /**
   * Empty for a fact that can happen only once. A random id, which is stored, for a fact that can
   * recur.
   */
  readonly episode: string;
  readonly body: EventBody;
  readonly occurredAtMs: number;
}

export type EventContext = Pick<EvaluationContext, "hash" | "detectedAtMs">;

export function makeEvent(
  { hash, detectedAtMs }: EventContext,
  subscriber: Subscriber,
  fact: Fact,
): EvaluatedEvent {
  const { watch, watchKey } = subscriber;
  const event = {
    id: eventId(hash, watchKey, fact),
    type: fact.type,
    watchKey,
    watch: watch.id,
    watchType: watch.type,
    subject: fact.subject,
    labels: labelsOf(subscriber, fact),
    body: fact.body,
    occurredAtMs: fact.occurredAtMs,
    detectedAtMs,
  };
  return { event, ownSinks: watch.sinks };
}

/**
 * Returns the labels of an event. Of the labels that are set here, the watch's own labels can
 * replace only `severity`.
 */
export function labelsOf(
  { watch, targetName }: Pick<Subscriber, "watch" | "targetName">,
  { type, body }: Pick<Fact, "type" | "body">,
): Labels {
  const { tweet, user } = body;
  const about =
    tweet === undefined
      ? { author: user?.username ?? "", author_id: user?.id ?? "" }
      : {
          author: tweet.user.username,
          author_id: tweet.user.id,
          lang: tweet.lang,
          kind: kindOfTweet(tweet),
          conversation: tweet.conversation_id_str,
        };
  return {
    severity: "info",
    ...watch.labels,
    watch: watch.id,
    type: watch.type,
    event: type,
    target: targetName,
    ...about,
  };
}
