/**
 * Analytics of the indexed subset: methods of the client. Their rows are endpoints/scores.ts. An account that is not indexed gives
 * UpstreamError `not_found`, or a score of 0. The data change about once a day.
 */
import type { FollowedUser, FollowersStats, Score, ScoreChanges, TopFollower } from "../normalise/score.ts";
import type { AccountInput, CallOptions } from "./shared-inputs.ts";

export interface ScoreOperations {
  /** Influence score. 1 request. Source: docs/service.md section 1, `GET /score`. */
  score(params: AccountInput, options?: CallOptions): Promise<Score>;

  /** Change of the score over 7 and 30 days. 1 request. Source: api-v3.md, `GET /score-changes`. */
  scoreChanges(params: AccountInput, options?: CallOptions): Promise<ScoreChanges>;

  /** Followers by category; categorised ones only. 1 request. Source: docs/service.md section 1, `GET /followers-stats`. */
  followersStats(params: AccountInput, options?: CallOptions): Promise<FollowersStats>;

  /** The followers with the highest scores, at most 20. 1 request. Source: docs/service.md section 1, `GET /top-followers`. */
  topFollowers(params: AccountInput, options?: CallOptions): Promise<readonly TopFollower[]>;

  /** The followed accounts with the highest scores, at most 20. 1 request. Source: docs/service.md section 1, `GET /top-following`. */
  topFollowing(params: AccountInput, options?: CallOptions): Promise<readonly FollowedUser[]>;

  /**
   * Indexed accounts that began following within 7 days: a window that slides, and not all followers. 1 request.
   * Source: api-v3.md, `GET /new-followers-7d`.
   */
  newFollowers7d(params: AccountInput, options?: CallOptions): Promise<readonly FollowedUser[]>;

  /**
   * Indexed accounts that the account began following within 7 days. 1 request.
   * Source: api-v3.md, `GET /new-following-7d`.
   */
  newFollowing7d(params: AccountInput, options?: CallOptions): Promise<readonly FollowedUser[]>;
}
