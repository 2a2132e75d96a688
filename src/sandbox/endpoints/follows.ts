/** Endpoints about who follows whom: the full lists, the 7-day windows of the service's own database, and the yes/no check. */
import { z } from "zod";
import type { Answer, Behaviour, Call } from "../call.ts";
import { positionPage } from "../paging.ts";
import { notFound } from "../service-error.ts";
import { accountOf, namedUser, readableUser } from "../subjects.ts";
import type { Follow } from "../world/follow-book.ts";
import * as shapes from "./shapes.ts";

const WEEK_MS = 7 * 86_400_000;

function followers(call: Call, isShown: (key: number) => boolean = () => true): Answer {
  const account = accountOf(call, readableUser(call));
  if (account === undefined) return { body: { next_cursor: null, users: [] } };
  const { follows, people } = call.world;
  return positionPage(call, follows.followerPositions(account, call.nowMs), (position) => {
    const key = follows.followerAt(account, position, call.nowMs);
    return key !== undefined && !people.isGone(key) && isShown(key) ? call.show.user(key) : undefined;
  });
}

const verifiedFollowers = (call: Call): Answer => followers(call, (key) => call.show.user(key).verified);

function follows(call: Call): Answer {
  const key = readableUser(call);
  const account = accountOf(call, key);
  const young = call.world.follows.recentFollowings(key, call.nowMs);
  const before = account?.followingsBefore ?? 0;
  return positionPage(call, before + young.length, (position) => {
    const followed =
      position < before && account !== undefined ? call.world.follows.oldFollowing(account, position) : young[position - before]?.key;
    return followed === undefined || call.world.people.isGone(followed) ? undefined : call.show.user(followed);
  });
}

/** Both sides must be in the service's own database (api-v3.md, endpoint notes). */
function newFollowers(call: Call): Answer {
  const key = indexedUser(call);
  const account = accountOf(call, key);
  const since = account === undefined ? [] : call.world.follows.followersSince(account, call.nowMs, call.nowMs - WEEK_MS);
  return { body: { users: entries(call, since) } };
}

function newFollowing(call: Call): Answer {
  const followed = call.world.follows.recentFollowings(indexedUser(call), call.nowMs);
  return { body: { users: entries(call, followed.filter((entry) => entry.atMs >= call.nowMs - WEEK_MS).toReversed()) } };
}

function indexedUser(call: Call): number {
  const key = readableUser(call);
  if (!call.world.people.isIndexed(key)) throw notFound("account");
  return key;
}

function entries(call: Call, followed: readonly Follow[]) {
  const { people } = call.world;
  return followed
    .filter((entry) => people.isIndexed(entry.key) && people.isReadable(entry.key))
    .map((entry) => {
      const { location: _absent, ...user } = call.show.user(entry.key);
      return { ...user, followerDate: new Date(entry.atMs).toISOString() };
    });
}

/** Does user 2 follow user 1? */
function checkFollow(call: Call): Answer {
  const target = namedUser(call, "_1");
  const follower = namedUser(call, "_2");
  const isProtected = call.world.people.isProtected(follower);
  return { body: { follow: !isProtected && call.world.follows.isFollowing(follower, target, call.nowMs), user_protected: isProtected } };
}

export const FOLLOW_BEHAVIOURS = {
  followers: { handle: (call) => followers(call), answer: shapes.positionPage },
  "verified-followers": { handle: verifiedFollowers, answer: shapes.positionPage },
  follows: { handle: follows, answer: shapes.positionPage },
  "new-followers-7d": { handle: newFollowers, answer: shapes.usersOf(shapes.followedUser) },
  "new-following-7d": { handle: newFollowing, answer: shapes.usersOf(shapes.followedUser) },
  "check-follow": { handle: checkFollow, answer: z.object({ follow: z.boolean(), user_protected: z.boolean() }) },
} as const satisfies Record<string, Behaviour>;
