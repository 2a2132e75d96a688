/** Changes that the control API makes to follows, scores and accounts. inject.ts adds tweets. */
import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { badRequest } from "../calls/service-error.ts";
import { showInstead } from "../world/people/account-state.ts";
import type { World } from "../world/world.ts";

/** A handle, with or without @. If no account has the handle, an account is created. */
export const handle = z
  .string()
  .regex(/^@?\w{1,15}$/, "must be a handle: up to 15 letters, digits and _")
  .transform((text) => text.replace(/^@/, ""));
export const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be ISO 8601");
const MAX_COUNT = 100_000;
export const howMany = z.int().min(1).max(MAX_COUNT);

export const FOLLOWS = z.strictObject({
  target: handle,
  follower: handle.exactOptional(),
  count: howMany.exactOptional(),
  at: time.exactOptional(),
});

/**
 * Adds the given follower, or else `count` users of the crowd who have never followed the target.
 * @throws ServiceError 400
 */
export function addFollows(
  world: Pick<World, "people" | "follows">,
  order: z.output<typeof FOLLOWS>,
  nowMs: number,
): JsonObject {
  const { people, follows } = world;
  const target = people.ensure(order.target);
  const atMs = order.at === undefined ? nowMs : Date.parse(order.at);
  const wanted = order.count ?? 1;
  const followers = Array.from({ length: wanted }, (_, added) => {
    const key =
      order.follower === undefined
        ? follows.stranger(target, nowMs)
        : people.ensure(order.follower);
    if (key === undefined)
      throw badRequest(
        `nearly all of the crowd follow ${order.target} already: ${added} of ${wanted} were added, name a follower for more`,
      );
    follows.add(target, key, atMs, nowMs);
    return { id: people.idOf(key), username: people.usernameOf(key) };
  });
  return { followers };
}

export const UNFOLLOW = z.strictObject({ target: handle, follower: handle });

export function removeFollow(
  { people, follows }: World,
  { target, follower }: z.output<typeof UNFOLLOW>,
): JsonObject {
  follows.remove(people.ensure(target), people.ensure(follower));
  return {};
}

export const SCORE = z.strictObject({
  username: handle,
  week_delta: z.number().exactOptional(),
  month_delta: z.number().exactOptional(),
  /** The score itself. While no score was ever given here, the score follows from `week_delta`. */
  score: z.number().nonnegative().exactOptional(),
  indexed: z.boolean().exactOptional(),
});

/** Sets the given fields of an account's score. @throws ServiceError 400 */
export function setScore(
  { people, scores }: World,
  order: z.output<typeof SCORE>,
  nowMs: number,
): JsonObject {
  const key = people.ensure(order.username);
  if (people.isCrowd(key)) throw badRequest("only accounts of the world have scores");
  const { username: _username, indexed, ...given } = order;
  scores.set(key, given, nowMs);
  if (indexed !== undefined) people.setIndexed(key, indexed);
  return {
    score: scores.score(key, nowMs),
    ...scores.changes(key, nowMs),
    indexed: people.isIndexed(key),
  };
}

/** A text that is shown in place of the generated one. Null shows the generated one again. */
const shownText = z.string().nullable().exactOptional();
const shownCount = z.int().nonnegative().nullable().exactOptional();

const PROFILE = z.strictObject({
  display_name: shownText,
  description: shownText,
  location: shownText,
  bio_urls: z.array(z.string()).nullable().exactOptional(),
  profile_image_url: shownText,
  profile_background_image_url: shownText,
  verified: z.boolean().nullable().exactOptional(),
  followers_count: shownCount,
  followings_count: shownCount,
  tweets_count: shownCount,
  media_count: shownCount,
  favourites_count: shownCount,
});

export const ACCOUNT = PROFILE.extend({
  username: handle,
  rename_to: handle.exactOptional(),
  protected: z.boolean().exactOptional(),
  suspended: z.boolean().exactOptional(),
  deleted: z.boolean().exactOptional(),
  indexed: z.boolean().exactOptional(),
  /** Hides the account's tweets from search, but not from the account's timeline. */
  hidden_from_search: z.boolean().exactOptional(),
  /** The country that /about answers with. */
  country: z.string().exactOptional(),
});

/**
 * Creates the account if it does not exist. Then applies the given fields: renames the account,
 * hides or shows it, or changes its profile. @throws ServiceError 400
 */
export function changeAccount(
  { people }: World,
  order: z.output<typeof ACCOUNT>,
  nowMs: number,
): JsonObject {
  const key = people.ensure(order.username);
  const state = people.state(key);
  if (state === undefined) throw badRequest("people of the crowd cannot be changed");
  const holder = order.rename_to === undefined ? key : (people.keyOfHandle(order.rename_to) ?? key);
  if (holder !== key) throw badRequest(`rename_to: somebody has the handle ${order.rename_to}`);
  for (const flag of ["protected", "suspended", "deleted"] as const)
    if (order[flag] !== undefined) state[flag] = order[flag];
  if (order.indexed !== undefined) people.setIndexed(key, order.indexed);
  if (order.hidden_from_search !== undefined) state.hiddenFromSearch = order.hidden_from_search;
  if (order.country !== undefined) state.country = order.country;
  showInstead(state, PROFILE.strip().parse(order));
  if (order.rename_to !== undefined) people.rename(key, order.rename_to, nowMs);
  const { username, protected: isProtected, suspended, deleted } = state;
  return {
    id: people.idOf(key),
    username,
    protected: isProtected,
    suspended,
    deleted,
    ...state.shown,
  };
}
