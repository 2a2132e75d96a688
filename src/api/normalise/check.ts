/**
 * Normalises the answers to yes-or-no questions about an account, a tweet or a community.
 * docs/service.md, section 1 shows the shapes of the answers.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Raw } from "../read-value.ts";
import {
  flag,
  optionalTweet,
  requiredFlag,
  requiredText,
  recordOf,
  text,
  time,
} from "./answer-object.ts";

/** The answer of /check-follow. */
export interface FollowCheck extends JsonObject {
  /** Whether the second account of the request (suffix `_2`) follows the first (suffix `_1`). */
  readonly follow: boolean;
  /**
   * Whether the possible follower, the second account of the request, is protected. If so, `follow:
   * false` may only mean that the service cannot see whom it follows.
   */
  readonly user_protected: boolean;
}

/** The answer of /check-comment. */
export interface CommentCheck extends JsonObject {
  readonly commented: boolean;
  /** The reply, if the account has replied. */
  readonly tweet?: Tweet;
}

/** The answer of /check-quoted. */
export interface QuoteCheck extends JsonObject {
  /** Whether the account quoted or retweeted the tweet: `quoted`, `retweet` or `not_found`. */
  readonly status: string;
  /** When the account quoted or retweeted the tweet, in ISO 8601 UTC; "" if it has done neither. */
  readonly date: string;
  /** The text of the quote. */
  readonly text: string;
  readonly user_protected: boolean;
}

/** The answer of /check-retweet, which searches up to 100 retweets per page. */
export interface RetweetCheck extends JsonObject {
  /**
   * Whether the account is among the retweeters of this page. The account has not retweeted if this
   * is false on every page.
   */
  readonly retweet: boolean;
  readonly user_protected: boolean;
}

/** The answer of /check-community-member. */
export interface MemberCheck extends JsonObject {
  readonly is_member: boolean;
}

export const readFollowCheck: (raw: Raw) => FollowCheck = recordOf({
  follow: requiredFlag,
  user_protected: flag,
});
export const readCommentCheck: (raw: Raw) => CommentCheck = (raw) => {
  const { tweet, ...check } = recordOf({ commented: requiredFlag, tweet: optionalTweet })(raw);
  return tweet === undefined ? check : { ...check, tweet };
};
export const readQuoteCheck: (raw: Raw) => QuoteCheck = recordOf({
  status: requiredText,
  date: time,
  text,
  user_protected: flag,
});
export const readRetweetCheck: (raw: Raw) => RetweetCheck = recordOf({
  retweet: requiredFlag,
  user_protected: flag,
});
export const readMemberCheck: (raw: Raw) => MemberCheck = recordOf({ is_member: requiredFlag });
