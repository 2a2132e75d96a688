/**
 * Analytics of the indexed subset: what they become. "Unknown" is null and never 0: a score of 0 is
 * a fact. Shapes: docs/service.md section 1.
 */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { flag, numberOrNull, recordOf } from "./answer-object.ts";
import { normaliseUser } from "./user.ts";

/** Answer of /score. */
export interface Score extends JsonObject {
  /**
   * A fraction in the thousands, without unit; 0 or a 404 for accounts that are not indexed; null
   * when it cannot be read.
   */
  readonly score: number | null;
}

/**
 * Answer of /score-changes (api-v3.md "Score changes"); null when the service knows none. Changes
 * about once a day.
 */
export interface ScoreChanges extends JsonObject {
  /** Change over the last 7 days, in points of the score. */
  readonly week_delta: number | null;
  /** Change over the last 30 days, in points of the score. */
  readonly month_delta: number | null;
}

/**
 * Answer of /followers-stats: categorised followers alone are counted; null when a number cannot be
 * read.
 */
export interface FollowersStats extends JsonObject {
  readonly followers_count: number | null;
  readonly influencers_count: number | null;
  readonly projects_count: number | null;
  readonly venture_capitals_count: number | null;
  readonly user_protected: boolean;
}

/**
 * An entry of /top-followers: a profile with few counts (those not sent are 0), and the follower's
 * own score.
 */
export interface TopFollower extends User {
  readonly score: number | null;
}

/**
 * An entry of the 7-day lists and of /top-following (api-v3.md "Followed-user entry"): a profile
 * without `location`.
 */
export interface FollowedUser extends User {
  /** Date of the follow, ISO 8601 UTC; absent when it cannot be read. */
  readonly followerDate?: string;
}

export const readScore: (raw: Raw) => Score = recordOf({ score: numberOrNull });
export const readScoreChanges: (raw: Raw) => ScoreChanges = recordOf({
  week_delta: numberOrNull,
  month_delta: numberOrNull,
});
export const readFollowersStats: (raw: Raw) => FollowersStats = recordOf({
  followers_count: numberOrNull,
  influencers_count: numberOrNull,
  projects_count: numberOrNull,
  venture_capitals_count: numberOrNull,
  user_protected: flag,
});
export const readTopFollower = (raw: Raw): TopFollower => ({
  ...normaliseUser(raw),
  score: numberOrNull(raw["score"], "score", raw),
});
export const readFollowedUser: (raw: Raw) => FollowedUser = normaliseUser;
