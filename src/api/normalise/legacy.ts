/** Translates the field names of API version 2 (api-v3.md, "Versioning") to those of version 3. */
import type { Tweet } from "../../model/tweet.ts";
import { isRaw, type Raw } from "../read-value.ts";
import { normaliseTweet } from "./tweet.ts";

const TWEET_NAMES = [
  ["id", "id_str"],
  ["likes_count", "favorite_count"],
  ["in_reply_to_tweet_id", "in_reply_to_status_id_str"],
  ["in_reply_to_username", "in_reply_to_screen_name"],
] as const;

const USER_NAMES = [
  ["id", "id_str"],
  ["username", "screen_name"],
  ["display_name", "name"],
  ["profile_image_url", "avatar"],
  ["followings_count", "friends_count"],
  ["tweets_count", "statuses_count"],
] as const;

/** Normalises a tweet of version 2. The old field names are kept beside the new ones. */
export const normaliseLegacyTweet = (raw: Raw): Tweet => normaliseTweet(renameTweet(raw));

function renameTweet(raw: Raw): Raw {
  const tweet: Record<string, unknown> = rename(raw, TWEET_NAMES);
  if (isRaw(raw["user"])) tweet["user"] = rename(raw["user"], USER_NAMES);
  for (const name of ["quoted_status", "retweeted_status"]) {
    const embedded = raw[name];
    if (isRaw(embedded)) tweet[name] = renameTweet(embedded);
  }
  return tweet as Raw;
}

/**
 * Adds the fields under their new names. If both names are present, the value of the old name is
 * used: in version 2 `id` is a number, and only `id_str` has all digits.
 */
function rename(
  raw: Raw,
  names: readonly (readonly [string, string])[],
): Record<string, Raw[string]> {
  const renamed: Record<string, Raw[string]> = { ...raw };
  for (const [name, old] of names) {
    const value = raw[old] ?? raw[name];
    if (value !== undefined) renamed[name] = value;
  }
  return renamed;
}
