/** A long-form article: what it becomes, by the newer and the older names of its counts. */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { either, numberOrNull, recordOf, text, time, user } from "./answer-object.ts";

/** Answer of /article (api-v3.md "Article"). Counts are as of the request. */
/** A number is null when it cannot be read. */
export interface Article extends JsonObject {
  readonly author: User;
  readonly bookmark_count: number | null;
  /** "" without a cover. */
  readonly cover_image_url: string;
  /** Likes; `likes_count` in older answers. */
  readonly favorite_count: number | null;
  readonly full_text: string;
  readonly preview_text: string;
  /** ISO 8601 UTC; "" when it cannot be read. */
  readonly published_at: string;
  readonly quote_count: number | null;
  readonly reply_count: number | null;
  readonly retweet_count: number | null;
  /** `views_count` in older answers. */
  readonly views: number | null;
}

export const readArticle: (raw: Raw) => Article = recordOf({
  author: user,
  bookmark_count: numberOrNull,
  cover_image_url: text,
  favorite_count: either(numberOrNull, "likes_count"),
  full_text: text,
  preview_text: text,
  published_at: time,
  quote_count: numberOrNull,
  reply_count: numberOrNull,
  retweet_count: numberOrNull,
  views: either(numberOrNull, "views_count"),
});
