/** Communities, lists, Spaces and trends: methods of the client. Their rows are endpoints/places.ts. */
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { MemberCheck } from "../normalise/check.ts";
import type { CommunityInfo, CommunityMember } from "../normalise/community.ts";
import type { Space } from "../normalise/space.ts";
import type { Trends } from "../normalise/trend.ts";
import type { Paged } from "../paged.ts";
import type { AccountInput, CallOptions, ExactlyOne, Order } from "./shared-inputs.ts";

/** At least one of the two; `community_id` wins. Both take a URL or an id. */
export type CommunityInput =
  | { readonly community_id: string; readonly community_link?: string }
  | { readonly community_id?: never; readonly community_link: string };

export interface CommunityMembersInput {
  /** URL or id. */
  readonly community_link: string;
}

export interface CommunityTweetsInput {
  /** URL or id. */
  readonly community_id: string;
  /** Default `latest`. */
  readonly order?: Order;
}

export interface CommunitySearchInput {
  /** URL or id. */
  readonly community_link: string;
  /** The platform's search language. */
  readonly query: string;
  readonly order?: Order;
}

export type CommunityMemberInput = {
  /** URL or id. */
  readonly community_id: string;
} & AccountInput;

export interface ListInput {
  /** Digits. */
  readonly list_id: string;
}

export interface ListFollowersInput {
  /** URL or id: unlike the other two operations on lists. */
  readonly list_link: string;
}

export type SpaceInput = ExactlyOne<{
  readonly id: string;
  /** URL that ends in the id. */
  readonly link: string;
}>;

export interface TrendsInput {
  /** A place's WOEID; 1 is the world. */
  readonly woeid: number;
}

export interface PlaceOperations {
  /**
   * A community. 1 request.
   * @throws UpstreamError `not_found`.
   * Source: api-v3.md, `POST /community-info`.
   */
  communityInfo(params: CommunityInput, options?: CallOptions): Promise<CommunityInfo>;

  /** Members of a community, with few fields each. Page size unknown. Source: api-v3.md, `POST /community-members`. */
  communityMembers(params: CommunityMembersInput, options?: CallOptions): Paged<CommunityMember>;

  /** Tweets of a community. Up to 20 a page; a pinned one can be on every page. Source: docs/service.md section 1, `POST /community-tweets`. */
  communityTweets(params: CommunityTweetsInput, options?: CallOptions): Paged<Tweet>;

  /** Tweets of a community that match a query. Page size unknown. Source: docs/service.md section 1, `POST /community-search-tweets`. */
  communitySearchTweets(params: CommunitySearchInput, options?: CallOptions): Paged<Tweet>;

  /** Whether an account is a member of a community. 1 request. Source: docs/service.md section 1, `POST /check-community-member`. */
  checkCommunityMember(params: CommunityMemberInput, options?: CallOptions): Promise<MemberCheck>;

  /** Tweets of a list's members, up to 5,000 of them. Up to 20 a page. Source: api-v3.md, `GET /list-tweets`. */
  listTweets(params: ListInput, options?: CallOptions): Paged<Tweet>;

  /** Members of a list. Page size unknown. Source: docs/service.md section 1, `GET /list-members`. */
  listMembers(params: ListInput, options?: CallOptions): Paged<User>;

  /** Followers of a list. Page size unknown. Source: api-v3.md, `GET /list-followers`. */
  listFollowers(params: ListFollowersInput, options?: CallOptions): Paged<User>;

  /**
   * A live audio room. 1 request.
   * @throws UpstreamError `not_found`.
   * Source: api-v3.md, `GET /spaces`.
   */
  spaces(params: SpaceInput, options?: CallOptions): Promise<Space>;

  /**
   * Trends of a place, the loudest first. 1 request.
   * @throws UpstreamError `not_found`: the service knows no trends of this place.
   * Source: api-v3.md, `GET /trends`.
   */
  trends(params: TrendsInput, options?: CallOptions): Promise<Trends>;
}
