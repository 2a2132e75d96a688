/**
 * A tweet as the rest of the daemon sees it: normalised by api/, in the shape of api-v3.md "Tweet".
 */
import type { JsonObject } from "./json.ts";
import type { User } from "./user.ts";

/** Media or a link attached to a tweet. The service does not send those of a quoted tweet. */
export interface TweetEntity extends JsonObject {
  /** The URL of the media or link itself. */
  readonly link: string;
  /** The URL of a small picture of it; "" if there is none. */
  readonly preview: string;
  /** photo, video, animated_gif, url …: an open set. */
  readonly type: string;
}

/**
 * A tweet. Counts are those at the time of the request. Unknown fields are kept in addition to
 * these.
 */
export interface Tweet extends JsonObject {
  /** The id, a number beyond 2^53 as text: compare by length, then as text. */
  readonly id: string;
  readonly full_text: string;
  /** ISO 8601 UTC; derived from the id if the service sent no readable time. */
  readonly created_at: string;
  /** Language code, e.g. `en`. */
  readonly lang: string;
  /** The id of the thread's root; "" for a reply whose thread is unknown. */
  readonly conversation_id_str: string;
  readonly entities: readonly TweetEntity[];
  readonly is_reply: boolean;
  /** "" if it is not a reply. */
  readonly in_reply_to_tweet_id: string;
  /** The handle without @; "" if it is not a reply. */
  readonly in_reply_to_username: string;
  readonly is_quote_status: boolean;
  /** Whether replies are restricted. */
  readonly is_replies_limited?: boolean;
  /** Only set in lists. */
  readonly made_with_ai?: boolean;
  /** Only set in lists. */
  readonly paid_partnership?: boolean;
  readonly likes_count: number;
  readonly retweet_count: number;
  readonly reply_count: number;
  readonly quote_count: number;
  readonly bookmark_count: number;
  readonly view_count: number;
  /** The author's complete profile. */
  readonly user: User;
  readonly quoted_status?: Tweet;
  /** The original post, if the tweet is a retweet. */
  readonly retweeted_status?: Tweet;
}

export type TweetKind = "post" | "reply" | "retweet" | "quote";

export function kindOfTweet(tweet: Tweet): TweetKind {
  if (tweet.retweeted_status !== undefined) return "retweet";
  if (tweet.is_reply || tweet.in_reply_to_tweet_id !== "") return "reply";
  if (tweet.is_quote_status || tweet.quoted_status !== undefined) return "quote";
  return "post";
}
