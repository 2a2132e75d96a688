/** The number by which a digest is sorted, as its lines show it: "♥ 1.2K". */
import { ownValue } from "../../model/own-value.ts";
import { formatCompact } from "./numbers.ts";

/** The sign before the number, by the last name of its path. */
const SIGNS: Readonly<Record<string, string>> = {
  likes_count: "♥",
  favorite_count: "♥",
  favourites_count: "♥",
};

/** The noun after the number, if it has no sign. */
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

/** Returns the text of a number. `name` is its path. Undefined if the alert has no such number. */
export function sortValue(
  name: string,
  value: number | undefined,
  locale?: string,
): string | undefined {
  if (value === undefined) return undefined;
  const last = name.split(".").at(-1) ?? name;
  const number = formatCompact(value, locale);
  const sign = ownValue(SIGNS, last);
  if (sign !== undefined) return `${sign} ${number}`;
  return `${number} ${ownValue(NOUNS, last) ?? last.replaceAll("_", " ")}`;
}
