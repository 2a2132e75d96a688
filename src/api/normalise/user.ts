/** A profile as the rest of the house sees it, from any of the shapes the service sends (full, followed, reduced, analytics). */
import type { User } from "../../model/user.ts";
import { isRaw, type Raw, readCount, readFlag, readId, readText, readTexts, readTime } from "../read-value.ts";

/** Missing fields become neutral values, unknown fields stay; `id` is "" when there is none that can be used. */
export function normaliseUser(raw: Raw): User {
  const { location, can_dm, followerDate, ...rest } = raw;
  const user = {
    ...rest,
    id: readId(raw["id"]),
    username: withoutAt(readText(raw["username"])),
    display_name: readText(raw["display_name"]),
    description: readText(raw["description"]),
    bio_urls: readTexts(raw["bio_urls"]),
    created_at: readTime(raw["created_at"]),
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
  return withOptional(user, location, readFlag(can_dm), readTime(followerDate));
}

type Required = Omit<User, "location" | "can_dm" | "followerDate">;

function withOptional(user: Required, location: unknown, canDm: boolean | undefined, followedAt: string): User {
  const full: { -readonly [K in keyof User]: User[K] } = user as User;
  if (typeof location === "string") full.location = location;
  if (canDm !== undefined) full.can_dm = canDm;
  if (followedAt !== "") full.followerDate = followedAt;
  return full;
}

/** An embedded profile; one without an id where none came. */
export const normaliseEmbeddedUser = (value: unknown): User => normaliseUser(isRaw(value) ? value : {});

const withoutAt = (handle: string): string => (handle.startsWith("@") ? handle.slice(1) : handle);
