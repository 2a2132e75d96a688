/**
 * Chooses the parameters for a request to each operation of a sandbox, from what exists in its
 * world.
 */
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** The answer of `GET /_sandbox/sample`. */
export type SandboxSample = Readonly<Record<string, readonly string[]>>;

export function sandboxParams(sample: SandboxSample): Readonly<Record<EndpointName, JsonObject>> {
  const one = (kind: string): string => sample[kind]?.[0] ?? "";
  const user = { user_id: one("user_ids") };
  const indexed = { username: one("indexed_handles") };
  const tweet = { tweet_link: one("tweet_ids") };
  const community = { community_id: one("community_ids") };
  return {
    info: { username: one("handles") },
    "info-batch": { usernames: sample["handles"]?.slice(0, 50) },
    about: user,
    followers: user,
    follows: user,
    "verified-followers": user,
    "search-users": { query: one("handles") },
    "check-follow": { user_id_1: one("user_ids"), user_id_2: sample["user_ids"]?.[1] },
    "tweet-info": tweet,
    "tweet-info-bulk": { tweet_links: sample["tweet_ids"]?.slice(0, 20) },
    "user-tweets": user,
    "user-retweets": user,
    "search-tweets": { query: `from:${one("handles")}`, order: "latest" },
    mentions: { query: one("handles"), min_likes: 0 },
    comments: { ...tweet, order_by: "Recency" },
    quotes: tweet,
    retweeters: tweet,
    article: { tweet_link: one("article_ids") },
    "check-comment": { ...tweet, ...user },
    "check-quoted": { ...tweet, ...user },
    "check-retweet": { ...tweet, ...user },
    "v2-user-tweets": user,
    "community-info": community,
    "community-members": { community_link: one("community_ids") },
    "community-tweets": community,
    "community-search-tweets": { community_link: one("community_ids"), query: "a" },
    "check-community-member": { ...community, ...user },
    "list-tweets": { list_id: one("list_ids") },
    "list-members": { list_id: one("list_ids") },
    "list-followers": { list_link: one("list_ids") },
    spaces: { id: one("space_ids") },
    trends: { woeid: 1 },
    score: indexed,
    "score-changes": indexed,
    "followers-stats": indexed,
    "top-followers": indexed,
    "top-following": indexed,
    "new-followers-7d": indexed,
    "new-following-7d": indexed,
    "id-to-username": user,
    "username-to-id": { handle: one("handles") },
    "link-to-id": { link: `https://x.com/${one("handles")}` },
    "key-usage-info": {},
  };
}
