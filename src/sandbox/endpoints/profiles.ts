/**
 * Endpoints about profiles: one or many profiles, and conversions between ids, handles and links.
 */
import type { Call, Handler } from "../calls/call.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { readableUser, tweetIdOf } from "../calls/subjects.ts";
import { hash32, pick } from "../world/chance/dice.ts";

const BATCH = 100; // api-v3.md, Limits

function infoBatch(call: Call) {
  const { people } = call.world;
  const usernames = call.params.list("usernames", BATCH);
  const ids = call.params.list("user_ids", BATCH);
  if ((usernames === undefined) === (ids === undefined))
    throw badRequest("exactly one of usernames, user_ids is required");
  // The service uses only the first name of a comma-joined value, and leaves out accounts that it
  // does not find (docs/service.md section 1).
  const first = (value: string): string => value.split(",")[0] ?? "";
  const keys =
    usernames?.map((name) => people.keyOfHandle(first(name))) ??
    ids?.map((id) => (/^\d+$/.test(first(id)) ? people.keyOfId(first(id)) : undefined)) ??
    [];
  const readable = [...new Set(keys)].filter((key) => key !== undefined && people.isReadable(key));
  return { body: { users: readable.map((key) => call.show.user(key as number)) } };
}

function about(call: Call) {
  const key = readableUser(call);
  const country = call.world.people.country(key);
  const seen = call.world.recorded.abouts.get(key);
  if (seen !== undefined) return { body: { ...seen, ...(country !== undefined && { country }) } };
  const renamed = call.world.people.renames(key);
  const home = pick(
    ["Germany", "Nigeria", "Japan", "Portugal", "United States"],
    hash32(call.world.seed, "country", key) / 2 ** 32,
  );
  const last = renamed.at(-1);
  return {
    body: {
      country: country ?? home,
      last_username_change_at: last === undefined ? null : new Date(last).toISOString(),
      username_change_count: renamed.length,
    },
  };
}

function idToUsername(call: Call) {
  if (!/^\d{1,20}$/.test(call.pathValue)) throw badRequest("user_id must be numeric");
  const key = call.world.people.keyOfId(call.pathValue);
  if (key === undefined || call.world.people.isGone(key)) throw notFound("user");
  return { body: { handle: call.world.people.usernameOf(key) } };
}

function usernameToId(call: Call) {
  if (!/^\w{1,15}$/.test(call.pathValue)) throw badRequest("handle is not a username");
  const key = call.world.people.keyOfHandle(call.pathValue);
  if (key === undefined || call.world.people.isGone(key)) throw notFound("user");
  return { body: { id: call.world.people.idOf(key) } };
}

function linkToId(call: Call) {
  const link = call.params.required("link");
  if (!/^https?:\/\//.test(link)) throw badRequest("link must be a URL");
  const tweetId = tweetIdOf(link);
  if (tweetId !== undefined) return { body: { id: tweetId } };
  const handle = /^https?:\/\/[^/]+\/@?(\w{1,15})\/?(?:[?#].*)?$/.exec(link)?.[1];
  const key = handle === undefined ? undefined : call.world.people.keyOfHandle(handle);
  if (key === undefined || call.world.people.isGone(key)) throw notFound("link");
  return { body: { id: call.world.people.idOf(key) } };
}

export const PROFILE_HANDLERS = {
  info: (call) => ({ body: call.show.user(readableUser(call)) }),
  "info-batch": infoBatch,
  about,
  "id-to-username": idToUsername,
  "username-to-id": usernameToId,
  "link-to-id": linkToId,
  "key-usage-info": (call) => ({ body: { ...call.usage() } }),
} as const satisfies Record<string, Handler>;
