/**
 * Converts a profile to the form that the rest of the daemon uses, from any of the service's shapes
 * (full, followed, reduced, analytics).
 */
import { timeFromId } from "./time-from-id.ts";
import type { User } from "../../model/user.ts";
import {
  isRaw,
  type Raw,
  readCount,
  readFlag,
  readId,
  readText,
  readTexts,
  readTime,
} from "../read-value.ts";

/**
 * The minimum number of digits of an id that contains a time. Shorter ids, from the platform's
 * first years, are plain counters.
 */
const MIN_TIMED_ID_DIGITS = 15;

/**
 * Normalises a profile. Missing fields get neutral values such as "" and 0, and unknown fields are
 * kept. If `created_at` cannot be read, the time is derived from the id, if the id contains one.
 * `id` is "" if there is no usable id.
 */
export function normaliseUser(raw: Raw): User {
  const {
    location,
    can_dm,
    possibly_sensitive,
    profile_background_image_url,
    followerDate,
    ...rest
  } = raw;
  const id = readId(raw["id"]);
  const user = {
    ...rest,
    id,
    username: withoutAt(readText(raw["username"])),
    display_name: readText(raw["display_name"]),
    description: readText(raw["description"]),
    bio_urls: readTexts(raw["bio_urls"]),
    created_at:
      readTime(raw["created_at"]) || (id.length < MIN_TIMED_ID_DIGITS ? "" : timeFromId(id)),
    favourites_count: readCount(raw["favourites_count"]),
    followers_count: readCount(raw["followers_count"]),
    followings_count: readCount(raw["followings_count"]),
    media_count: readCount(raw["media_count"]),
    tweets_count: readCount(raw["tweets_count"]),
    pinned_tweet_ids: readTexts(raw["pinned_tweet_ids"]),
    profile_image_url: readText(raw["profile_image_url"]),
    protected: readFlag(raw["protected"]) ?? false,
    verified: readFlag(raw["verified"]) ?? false,
  };
  return {
    ...user,
    ...(typeof location === "string" && { location }),
    ...flagIn("can_dm", can_dm),
    ...flagIn("possibly_sensitive", possibly_sensitive),
    ...(typeof profile_background_image_url === "string" && { profile_background_image_url }),
    ...(readTime(followerDate) !== "" && { followerDate: readTime(followerDate) }),
  };
}

/**
 * Normalises a profile that is an answer or an item of its own, not part of a tweet. If the service
 * sent no bio, `description` is left out, because the bio is then unknown and not empty.
 */
export function normaliseProfile(raw: Raw): User {
  const user = normaliseUser(raw);
  if (raw["description"] !== undefined) return user;
  const { description: _unknown, ...known } = user;
  return known;
}

/** Returns an object with the flag, or an empty one if the service did not send the flag. */
export function flagIn<Name extends string>(
  name: Name,
  value: unknown,
): { readonly [K in Name]?: boolean } {
  const flag = readFlag(value);
  return (flag === undefined ? {} : { [name]: flag }) as { readonly [K in Name]?: boolean };
}

/** Normalises a profile inside another item. If none was sent, returns a profile whose id is "". */
export const normaliseEmbeddedUser = (value: unknown): User =>
  normaliseUser(isRaw(value) ? value : {});

const withoutAt = (handle: string): string => (handle.startsWith("@") ? handle.slice(1) : handle);
