/**
 * Converts a profile in any of the service's shapes (full, followed, reduced, analytics) to the
 * form that the rest of the daemon uses.
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

/** Shorter ids, from the platform's first years, are plain counters and contain no time. */
const MIN_TIMED_ID_DIGITS = 15;

/**
 * Normalises a profile. Missing fields become neutral values and unknown fields are kept. If
 * `created_at` cannot be read, the time comes from the id, if that contains one. `id` is "" if
 * there is no usable id.
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
 * Normalises a profile that was requested by itself. If the answer has no bio, the bio is unknown,
 * not empty, so `description` is left out.
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

/** Normalises an embedded profile. If none was sent, returns one whose id is "". */
export const normaliseEmbeddedUser = (value: unknown): User =>
  normaliseUser(isRaw(value) ? value : {});

const withoutAt = (handle: string): string => (handle.startsWith("@") ? handle.slice(1) : handle);
