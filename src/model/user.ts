/** A profile as the rest of the daemon sees it: normalised by api/, shapes of api-v3.md "User". */
import type { JsonObject } from "./json.ts";

/**
 * The service's common profile object. Counts are as of the request; unknown fields stay beside
 * these.
 */
export interface User extends JsonObject {
  /** Digits; stable over renames, beyond 2^53. */
  readonly id: string;
  /** Current handle without @. Never an identity. */
  readonly username: string;
  readonly display_name: string;
  /**
   * The bio: "" where there is none, absent where the answer to a question for this profile left it
   * out.
   */
  readonly description?: string;
  readonly location?: string;
  /** URLs found in the bio. */
  readonly bio_urls: readonly string[];
  /** Whether it accepts direct messages. */
  readonly can_dm?: boolean;
  /**
   * ISO 8601 UTC; from the id where the service gave none that can be read, "" where the id carries
   * no time.
   */
  readonly created_at: string;
  /** Tweets this account has liked. */
  readonly favourites_count: number;
  readonly followers_count: number;
  /** Accounts this account follows. */
  readonly followings_count: number;
  readonly media_count: number;
  readonly tweets_count: number;
  readonly pinned_tweet_ids: readonly string[];
  readonly possibly_sensitive?: boolean;
  readonly profile_image_url: string;
  readonly profile_background_image_url?: string;
  /** Its tweets are private. */
  readonly protected: boolean;
  readonly verified: boolean;
  /**
   * ISO 8601 UTC date of the follow; only in the 7-day lists and in the top list of followed
   * accounts.
   */
  readonly followerDate?: string;
}

/**
 * What is kept of a member of a list, as a profile. Fields that are not kept are absent: unknown is
 * neither 0 nor false.
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
