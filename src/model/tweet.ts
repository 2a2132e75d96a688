/** A tweet as the rest of the house sees it: normalised by api/, shapes of api-v3.md "Tweet". */
import type { JsonObject } from "./json.ts";
import type { User } from "./user.ts";

export interface TweetEntity extends JsonObject {
  readonly link: string;
  readonly preview: string;
  /** photo, video, animated_gif, url … an open set. */
  readonly type: string;
}

export interface Tweet extends JsonObject {
  readonly id: string;
  readonly full_text: string;
  /** ISO 8601 UTC; from the id where the service gave none that can be read. */
  readonly created_at: string;
  readonly lang: string;
  readonly conversation_id_str: string;
  readonly entities: readonly TweetEntity[];
  readonly is_reply: boolean;
  readonly in_reply_to_tweet_id: string;
  readonly in_reply_to_username: string;
  readonly is_quote_status: boolean;
  readonly likes_count: number;
  readonly retweet_count: number;
  readonly reply_count: number;
  readonly quote_count: number;
  readonly bookmark_count: number;
  readonly view_count: number;
  readonly user: User;
  readonly quoted_status?: Tweet;
  readonly retweeted_status?: Tweet;
}

export type TweetKind = "post" | "reply" | "retweet" | "quote";

export function kindOfTweet(tweet: Tweet): TweetKind {
  if (tweet.retweeted_status !== undefined) return "retweet";
  if (tweet.is_reply || tweet.in_reply_to_tweet_id !== "") return "reply";
  if (tweet.is_quote_status || tweet.quoted_status !== undefined) return "quote";
  return "post";
}
