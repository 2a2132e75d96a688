/** Decides whether two texts of a tweet count as different. Pure. */
import type { Hash } from "../model/hash.ts";
import { kindOfTweet, type Tweet } from "../model/tweet.ts";

/**
 * The length of a fingerprint. It is short enough to be stored for every fresh tweet, and long
 * enough to distinguish its texts.
 */
const DIGEST_CHARS = 12;

// biome-ignore lint/suspicious/noControlCharactersInRegex: endpoints keep different ones of these
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff]/g;

/**
 * Returns a fingerprint of the tweet's text. Texts that differ only in spaces and invisible
 * characters have the same one. Returns undefined if the text is not reliable: an answer may lack
 * it, and a repost has the text of another tweet, shortened.
 */
export function textVersion(hash: Hash, tweet: Tweet): string | undefined {
  const text = tweet.full_text.normalize("NFC").replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  if (text === "" || kindOfTweet(tweet) === "retweet") return undefined;
  return hash(text).slice(0, DIGEST_CHARS);
}
