/** The inputs that many operations share, as types. The table checks the same at run time, before anything is sent. */

/** What every call takes besides its inputs. */
export interface CallOptions {
  /** Aborting gives up waiting; the request may have been billed. */
  readonly signal?: AbortSignal;
}

/** Exactly one of these names: two of them, or none, fail before anything is sent. */
export type ExactlyOne<Names> = {
  [Name in keyof Names]-?: Required<Pick<Names, Name>> & { readonly [Other in Exclude<keyof Names, Name>]?: never };
}[keyof Names];

interface AccountNames {
  /** URL of the profile. */
  readonly user_link: string;
  /** Handle, with or without @. */
  readonly username: string;
  /** Digits; the only name that survives a rename. */
  readonly user_id: string;
}

/** One account, named in exactly one of three ways (api-v3.md, Shared rules 6). */
export type AccountInput = ExactlyOne<AccountNames>;

export interface TweetInput {
  /** URL of the tweet, or its id. */
  readonly tweet_link: string;
}

/** A tweet and an account. */
export type TweetAndAccountInput = TweetInput & AccountInput;

/** `latest` is newest first; the default differs between operations. */
export type Order = "popular" | "latest";
