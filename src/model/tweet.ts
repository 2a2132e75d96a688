/** A tweet as the rest of the daemon sees it: normalised by api/, shapes of api-v3.md "Tweet". */
import type { JsonObject } from "./json.ts";
import type { User } from "./user.ts";

/** Media or a link attached to a tweet. Inside a quoted tweet they are not sent. */
export interface TweetEntity extends JsonObject {
  /** URL of the thing itself. */
  readonly link: string;
  /** URL of a small picture of it; "" when there is none. */
  readonly preview: string;
  /** photo, video, animated_gif, url … an open set. */
  readonly type: string;
}

/** Counts are as of the request; unknown fields stay beside these. */
export interface Tweet extends JsonObject {
  /** Digits beyond 2^53: compare by length, then as text. */
  readonly id: string;
  readonly full_text: string;
  /** ISO 8601 UTC; from the id where the service gave none that can be read. */
  readonly created_at: string;
  /** Language code, e.g. `en`. */
  readonly lang: string;
  /** Id of the thread's root; "" for a reply whose thread is unknown. */
  readonly conversation_id_str: string;
  readonly entities: readonly TweetEntity[];
  readonly is_reply: boolean;
  /** "" when it is no reply. */
  readonly in_reply_to_tweet_id: string;
  /** Handle without @; "" when it is no reply. */
  readonly in_reply_to_username: string;
  readonly is_quote_status: boolean;
  /** Replies are restricted. */
  readonly is_replies_limited?: boolean;
  /** In lists only. */
  readonly made_with_ai?: boolean;
  /** In lists only. */
  readonly paid_partnership?: boolean;
  readonly likes_count: number;
  readonly retweet_count: number;
  readonly reply_count: number;
  readonly quote_count: number;
  readonly bookmark_count: number;
  readonly view_count: number;
  /** The author, in full. */
  readonly user: User;
  readonly quoted_status?: Tweet;
  /** The original post, when the tweet is a retweet. */
  readonly retweeted_status?: Tweet;
}

export type TweetKind = "post" | "reply" | "retweet" | "quote";

export function kindOfTweet(tweet: Tweet): TweetKind {
  if (tweet.retweeted_status !== undefined) return "retweet";
  if (tweet.is_reply || tweet.in_reply_to_tweet_id !== "") return "reply";
  if (tweet.is_quote_status || tweet.quoted_status !== undefined) return "quote";
  return "post";
}
