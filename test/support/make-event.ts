/** Events for tests that do not care how they were detected. */
import type { ChirpEvent } from "../../src/model/event.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import type { User } from "../../src/model/user.ts";

export const EVENT_TIME_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

export function makeUser(id: string, username = `user${id}`): User {
  return {
    id,
    username,
    display_name: username.toUpperCase(),
    description: "",
    bio_urls: [],
    created_at: "2020-01-01T00:00:00.000Z",
    favourites_count: 0,
    followers_count: 10,
    followings_count: 5,
    media_count: 0,
    tweets_count: 1,
    pinned_tweet_ids: [],
    profile_image_url: "",
    protected: false,
    verified: false,
  };
}

export function makeTweet(id: string, text = `tweet ${id}`): Tweet {
  return {
    id,
    full_text: text,
    created_at: new Date(EVENT_TIME_MS).toISOString(),
    lang: "en",
    conversation_id_str: id,
    entities: [],
    is_reply: false,
    in_reply_to_tweet_id: "",
    in_reply_to_username: "",
    is_quote_status: false,
    likes_count: 0,
    retweet_count: 0,
    reply_count: 0,
    quote_count: 0,
    bookmark_count: 0,
    view_count: 0,
    user: makeUser("7", "alice"),
  };
}

/** Creates an event, by default `tweet.created` of watch `brand`. */
export function makeEvent(subject: string, changes: Partial<ChirpEvent> = {}): ChirpEvent {
  const watch = changes.watch ?? "brand";
  const type = changes.type ?? "tweet.created";
  return {
    id: `e-${watch}-${type}-${subject}`,
    type,
    watchKey: `key-${watch}`,
    watch,
    watchType: "search",
    subject,
    labels: {
      watch,
      type: "search",
      event: type,
      author: "alice",
      lang: "en",
      kind: "post",
      severity: "info",
      ...changes.labels,
    },
    body: type.startsWith("tweet.")
      ? { tweet: makeTweet(subject) }
      : { user: makeUser(subject), target: makeUser("99", "acme") },
    occurredAtMs: EVENT_TIME_MS,
    detectedAtMs: EVENT_TIME_MS,
    ...withoutLabels(changes),
  };
}

const withoutLabels = ({ labels: _, ...rest }: Partial<ChirpEvent>): Partial<ChirpEvent> => rest;

/** Creates one of the daemon's own events. */
export const makeOpsAlert = (type: string): ChirpEvent =>
  makeEvent("notice", {
    type,
    watch: "",
    watchKey: "",
    watchType: "daemon",
    labels: { watch: "", type: "daemon", event: type },
    body: {},
  });
