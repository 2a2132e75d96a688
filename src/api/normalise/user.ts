/**
 * A profile as the rest of the daemon sees it, from any of the shapes the service sends (full,
 * followed, reduced, analytics).
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

/** Ids of the platform's first years are counted, not made of the time. */
const SHORTEST_TIMED_ID = 15;

/**
 * Missing fields become neutral values, unknown fields stay; `created_at` falls back to the time in
 * the id where it has one, and `id` is "" when there is none that can be used.
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
      readTime(raw["created_at"]) || (id.length < SHORTEST_TIMED_ID ? "" : timeFromId(id)),
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
 * A profile that was asked for. A bio that the answer leaves out is unknown, not empty: it is left
 * out here, too.
 */
export function normaliseProfile(raw: Raw): User {
  const user = normaliseUser(raw);
  if (raw["description"] !== undefined) return user;
  const { description: _unknown, ...known } = user;
  return known;
}

/** The flag where the service sent one. */
export function flagIn<Name extends string>(
  name: Name,
  value: unknown,
): { readonly [K in Name]?: boolean } {
  const flag = readFlag(value);
  return (flag === undefined ? {} : { [name]: flag }) as { readonly [K in Name]?: boolean };
}

/** An embedded profile; one without an id where none came. */
export const normaliseEmbeddedUser = (value: unknown): User =>
  normaliseUser(isRaw(value) ? value : {});

const withoutAt = (handle: string): string => (handle.startsWith("@") ? handle.slice(1) : handle);
