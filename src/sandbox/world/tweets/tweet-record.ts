/**
 * A tweet as the world remembers it: facts that never change. Counts and profiles are added when it
 * is shown.
 */
import type { Tweet, TweetKind } from "../../../model/tweet.ts";

export interface TweetRecord {
  readonly id: string;
  readonly atMs: number;
  /**
   * When timelines, communities and /tweet-info begin to show it: a moment after the author's
   * counter moved.
   */
  readonly visibleMs: number;
  /** When the search index knows it. */
  readonly indexedMs: number;
  /** When it is taken back; absent for nearly all. */
  readonly deletedMs?: number;
  /** User key of the author. */
  readonly author: number;
  readonly kind: TweetKind;
  readonly text: string;
  readonly lang: string;
  readonly conversationId: string;
  /** Replied to, quoted or retweeted. */
  readonly targetId?: string;
  readonly communityId?: string;
  readonly media: readonly ("photo" | "video" | "animated_gif" | "url")[];
  /** Likes it will have in the end. */
  readonly likesAtLast: number;
  readonly isArticle?: boolean;
  /** As the service once showed it, where it was recorded. */
  readonly shown?: Tweet;
}

const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657n; // docs/service.md section 2

/** An id that carries `atMs`; `low` (22 bits) keeps those of one millisecond apart. */
export const snowflake = (atMs: number, low: number): string =>
  (((BigInt(Math.floor(atMs)) - SNOWFLAKE_EPOCH_MS) << 22n) | BigInt(low & 0x3fffff)).toString();
