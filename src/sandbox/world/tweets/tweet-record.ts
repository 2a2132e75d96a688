/**
 * A tweet as the world keeps it: facts that never change. Counts and profiles are added when it is
 * shown.
 */
import type { Tweet, TweetKind } from "../../../model/tweet.ts";

export interface TweetRecord {
  readonly id: string;
  readonly atMs: number;
  /**
   * When timelines, communities and /tweet-info begin to show it: a moment after the author's
   * counter went up.
   */
  readonly visibleMs: number;
  /** When the search index begins to show it. */
  readonly indexedMs: number;
  /** When the author deletes it; absent for nearly all tweets. */
  readonly deletedMs?: number | undefined;
  /** The user key of the author. */
  readonly author: number;
  readonly kind: TweetKind;
  readonly text: string;
  readonly lang: string;
  readonly conversationId: string;
  /** The tweet that this one answers, quotes or retweets. */
  readonly targetId?: string | undefined;
  readonly communityId?: string | undefined;
  readonly media: readonly ("photo" | "video" | "animated_gif" | "url")[];
  /** How many likes the tweet has in the end. */
  readonly likesAtLast: number;
  readonly isArticle?: boolean;
  /** The tweet as the service once showed it; only set if it was recorded. */
  readonly shown?: Tweet;
}

const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657n; // docs/service.md section 2

/** Returns an id that carries `atMs`; `low` (22 bits) distinguishes ids of the same millisecond. */
export const snowflake = (atMs: number, low: number): string =>
  (((BigInt(Math.floor(atMs)) - SNOWFLAKE_EPOCH_MS) << 22n) | BigInt(low & 0x3fffff)).toString();
