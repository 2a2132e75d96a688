/**
 * The last endpoint of version 2 of the API, which uses older field names (api-v3.md, Versioning).
 */
import type { JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { tweetPage } from "../calls/paging.ts";
import { notFound } from "../calls/service-error.ts";
import { handleOfLink, keyOfId } from "../calls/subjects.ts";
import { pinnedFirst, postsOf } from "./timelines.ts";

function userTweets(call: Call): Answer {
  const { name, value } = call.params.exactlyOne(["link", "user_id"]);
  const { people } = call.world;
  const key =
    name === "link" ? people.keyOfHandle(handleOfLink(value, name)) : keyOfId(people, value, name);
  if (key === undefined || !people.isReadable(key)) throw notFound("user");
  const page = tweetPage(call, postsOf(call, key), pinnedFirst(call, key));
  return {
    body: { ...page.body, tweets: (page.body["tweets"] as readonly Tweet[]).map(oldTweet) },
  };
}

function oldTweet(tweet: Tweet): JsonObject {
  const { id, likes_count, in_reply_to_tweet_id, user, quoted_status, retweeted_status, ...same } =
    tweet;
  return {
    ...same,
    id_str: id,
    favorite_count: likes_count,
    in_reply_to_status_id_str: in_reply_to_tweet_id,
    user: oldUser(user),
    ...(quoted_status === undefined ? {} : { quoted_status: oldInner(quoted_status) }),
    ...(retweeted_status === undefined ? {} : { retweeted_status: oldInner(retweeted_status) }),
  };
}

function oldInner(tweet: Tweet): JsonObject {
  const { created_at, likes_count, full_text, id, quote_count, retweet_count, user } = tweet;
  return {
    created_at,
    favorite_count: likes_count,
    full_text,
    id_str: id,
    quote_count,
    retweet_count,
    user: oldUser(user),
  };
}

function oldUser(user: User): JsonObject {
  const { id, username, display_name, profile_image_url, followings_count, tweets_count, ...same } =
    user;
  return {
    ...same,
    id_str: id,
    screen_name: username,
    name: display_name,
    avatar: profile_image_url,
    friends_count: followings_count,
    statuses_count: tweets_count,
  };
}

export const LEGACY_HANDLERS = {
  "v2-user-tweets": userTweets,
} as const satisfies Record<string, Handler>;
