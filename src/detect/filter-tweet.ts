/**
 * Finds the reason why a watch rejects a tweet before its `where` is evaluated: `include` excludes
 * the tweet's kind, or `ignore` contains its author or a word in it. Pure.
 */
import { kindOfTweet, type Tweet } from "../model/tweet.ts";
import type { Ignore, Include } from "../model/watch.ts";

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** Whether `text` contains `word` as a whole word, in any case. */
export function containsWord(text: string, word: string): boolean {
  const haystack = text.toLowerCase();
  const needle = word.toLowerCase();
  if (needle === "") return false;
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
    const before = Array.from(haystack.slice(Math.max(0, at - 2), at)).at(-1);
    const after = Array.from(haystack.slice(at + needle.length, at + needle.length + 2))[0];
    const startsFree = !isWordCharacter(needle[0]) || !isWordCharacter(before);
    const endsFree = !isWordCharacter(needle.at(-1)) || !isWordCharacter(after);
    if (startsFree && endsFree) return true;
  }
  return false;
}

/**
 * Returns the reason why the watch rejects the tweet, as text; undefined if `include` and `ignore`
 * accept it.
 */
export function reasonAgainstTweet(
  tweet: Tweet,
  include: Include,
  ignore: Ignore,
): string | undefined {
  const kind = kindOfTweet(tweet);
  if (kind !== "post" && !include[kind])
    return `a ${kind}, and include.${kind === "reply" ? "replies" : `${kind}s`} is false`;
  const handle = tweet.user.username.toLowerCase();
  if (ignore.authors.includes(handle) || ignore.authors.includes(`id:${tweet.user.id}`))
    return `the author @${tweet.user.username} is ignored`;
  const word = ignore.words.find((candidate) => containsWord(tweet.full_text, candidate));
  return word === undefined ? undefined : `the word "${word}" is ignored`;
}
