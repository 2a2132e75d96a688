/** Formats the number by which a digest is sorted, as its lines show it: "♥ 1.2K". */
import { ownValue } from "../../model/own-value.ts";
import { unbroken } from "./clean-text.ts";
import { formatCompact } from "./numbers.ts";

/** The sign to show before a number, by the last part of the dotted path of its field. */
const SIGNS: Readonly<Record<string, string>> = {
  likes_count: "♥",
  favorite_count: "♥",
  favourites_count: "♥",
};

/** The noun to show after a number that has no sign, by the last part of the path of its field. */
const NOUNS: Readonly<Record<string, string>> = {
  retweet_count: "reposts",
  reply_count: "replies",
  quote_count: "quotes",
  bookmark_count: "bookmarks",
  view_count: "views",
  followers_count: "followers",
  followings_count: "following",
  tweets_count: "posts",
};

/**
 * Returns a number with its sign or noun, without a space at which a line could end. `name` is the dotted path of its field. `value` is
 * undefined if the alert does not contain the field; then there is no text.
 */
export function sortValue(
  name: string,
  value: number | undefined,
  locale?: string,
): string | undefined {
  if (value === undefined) return undefined;
  const last = name.split(".").at(-1) ?? name;
  const number = formatCompact(value, locale);
  const sign = ownValue(SIGNS, last);
  const noun = ownValue(NOUNS, last) ?? last.replaceAll("_", " ");
  return unbroken(sign === undefined ? `${number} ${noun}` : `${sign} ${number}`);
}
