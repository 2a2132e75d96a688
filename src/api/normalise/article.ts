/** Normalises a long-form article, some of whose counts have another name in older answers. */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { withAliases, numberOrNull, recordOf, text, time, user } from "./answer-object.ts";

/**
 * The answer of /article (api-v3.md, "Article"). The counts are those at the time of the request. A
 * number that cannot be read is null.
 */
export interface Article extends JsonObject {
  readonly author: User;
  readonly bookmark_count: number | null;
  /** "" if the article has no cover. */
  readonly cover_image_url: string;
  /** The number of likes, called `likes_count` in older answers. */
  readonly favorite_count: number | null;
  readonly full_text: string;
  readonly preview_text: string;
  /** When the article was published, in ISO 8601 UTC; "" if the time cannot be read. */
  readonly published_at: string;
  readonly quote_count: number | null;
  readonly reply_count: number | null;
  readonly retweet_count: number | null;
  /** The number of views, called `views_count` in older answers. */
  readonly views: number | null;
}

export const readArticle: (raw: Raw) => Article = recordOf({
  author: user,
  bookmark_count: numberOrNull,
  cover_image_url: text,
  favorite_count: withAliases(numberOrNull, "likes_count"),
  full_text: text,
  preview_text: text,
  published_at: time,
  quote_count: numberOrNull,
  reply_count: numberOrNull,
  retweet_count: numberOrNull,
  views: withAliases(numberOrNull, "views_count"),
});
