/**
 * Fetches any number of accounts or tweets through the two endpoints that return up to 100 per
 * billed request.
 */
import { batchesOf } from "../model/batch.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Client } from "./client.ts";
import { ENDPOINTS } from "./endpoints/index.ts";
import type { CallOptions } from "./operations.ts";

/** The accounts to fetch, all by handle or all by id. */
export type Accounts =
  | { readonly usernames: readonly string[] }
  | { readonly userIds: readonly string[] };

/**
 * Yields the profiles of any number of accounts, with one billed request per 100 accounts. Each
 * account is requested once, and accounts that do not exist are left out.
 */
export async function* fetchUsers(
  client: Pick<Client, "infoBatch">,
  accounts: Accounts,
  options?: CallOptions,
): AsyncGenerator<User> {
  const { size } = ENDPOINTS["info-batch"].batch;
  if ("usernames" in accounts) {
    for (const usernames of distinctBatches(accounts.usernames.map(plainHandle), size))
      yield* await client.infoBatch({ usernames }, options);
  } else {
    for (const user_ids of distinctBatches(accounts.userIds, size))
      yield* await client.infoBatch({ user_ids }, options);
  }
}

/**
 * Yields the tweets behind any number of links or ids, with one billed request per 100 entries.
 * Each entry is requested once, and deleted tweets are left out.
 */
export async function* fetchTweets(
  client: Pick<Client, "tweetInfoBulk">,
  tweetLinks: readonly string[],
  options?: CallOptions,
): AsyncGenerator<Tweet> {
  for (const tweet_links of distinctBatches(tweetLinks, ENDPOINTS["tweet-info-bulk"].batch.size)) {
    yield* await client.tweetInfoBulk({ tweet_links }, options);
  }
}

/** Returns the handle without @ and in lower case, because `@Alice` and `alice` are one account. */
const plainHandle = (handle: string): string => handle.replace(/^@/, "").toLowerCase();

const distinctBatches = (items: readonly string[], size: number) =>
  batchesOf([...new Set(items)], size);
