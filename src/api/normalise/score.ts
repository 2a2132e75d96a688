/**
 * Normalises the analytics, which cover only the accounts that the service has indexed. An unknown
 * value is null and never 0, because a score of 0 is a fact. docs/service.md, section 1 shows the
 * shapes.
 */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { flag, numberOrNull, recordOf } from "./answer-object.ts";
import { normaliseUser } from "./user.ts";

/** The answer of /score. */
export interface Score extends JsonObject {
  /**
   * The score, a number in the thousands that may have a fraction; null if it cannot be read. For
   * an account that is not indexed, the service sends 0 or answers 404.
   */
  readonly score: number | null;
}

/**
 * The answer of /score-changes (api-v3.md, "Score changes"). A value that the service does not know
 * is null. The values change about once a day.
 */
export interface ScoreChanges extends JsonObject {
  /** The change over the last 7 days, in points of the score. */
  readonly week_delta: number | null;
  /** The change over the last 30 days, in points of the score. */
  readonly month_delta: number | null;
}

/**
 * The answer of /followers-stats. It counts only followers that the service has put in a category.
 * A number that cannot be read is null.
 */
export interface FollowersStats extends JsonObject {
  readonly followers_count: number | null;
  readonly influencers_count: number | null;
  readonly projects_count: number | null;
  readonly venture_capitals_count: number | null;
  readonly user_protected: boolean;
}

/**
 * An entry of /top-followers: a profile with the follower's own score. The service sends only some
 * of a profile's counts; the others are 0.
 */
export interface TopFollower extends User {
  readonly score: number | null;
}

/**
 * An entry of the 7-day lists and of /top-following (api-v3.md, "Followed-user entry"): a profile
 * without `location`.
 */
export interface FollowedUser extends User {
  /** When the follow began, in ISO 8601 UTC; absent if it cannot be read. */
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
