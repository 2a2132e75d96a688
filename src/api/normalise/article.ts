/** A long-form article: what it becomes, by the newer and the older names of its counts. */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { count, either, recordOf, text, time, user } from "./record.ts";

/** Answer of /article (api-v3.md "Article"). Counts are as of the request. */
export interface Article extends JsonObject {
  readonly author: User;
  readonly bookmark_count: number;
  /** "" without a cover. */
  readonly cover_image_url: string;
  /** Likes; `likes_count` in older answers. */
  readonly favorite_count: number;
  readonly full_text: string;
  readonly preview_text: string;
  /** ISO 8601 UTC; "" when it cannot be read. */
  readonly published_at: string;
  readonly quote_count: number;
  readonly reply_count: number;
  readonly retweet_count: number;
  /** `views_count` in older answers. */
  readonly views: number;
}

export const readArticle: (raw: Raw) => Article = recordOf({
  author: user,
  bookmark_count: count,
  cover_image_url: text,
  favorite_count: either(count, "likes_count"),
  full_text: text,
  preview_text: text,
  published_at: time,
  quote_count: count,
  reply_count: count,
  retweet_count: count,
  views: either(count, "views_count"),
});
