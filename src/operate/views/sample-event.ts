/**
 * Creates a sample event of a watch. It has the fields that events of the watch's type have, with
 * invented values. `render` shows it for a watch that has had no event yet.
 */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent, EventBody } from "../../model/event.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { Watch } from "../../model/watch.ts";
import { labelsOf } from "../../polling/evaluate/make-event.ts";
import type { BodyField } from "../../watches/watch-type.ts";
import { watchTypeOf } from "../../watches/registry.ts";

export const SAMPLE_ID = "sample";
const SUBJECT = "1234567890123456789";
const COUNT = 1_234;

/** Returns a sample of the first event type that the watch can raise. */
export function sampleOfWatch(watch: Watch, nowMs: number): ChirpEvent {
  const { events, body: fields, targets } = watchTypeOf(watch);
  const type = events[0] ?? "";
  const [target] = targets(watch.settings, watch.id, () => "sample");
  const values: EventBody = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, valueOf(field, fields, nowMs)]),
  );
  const body =
    values.target === undefined
      ? values
      : { ...values, target: { ...values.target, ...namedAs(target?.name ?? "") } };
  return {
    id: SAMPLE_ID,
    type,
    watchKey: "",
    watch: watch.id,
    watchType: watch.type,
    subject: SUBJECT,
    labels: labelsOf({ watch, targetName: target?.name ?? "" }, { type, body }),
    body,
    occurredAtMs: nowMs,
    detectedAtMs: nowMs,
  };
}

/** Returns the name of the watched account, if the target is written as a handle. */
const namedAs = (target: string): Partial<User> => {
  const username = target.replace(/^@/, "");
  return /^\w{1,15}$/.test(username) ? { username, display_name: username } : {};
};

function valueOf(
  field: BodyField,
  fields: Readonly<Record<string, BodyField>>,
  nowMs: number,
): EventBody[string] {
  if (field === "tweet") return sampleTweet(nowMs);
  if (field === "user") return sampleUser();
  // A field of the kind `texts` contains the names of the values that crossed a threshold or
  // changed.
  if (field === "texts")
    return typeof fields["previous"] === "object"
      ? Object.keys(fields["previous"]).slice(0, 1)
      : [];
  if (field === "dyn") return COUNT;
  return Object.fromEntries(
    Object.entries(field).map(([name, type]) => [name, plainValue(name, type, nowMs)]),
  );
}

function plainValue(name: string, type: string, nowMs: number): EventBody[string] {
  if (type === "int" || type === "double" || type === "dyn") return COUNT;
  if (type === "bool") return true;
  if (type.startsWith("list<")) return [];
  if (/(^|_)id$/.test(name)) return SUBJECT;
  if (/_at$|_start$|Date$/.test(name)) return isoTime(nowMs);
  return /url$/.test(name) ? "https://example.com/sample" : `a sample ${name.replaceAll("_", " ")}`;
}

const sampleUser = (): User => ({
  id: SUBJECT,
  username: "sample",
  display_name: "Sample",
  description: "Nobody: an account of a sample.",
  bio_urls: [],
  created_at: "2020-01-01T00:00:00.000Z",
  favourites_count: COUNT,
  followers_count: COUNT,
  followings_count: COUNT,
  media_count: COUNT,
  tweets_count: COUNT,
  pinned_tweet_ids: [],
  profile_image_url: "",
  protected: false,
  verified: false,
});

const sampleTweet = (nowMs: number): Tweet => ({
  id: SUBJECT,
  full_text: "A sample: nobody has posted this.",
  created_at: isoTime(nowMs),
  lang: "en",
  conversation_id_str: SUBJECT,
  entities: [],
  is_reply: false,
  in_reply_to_tweet_id: "",
  in_reply_to_username: "",
  is_quote_status: false,
  likes_count: COUNT,
  retweet_count: COUNT,
  reply_count: COUNT,
  quote_count: COUNT,
  bookmark_count: COUNT,
  view_count: COUNT,
  user: sampleUser(),
});
