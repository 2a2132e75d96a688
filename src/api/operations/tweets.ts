/** Tweets: single, timelines, searches, and who reacted how: methods of the client. Their rows are endpoints/tweets.ts. */
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { Article } from "../normalise/article.ts";
import type { CommentCheck, QuoteCheck, RetweetCheck } from "../normalise/check.ts";
import type { Paged } from "../paged.ts";
import type { AccountInput, CallOptions, ExactlyOne, Order, TweetAndAccountInput, TweetInput } from "./shared-inputs.ts";

export interface TweetInfoBulkInput {
  /** 1 to 100 URLs or ids of tweets. */
  readonly tweet_links: readonly string[];
}

export interface SearchTweetsInput {
  /** The platform's search language: `from:alice -is:retweet "exact words"`. */
  readonly query: string;
  /** Default `popular`; whoever watches wants `latest`. */
  readonly order?: Order;
}

export interface MentionsInput {
  /** The handle that is mentioned, with or without @. */
  readonly query: string;
  /** Default `latest`. */
  readonly order?: Order;
  /** Likes at least. */
  readonly min_likes?: number;
  /** Replies at least. */
  readonly min_replies?: number;
  /** Retweets at least. */
  readonly min_retweets?: number;
  /** `YYYY-MM-DD`. */
  readonly since_date?: string;
  /** `YYYY-MM-DD`. */
  readonly until_date?: string;
}

export interface CommentsInput extends TweetInput {
  /** Default `Relevance`; capitalised, and not named `order`. */
  readonly order_by?: "Relevance" | "Recency" | "Likes";
}

/** An account as v2 names it. */
export type LegacyAccountInput = ExactlyOne<{
  /** URL of the profile. */
  readonly link: string;
  /** Digits. */
  readonly user_id: string;
}>;

export interface TweetOperations {
  /**
   * One tweet. 1 request.
   * @throws UpstreamError `not_found`: deleted, or its author is protected, suspended or gone.
   * Source: api-v3.md, `POST /tweet-info`.
   */
  tweetInfo(params: TweetInput, options?: CallOptions): Promise<Tweet>;

  /**
   * Up to 100 tweets; those that are gone are absent. 1 request. `fetchTweets` takes any number.
   * Source: docs/service.md section 1, `POST /tweet-info-bulk`.
   */
  tweetInfoBulk(params: TweetInfoBulkInput, options?: CallOptions): Promise<readonly Tweet[]>;

  /**
   * An account's timeline, newest first, replies and retweets included; a pinned tweet may come first. Up to 20 a page, 1 request each,
   * and no end to the history.
   * @throws UpstreamError `not_found`, on the first page.
   * Source: api-v3.md, `POST /user-tweets`; docs/service.md section 1.
   */
  userTweets(params: AccountInput, options?: CallOptions): Paged<Tweet>;

  /** An account's retweets; the original post is in `retweeted_status`. Up to 20 a page. Source: api-v3.md, `POST /user-retweets`. */
  userRetweets(params: AccountInput, options?: CallOptions): Paged<Tweet>;

  /**
   * Tweets that match a query. Up to 20 a page, 1 request each. The index lags behind by minutes at times: an empty answer proves nothing.
   * Source: docs/service.md sections 1 and 5, `POST /search-tweets`.
   */
  searchTweets(params: SearchTweetsInput, options?: CallOptions): Paged<Tweet>;

  /** Tweets that mention a handle. Up to 20 a page. Source: docs/service.md section 1, `POST /mentions`. */
  mentions(params: MentionsInput, options?: CallOptions): Paged<Tweet>;

  /** Replies to a tweet. Page size unknown. Source: docs/service.md section 1, `POST /comments`. */
  comments(params: CommentsInput, options?: CallOptions): Paged<Tweet>;

  /** Tweets that quote a tweet. Up to 20 a page. Source: api-v3.md, `POST /quotes`. */
  quotes(params: TweetInput, options?: CallOptions): Paged<Tweet>;

  /** Who retweeted a tweet, newest retweet first. Page size unknown. Source: api-v3.md, `POST /retweeters`. */
  retweeters(params: TweetInput, options?: CallOptions): Paged<User>;

  /**
   * The long-form article of a tweet. 1 request.
   * @throws UpstreamError `not_found`: there is no such tweet, or it has no article.
   * Source: api-v3.md, `POST /article`.
   */
  article(params: TweetInput, options?: CallOptions): Promise<Article>;

  /** Whether an account replied to a tweet, and the reply. 1 request. Source: docs/service.md section 1, `GET /check-comment`. */
  checkComment(params: TweetAndAccountInput, options?: CallOptions): Promise<CommentCheck>;

  /** Whether an account quoted or retweeted a tweet. 1 request. Source: docs/service.md section 1, `POST /check-quoted`. */
  checkQuoted(params: TweetAndAccountInput, options?: CallOptions): Promise<QuoteCheck>;

  /**
   * Whether an account retweeted a tweet: each page searches up to 100 retweets, 1 request each. The answer is yes as soon as one page
   * says so, and no when none did.
   * Source: docs/service.md section 1, `POST /check-retweet`.
   */
  checkRetweet(params: TweetAndAccountInput, options?: CallOptions): Paged<RetweetCheck>;

  /**
   * An account's timeline through the older version: its field names are translated to those of `userTweets`, and kept beside them.
   * Source: api-v3.md "Versioning", `POST /v2/user-tweets`.
   */
  v2UserTweets(params: LegacyAccountInput, options?: CallOptions): Paged<Tweet>;
}
