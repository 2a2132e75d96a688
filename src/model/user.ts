/**
 * A profile as the rest of the daemon sees it: normalised by api/, in the shape of api-v3.md
 * "User".
 */
import type { JsonObject } from "./json.ts";

/**
 * The service's common profile object. Counts are those at the time of the request. Unknown fields
 * are kept in addition to these.
 */
export interface User extends JsonObject {
  /** The id, whose digits can exceed 2^53. A rename does not change it. */
  readonly id: string;
  /** The current handle without @. Never use it as an identity. */
  readonly username: string;
  readonly display_name: string;
  /**
   * The bio; "" if there is none, absent if the answer to a request for this profile left it out.
   */
  readonly description?: string;
  readonly location?: string;
  /** The URLs found in the bio. */
  readonly bio_urls: readonly string[];
  /** Whether it accepts direct messages. */
  readonly can_dm?: boolean;
  /**
   * ISO 8601 UTC; derived from the id if the service sent no readable time, "" if the id contains
   * none.
   */
  readonly created_at: string;
  /** The number of tweets that this account has liked. */
  readonly favourites_count: number;
  readonly followers_count: number;
  /** The number of accounts that this account follows. */
  readonly followings_count: number;
  readonly media_count: number;
  readonly tweets_count: number;
  readonly pinned_tweet_ids: readonly string[];
  readonly possibly_sensitive?: boolean;
  readonly profile_image_url: string;
  readonly profile_background_image_url?: string;
  /** Whether its tweets are private. */
  readonly protected: boolean;
  readonly verified: boolean;
  /**
   * The date of the follow, ISO 8601 UTC. Only set in the 7-day lists and in the top list of
   * followed accounts.
   */
  readonly followerDate?: string;
}

/**
 * Returns the stored data of a list member as a profile. Fields that are not stored are absent,
 * because unknown is neither 0 nor false.
 */
export const userOfMember = (member: {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly followersCount: number;
  readonly imageUrl: string;
}): User => {
  const {
    id,
    username,
    displayName: display_name,
    followersCount: followers_count,
    imageUrl: profile_image_url,
  } = member;
  const known: Partial<User> = { id, username, display_name, followers_count, profile_image_url };
  return known as User;
};
