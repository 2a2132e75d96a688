/**
 * The yes/no questions about an account, a tweet or a community: what their answers become. Shapes:
 * docs/service.md section 1.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Raw } from "../read-value.ts";
import {
  flag,
  optionalTweet,
  promisedFlag,
  promisedText,
  recordOf,
  text,
  time,
} from "./answer-object.ts";

/** Answer of /check-follow. */
export interface FollowCheck extends JsonObject {
  /** Whether user 2 follows user 1. */
  readonly follow: boolean;
  /** The account is protected, so that `follow: false` may only mean "cannot be seen". */
  readonly user_protected: boolean;
}

/** Answer of /check-comment. */
export interface CommentCheck extends JsonObject {
  readonly commented: boolean;
  /** The reply; only when there is one. */
  readonly tweet?: Tweet;
}

/** Answer of /check-quoted. */
export interface QuoteCheck extends JsonObject {
  /** `quoted`, `retweet` or `not_found`. */
  readonly status: string;
  /** When it was quoted or retweeted, ISO 8601 UTC; "" when it was not. */
  readonly date: string;
  /** Text of the quote. */
  readonly text: string;
  readonly user_protected: boolean;
}

/** One page of /check-retweet: each searches up to 100 retweets. */
export interface RetweetCheck extends JsonObject {
  /** Whether the retweet is among those of this page; false on every page means no. */
  readonly retweet: boolean;
  readonly user_protected: boolean;
}

/** Answer of /check-community-member. */
export interface MemberCheck extends JsonObject {
  readonly is_member: boolean;
}

export const readFollowCheck: (raw: Raw) => FollowCheck = recordOf({
  follow: promisedFlag,
  user_protected: flag,
});
export const readCommentCheck: (raw: Raw) => CommentCheck = (raw) => {
  const { tweet, ...check } = recordOf({ commented: promisedFlag, tweet: optionalTweet })(raw);
  return tweet === undefined ? check : { ...check, tweet };
};
export const readQuoteCheck: (raw: Raw) => QuoteCheck = recordOf({
  status: promisedText,
  date: time,
  text,
  user_protected: flag,
});
export const readRetweetCheck: (raw: Raw) => RetweetCheck = recordOf({
  retweet: promisedFlag,
  user_protected: flag,
});
export const readMemberCheck: (raw: Raw) => MemberCheck = recordOf({ is_member: promisedFlag });
