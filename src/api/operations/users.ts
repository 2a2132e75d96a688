/** Profiles, who follows whom, and what is known about an account: methods of the client. Their rows are endpoints/users.ts. */
import type { User } from "../../model/user.ts";
import type { AccountAbout } from "../normalise/account.ts";
import type { FollowCheck } from "../normalise/check.ts";
import type { Paged } from "../paged.ts";
import type { AccountInput, CallOptions, ExactlyOne } from "./shared-inputs.ts";

/** Up to 100 accounts, all by handle or all by id. */
export type InfoBatchInput = ExactlyOne<{
  /** 1 to 100 handles. */
  readonly usernames: readonly string[];
  /** 1 to 100 ids. */
  readonly user_ids: readonly string[];
}>;

export interface SearchUsersInput {
  /** Free text. */
  readonly query: string;
}

/** Two accounts, each named in exactly one way. */
export type CheckFollowInput = ExactlyOne<{
  /** Of the account that may be followed. */
  readonly user_link_1: string;
  readonly username_1: string;
  readonly user_id_1: string;
}> &
  ExactlyOne<{
    /** Of the account that may follow. */
    readonly user_link_2: string;
    readonly username_2: string;
    readonly user_id_2: string;
  }>;

export interface UserOperations {
  /**
   * One profile. 1 request.
   * @throws UpstreamError `not_found`: renamed, deleted, suspended or protected.
   * Source: api-v3.md, `GET /info`.
   */
  info(params: AccountInput, options?: CallOptions): Promise<User>;

  /**
   * Up to 100 profiles; accounts that do not exist are absent, and the order is the service's. 1 request. `fetchUsers` takes any number.
   * Source: api-v3.md, `GET /info-batch`.
   */
  infoBatch(params: InfoBatchInput, options?: CallOptions): Promise<readonly User[]>;

  /**
   * Country and changes of the handle. 1 request.
   * @throws UpstreamError `not_found`.
   * Source: api-v3.md, `GET /about`.
   */
  about(params: AccountInput, options?: CallOptions): Promise<AccountAbout>;

  /**
   * Who follows an account. Up to 200 profiles a page, 1 request each; the order is not documented.
   * @throws UpstreamError `not_found`, on the first page.
   * Source: api-v3.md, `GET /followers`; docs/service.md section 1.
   */
  followers(params: AccountInput, options?: CallOptions): Paged<User>;

  /** Whom an account follows; as `followers`. Source: api-v3.md, `GET /follows`; docs/service.md section 1. */
  follows(params: AccountInput, options?: CallOptions): Paged<User>;

  /** Verified accounts that follow an account; as `followers`, page size unknown. Source: docs/service.md section 1, `GET /verified-followers`. */
  verifiedFollowers(params: AccountInput, options?: CallOptions): Paged<User>;

  /** Profiles that match a text. 1 request a page, page size unknown. Source: docs/service.md section 1, `POST /search-users`. */
  searchUsers(params: SearchUsersInput, options?: CallOptions): Paged<User>;

  /**
   * Whether user 2 follows user 1. 1 request.
   * Source: docs/service.md section 1, `POST /check-follow`.
   */
  checkFollow(params: CheckFollowInput, options?: CallOptions): Promise<FollowCheck>;
}
