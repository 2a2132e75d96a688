/**
 * Any number of accounts or tweets through the two endpoints that take 100 for one billed request.
 */
import { batchesOf } from "../model/batch.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Client } from "./client.ts";
import { ENDPOINTS } from "./endpoints/index.ts";
import type { CallOptions } from "./operations.ts";

/** Which accounts: by handle or by id. */
export type Accounts =
  | { readonly usernames: readonly string[] }
  | { readonly userIds: readonly string[] };

/**
 * Profiles of any number of accounts, 100 for each billed request; accounts that do not exist are
 * absent. Each is asked for once.
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
 * Tweets of any number of links or ids, 100 for each billed request; tweets that are gone are
 * absent. Each is asked for once.
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

/** `@Alice` and `alice` are one account. */
const plainHandle = (handle: string): string => handle.replace(/^@/, "").toLowerCase();

const distinctBatches = (items: readonly string[], size: number) =>
  batchesOf([...new Set(items)], size);
