/**
 * The types of the client's methods and their inputs, derived from the rows of the endpoint table.
 */
import type { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { type ENDPOINTS, type EndpointName, type EndpointTables } from "./endpoints/index.ts";
import type { Paged } from "./paged.ts";

/** The options that every method of the client accepts. */
export interface CallOptions {
  /** Stops waiting for the answer when it is aborted. The request may have been billed already. */
  readonly signal?: AbortSignal;
}

/** The method name of an endpoint: `new-followers-7d` becomes `newFollowers7d`. */
type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Camel<Capitalize<Tail>>}`
  : Text;

type Shape<Type> = { [Name in keyof Type]: Type[Name] } & {};
/** The inputs of a row as the caller may write them: arrays may be read-only. */
type Fields<Input> = Shape<{
  readonly [Name in keyof Input]: Input[Name] extends string[] | undefined
    ? readonly string[]
    : Exclude<Input[Name], undefined>;
}>;

/**
 * An object with exactly one of these properties. If it has two or none, the call fails before
 * anything is sent.
 */
export type ExactlyOne<Names> = {
  [Name in keyof Names]-?: Required<Pick<Names, Name>> & {
    readonly [Other in Exclude<keyof Names, Name>]?: never;
  };
}[keyof Names];

type AtLeastOne<Names> = {
  [Name in keyof Names]-?: Required<Pick<Names, Name>> & Partial<Names>;
}[keyof Names];

type Groups = readonly (readonly string[])[];
type GroupsOf<Row extends Endpoint, Rule extends "exactlyOne" | "atLeastOne"> =
  Row extends Readonly<Record<Rule, infer Given extends Groups>> ? Given : readonly [];
type EachExactlyOne<Input, Given extends Groups> = Given extends readonly [
  infer First extends readonly string[],
  ...infer Rest extends Groups,
]
  ? ExactlyOne<Pick<Input, First[number] & keyof Input>> & EachExactlyOne<Input, Rest>
  : unknown;
type EachAtLeastOne<Input, Given extends Groups> = Given extends readonly [
  infer First extends readonly string[],
  ...infer Rest extends Groups,
]
  ? AtLeastOne<Pick<Input, First[number] & keyof Input>> & EachAtLeastOne<Input, Rest>
  : unknown;
type Grouped<Row extends Endpoint> = GroupsOf<Row, "exactlyOne" | "atLeastOne">[number][number];

type RowInput<Row extends Endpoint, Input = Fields<z.input<Row["input"]>>> = Shape<
  Omit<Input, Grouped<Row>>
> &
  EachExactlyOne<Input, GroupsOf<Row, "exactlyOne">> &
  EachAtLeastOne<Input, GroupsOf<Row, "atLeastOne">>;

/** The input of an operation, without the cursor. */
export type InputOf<Name extends EndpointName> = RowInput<(typeof ENDPOINTS)[Name]>;

type ItemOf<Row extends Endpoint> = ReturnType<Row["answer"]["read"]>;
type WholeOf<Row extends Endpoint> = Row["answer"]["kind"] extends "record"
  ? ItemOf<Row>
  : readonly ItemOf<Row>[];
/**
 * The result of an operation: a Paged list if it has pages, otherwise a promise of one object or of
 * one list.
 */
type AnswerOf<Row extends Endpoint> = Row extends { readonly cursor: object }
  ? Paged<ItemOf<Row>>
  : Promise<WholeOf<Row>>;

type MethodOf<Row extends Endpoint> =
  Record<never, never> extends RowInput<Row>
    ? (params?: RowInput<Row>, options?: CallOptions) => AnswerOf<Row>
    : (params: RowInput<Row>, options?: CallOptions) => AnswerOf<Row>;

/** The methods of a table of endpoints: one for each row, named after the row's path. */
export type MethodsOf<Rows extends Readonly<Record<string, Endpoint>>> = {
  [Name in keyof Rows as Camel<Name & string>]: MethodOf<Rows[Name]>;
};

export type UserOperations = MethodsOf<EndpointTables["users"]>;
export type TweetOperations = MethodsOf<EndpointTables["tweets"]>;
export type PlaceOperations = MethodsOf<EndpointTables["places"]>;
export type ScoreOperations = MethodsOf<EndpointTables["scores"]>;
export type LookupOperations = MethodsOf<EndpointTables["lookups"]>;

/**
 * An account, identified by exactly one of `user_link`, `username` and `user_id`. Only `user_id`
 * stays valid after a rename.
 */
export type AccountInput = InputOf<"info">;
/** A tweet, identified by its URL or its id. */
export type TweetInput = InputOf<"tweet-info">;
export type TweetAndAccountInput = InputOf<"check-comment">;
/**
 * The order of the items: `latest` returns the newest first. The default differs between
 * operations.
 */
export type Order = "popular" | "latest";
export type InfoBatchInput = InputOf<"info-batch">;
export type SearchUsersInput = InputOf<"search-users">;
/**
 * Two accounts, each identified in exactly one way. The operation checks whether account 2 follows
 * account 1.
 */
export type CheckFollowInput = InputOf<"check-follow">;
export type TweetInfoBulkInput = InputOf<"tweet-info-bulk">;
export type SearchTweetsInput = InputOf<"search-tweets">;
export type MentionsInput = InputOf<"mentions">;
export type CommentsInput = InputOf<"comments">;
/** An account, identified by a link or an id, which is what version 2 accepts. */
export type LegacyAccountInput = InputOf<"v2-user-tweets">;
/**
 * A community, identified by `community_id` or `community_link`, each of which accepts a URL or an
 * id. If both are set, the service uses `community_id`.
 */
export type CommunityInput = InputOf<"community-info">;
export type CommunityMembersInput = InputOf<"community-members">;
export type CommunityTweetsInput = InputOf<"community-tweets">;
export type CommunitySearchInput = InputOf<"community-search-tweets">;
export type CommunityMemberInput = InputOf<"check-community-member">;
export type ListInput = InputOf<"list-tweets">;
/** A list, identified by its URL or id. The other two operations on lists accept only an id. */
export type ListFollowersInput = InputOf<"list-followers">;
export type SpaceInput = InputOf<"spaces">;
export type TrendsInput = InputOf<"trends">;
export type IdInput = InputOf<"id-to-username">;
export type HandleInput = InputOf<"username-to-id">;
export type LinkInput = InputOf<"link-to-id">;
