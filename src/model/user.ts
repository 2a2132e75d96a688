/** A profile as the rest of the house sees it: normalised by api/, shapes of api-v3.md "User". */
import type { JsonObject } from "./json.ts";

export interface User extends JsonObject {
  readonly id: string;
  /** Current handle without @. Never an identity. */
  readonly username: string;
  readonly display_name: string;
  readonly description: string;
  readonly location?: string;
  readonly bio_urls: readonly string[];
  readonly can_dm?: boolean;
  /** ISO 8601 UTC; "" when the service gave none that can be read. */
  readonly created_at: string;
  readonly favourites_count: number;
  readonly followers_count: number;
  readonly followings_count: number;
  readonly media_count: number;
  readonly tweets_count: number;
  readonly pinned_tweet_ids: readonly string[];
  readonly profile_image_url: string;
  readonly protected: boolean;
  readonly verified: boolean;
  /** ISO 8601 UTC date of the follow; only in the 7-day lists. */
  readonly followerDate?: string;
}
