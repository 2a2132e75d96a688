/**
 * Converts a tweet of the service, with its embedded author and tweets, to the form that the rest
 * of the daemon uses.
 */
import type { Tweet, TweetEntity } from "../../model/tweet.ts";
import { isRaw, type Raw, readCount, readFlag, readId, readText, readTime } from "../read-value.ts";
import { timeFromId } from "./time-from-id.ts";
import { flagIn, normaliseEmbeddedUser } from "./user.ts";

/**
 * Normalises a tweet. Missing fields get neutral values such as "" and 0, and unknown fields are
 * kept. If `created_at` cannot be read, the time is derived from the id. `id` is "" if there is no
 * usable id. An embedded tweet is kept even without an id, because it shows that the tweet is a
 * retweet or a quote.
 */
export function normaliseTweet(raw: Raw): Tweet {
  const {
    quoted_status,
    retweeted_status,
    is_replies_limited,
    made_with_ai,
    paid_partnership,
    ...rest
  } = raw;
  const id = readId(raw["id"]);
  const inReplyTo = readId(raw["in_reply_to_tweet_id"]);
  const isReply = readFlag(raw["is_reply"]) ?? inReplyTo !== "";
  const tweet: { -readonly [K in keyof Tweet]: Tweet[K] } = {
    ...rest,
    ...flagIn("is_replies_limited", is_replies_limited),
    ...flagIn("made_with_ai", made_with_ai),
    ...flagIn("paid_partnership", paid_partnership),
    id,
    full_text: readText(raw["full_text"]),
    created_at: readTime(raw["created_at"]) || timeFromId(id),
    lang: readText(raw["lang"]),
    conversation_id_str: readId(raw["conversation_id_str"]) || (isReply ? "" : id),
    entities: readEntities(raw["entities"]),
    is_reply: isReply,
    in_reply_to_tweet_id: inReplyTo,
    in_reply_to_username: readText(raw["in_reply_to_username"]),
    is_quote_status: readFlag(raw["is_quote_status"]) ?? false,
    likes_count: readCount(raw["likes_count"]),
    retweet_count: readCount(raw["retweet_count"]),
    reply_count: readCount(raw["reply_count"]),
    quote_count: readCount(raw["quote_count"]),
    bookmark_count: readCount(raw["bookmark_count"]),
    view_count: readCount(raw["view_count"]),
    user: normaliseEmbeddedUser(raw["user"]),
  };
  if (isRaw(quoted_status)) tweet.quoted_status = normaliseTweet(quoted_status);
  if (isRaw(retweeted_status)) tweet.retweeted_status = normaliseTweet(retweeted_status);
  return tweet;
}

function readEntities(value: unknown): readonly TweetEntity[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRaw).map((raw) => ({
    ...raw,
    link: readText(raw["link"]),
    preview: readText(raw["preview"]),
    type: readText(raw["type"]),
  }));
}
