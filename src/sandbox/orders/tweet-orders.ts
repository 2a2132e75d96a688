/**
 * Changes that the control API makes to tweets and articles: new tweets, and the texts and counts
 * of existing ones.
 */
import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { notFound } from "../calls/service-error.ts";
import { handle, howMany, time } from "./world-orders.ts";
import type { World } from "../world/world.ts";

export const id = z.string().regex(/^\d{1,20}$/, "must be a string of digits");
const otherId = id.exactOptional();

/** The body of a request for new tweets; inject.ts creates them. */
export const NEW_TWEETS = z.strictObject({
  username: handle,
  text: z.string().exactOptional(),
  reply_to: otherId,
  quote_of: otherId,
  retweet_of: otherId,
  community_id: otherId,
  created_at: time.exactOptional(),
  visible_after_ms: z.number().nonnegative().exactOptional(),
  count: howMany.exactOptional(),
  lang: z.string().exactOptional(),
});

const count = z.int().nonnegative().exactOptional();

export const TWEET_EDITS = z.strictObject({
  full_text: z.string().exactOptional(),
  likes_count: count,
  retweet_count: count,
  reply_count: count,
  quote_count: count,
  bookmark_count: count,
  view_count: count,
});

/** Changes the given fields of a tweet. @throws ServiceError 404 */
export function editTweet(
  { tweets }: World,
  edits: z.output<typeof TWEET_EDITS>,
  tweet: string,
): JsonObject {
  if (tweets.find(tweet) === undefined) throw notFound("tweet");
  tweets.edit(tweet, edits);
  return { id: tweet, ...tweets.editsOf(tweet) };
}

export const ARTICLE = z.strictObject({
  tweet_id: id,
  full_text: z.string().exactOptional(),
  preview_text: z.string().exactOptional(),
  cover_image_url: z.string().exactOptional(),
  favorite_count: count,
  retweet_count: count,
  reply_count: count,
  quote_count: count,
  bookmark_count: count,
  views: count,
});

/**
 * Makes a tweet an article, or changes the given fields of its article. @throws ServiceError 404
 */
export function putArticle(
  { recorded, tweets }: World,
  { tweet_id, ...edits }: z.output<typeof ARTICLE>,
): JsonObject {
  if (tweets.find(tweet_id) === undefined) throw notFound("tweet");
  const all = { ...recorded.articleEdits.get(tweet_id), ...edits };
  recorded.articleEdits.set(tweet_id, all);
  return { tweet_id, ...all };
}
