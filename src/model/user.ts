/** A profile as the rest of the house sees it: normalised by api/, shapes of api-v3.md "User". */
import type { JsonObject } from "./json.ts";

/** The service's common profile object. Counts are as of the request; unknown fields stay beside these. */
export interface User extends JsonObject {
  /** Digits; stable over renames, beyond 2^53. */
  readonly id: string;
  /** Current handle without @. Never an identity. */
  readonly username: string;
  readonly display_name: string;
  /** The bio. */
  readonly description: string;
  readonly location?: string;
  /** URLs found in the bio. */
  readonly bio_urls: readonly string[];
  /** Whether it accepts direct messages. */
  readonly can_dm?: boolean;
  /** ISO 8601 UTC; from the id where the service gave none that can be read, "" where the id carries no time. */
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
  /** ISO 8601 UTC date of the follow; only in the 7-day lists and in the top list of followed accounts. */
  readonly followerDate?: string;
}

/** What is kept of a member of a list as a profile; what is not kept says nothing. */
export const userOfMember = (member: {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly followersCount: number;
  readonly imageUrl: string;
}): User => ({
  id: member.id,
  username: member.username,
  display_name: member.displayName,
  description: "",
  bio_urls: [],
  created_at: "",
  favourites_count: 0,
  followers_count: member.followersCount,
  followings_count: 0,
  media_count: 0,
  tweets_count: 0,
  pinned_tweet_ids: [],
  profile_image_url: member.imageUrl,
  protected: false,
  verified: false,
});
