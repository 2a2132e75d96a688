/**
 * Finds the user or tweet that a request names by handle, id or link. Throws an error with status
 * 404 if there is none.
 */
import type { Call } from "./call.ts";
import { badRequest, notFound } from "./service-error.ts";
import type { People } from "../world/people/people.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

const USER_NAMES = ["user_link", "username", "user_id"] as const;

/**
 * Returns the key of the user that the request names. The request must have exactly one of
 * user_link, username and user_id; with a suffix, of user_link_1 and so on. Protected accounts are
 * found, too. @throws ServiceError 400, 404
 */
export function namedUser(call: Call, suffix = ""): number {
  const { name, value } = call.params.exactlyOne(USER_NAMES.map((each) => `${each}${suffix}`));
  const key = name.startsWith("user_id")
    ? keyOfId(call.world.people, value, name)
    : keyOfHandle(
        call.world.people,
        name.startsWith("user_link") ? handleOfLink(value, name) : value,
        name,
      );
  if (key === undefined || call.world.people.isGone(key)) throw notFound("user");
  return key;
}

/**
 * Returns the key of the user that the request names, like `namedUser`. @throws ServiceError 404
 * also for a protected account
 */
export function readableUser(call: Call): number {
  const key = namedUser(call);
  if (!call.world.people.isReadable(key)) throw notFound("user");
  return key;
}

/**
 * Returns the key of the user with this id. @throws ServiceError 400 if the id does not consist of
 * digits
 */
export function keyOfId(people: People, id: string, name: string): number | undefined {
  if (!/^\d{1,20}$/.test(id)) throw badRequest(`${name} must be a string of digits`);
  return people.keyOfId(id);
}

function keyOfHandle(people: People, handle: string, name: string): number | undefined {
  if (!/^\w{1,15}$/.test(handle)) throw badRequest(`${name} is not a username`);
  return people.keyOfHandle(handle);
}

/**
 * Returns the handle in the URL of a profile. @throws ServiceError 400 if the text is not such a
 * URL
 */
export function handleOfLink(link: string, name: string): string {
  const handle = /^https?:\/\/[^/]+\/@?(\w{1,15})\/?(?:[?#].*)?$/.exec(link)?.[1];
  if (handle === undefined) throw badRequest(`${name} must be the URL of a profile`);
  return handle;
}

/**
 * Returns the tweet whose URL or id is in `tweet_link`. @throws ServiceError 400, or 404 if there
 * is no such tweet or it is not visible
 */
export function namedTweet(call: Call): TweetRecord {
  const id = tweetIdOf(call.params.required("tweet_link"));
  if (id === undefined) throw badRequest("tweet_link must be the URL or ID of a tweet");
  const record = call.world.tweets.find(id);
  if (record === undefined || !call.show.isVisible(record)) throw notFound("tweet");
  return record;
}

/**
 * Returns the id in the URL of a tweet, or the text itself if it is an id; undefined for any other
 * text.
 */
export const tweetIdOf = (link: string): string | undefined =>
  /^(?:https?:\/\/[^/]+\/[^/]+\/(?:[^/]+\/)?(?:status|article)\/)?(\d{1,20})\/?(?:[?#].*)?$/.exec(
    link,
  )?.[1];

/**
 * Returns the id at the end of a URL such as `…/communities/1493` or `…/lists/12`, or the text
 * itself if it is an id. @throws ServiceError 400 for any other text
 */
export function trailingId(value: string, name: string): string {
  const id = /^(?:https?:\/\/\S*\/)?(\d{1,20})\/?(?:[?#].*)?$/.exec(value)?.[1];
  if (id === undefined) throw badRequest(`${name} must be a URL or an ID of digits`);
  return id;
}
