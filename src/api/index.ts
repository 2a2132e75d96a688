/**
 * `chirpwatch/api`: a typed client library for the data service. The package's entry point
 * (src/index.ts) adds the HTTP agent that createClient needs.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://api.example.com", key });
 * const user = await client.info({ username: "alice" });
 * for await (const tweet of client.searchTweets({ query: "acme", order: "latest" })) console.log(tweet.full_text);
 * ```
 */
export { type Accounts, fetchTweets, fetchUsers } from "./batches.ts";
export { type BaseUrl, type BaseUrlProblem, checkBaseUrl } from "./base-url.ts";
export { ApiInputError } from "./check-input.ts";
export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { AnswerShape, CursorRule, Endpoint } from "./endpoint.ts";
export { ENDPOINTS, type EndpointName } from "./endpoints/index.ts";
export type { AccountAbout, Handle, ResolvedId } from "./normalise/account.ts";
export type { Article } from "./normalise/article.ts";
export type {
  CommentCheck,
  FollowCheck,
  MemberCheck,
  QuoteCheck,
  RetweetCheck,
} from "./normalise/check.ts";
export type { CommunityInfo, CommunityMember } from "./normalise/community.ts";
export type { KeyUsage } from "./normalise/key-usage.ts";
export type {
  FollowedUser,
  FollowersStats,
  Score,
  ScoreChanges,
  TopFollower,
} from "./normalise/score.ts";
export type {
  Space,
  SpaceParticipant,
  SpaceParticipants,
  SpaceSettings,
  SpaceStats,
} from "./normalise/space.ts";
export type { Trend, Trends } from "./normalise/trend.ts";
export type {
  AccountInput,
  CallOptions,
  CheckFollowInput,
  CommentsInput,
  CommunityInput,
  CommunityMemberInput,
  CommunityMembersInput,
  CommunitySearchInput,
  CommunityTweetsInput,
  ExactlyOne,
  HandleInput,
  IdInput,
  InfoBatchInput,
  LegacyAccountInput,
  LinkInput,
  ListFollowersInput,
  ListInput,
  LookupOperations,
  MentionsInput,
  Order,
  PlaceOperations,
  ScoreOperations,
  SearchTweetsInput,
  SearchUsersInput,
  SpaceInput,
  TrendsInput,
  TweetAndAccountInput,
  TweetInfoBulkInput,
  TweetInput,
  TweetOperations,
  UserOperations,
} from "./operations.ts";
export type { Page, Paged } from "./paged.ts";
export { createUpstream, type UpstreamOptions } from "./upstream.ts";
export { ChirpwatchError, type Retry } from "../model/errors.ts";
export { type Http, HttpError, type HttpRequest, type HttpResponse } from "../model/http.ts";
export { compareIds, timeOfTweetId } from "../model/id.ts";
export type { Json, JsonObject } from "../model/json.ts";
export type { Tweet, TweetEntity } from "../model/tweet.ts";
export {
  type Upstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamFailure,
  type UpstreamRequest,
} from "../model/upstream.ts";
export type { User } from "../model/user.ts";
