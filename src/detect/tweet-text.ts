/** What counts as another text of a tweet. Pure. */
import type { Hash } from "../model/hash.ts";
import { kindOfTweet, type Tweet } from "../model/tweet.ts";

/**
 * Short enough to be kept for every fresh tweet, and long enough to distinguish the texts of one.
 */
const DIGEST_CHARS = 12;

// biome-ignore lint/suspicious/noControlCharactersInRegex: endpoints differ in what they leave of them
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff]/g;

/**
 * A name for the tweet's text that stays the same where only spaces and invisible characters
 * differ. Undefined where the text says nothing: an answer may lack it, and a repost has the text
 * of another tweet, cut to fit.
 */
export function textVersion(hash: Hash, tweet: Tweet): string | undefined {
  const text = tweet.full_text.normalize("NFC").replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  if (text === "" || kindOfTweet(tweet) === "retweet") return undefined;
  return hash(text).slice(0, DIGEST_CHARS);
}
