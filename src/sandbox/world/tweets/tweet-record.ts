/**
 * A tweet as the world stores it, with facts that never change. show.ts adds its counts and the
 * author's profile.
 */
import type { Tweet, TweetKind } from "../../../model/tweet.ts";

export interface TweetRecord {
  readonly id: string;
  readonly atMs: number;
  /**
   * When timelines, communities and /tweet-info begin to show the tweet (epoch ms). The author's
   * counter rises a moment earlier.
   */
  readonly visibleMs: number;
  /** When searches begin to find the tweet (epoch ms). */
  readonly indexedMs: number;
  /** When the author deletes the tweet; absent if it stays, as nearly all tweets do. */
  readonly deletedMs?: number | undefined;
  /** The user key of the author. */
  readonly author: number;
  readonly kind: TweetKind;
  readonly text: string;
  readonly lang: string;
  readonly conversationId: string;
  /** The id of the tweet that this one answers, quotes or retweets. */
  readonly targetId?: string | undefined;
  readonly communityId?: string | undefined;
  readonly media: readonly ("photo" | "video" | "animated_gif" | "url")[];
  /** The number of likes that the tweet approaches over time. */
  readonly likesAtLast: number;
  readonly isArticle?: boolean;
  /** The tweet as the service once showed it; only set for a recorded tweet. */
  readonly shown?: Tweet;
}

const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657n; // docs/service.md section 2

/**
 * Returns a tweet id that encodes the time. `low` (22 bits) distinguishes tweets of the same ms.
 */
export const snowflake = (atMs: number, low: number): string =>
  (((BigInt(Math.floor(atMs)) - SNOWFLAKE_EPOCH_MS) << 22n) | BigInt(low & 0x3fffff)).toString();
