/**
 * Endpoints about follows: the complete lists, the lists of the last 7 days from the service's own
 * database, and the check whether one user follows another.
 */
import type { Answer, Call, Handler } from "../calls/call.ts";
import { positionPage } from "../calls/paging.ts";
import { notFound } from "../calls/service-error.ts";
import { namedUser, readableUser } from "../calls/subjects.ts";
import type { Follow } from "../world/follows/follow.ts";

const WEEK_MS = 7 * 86_400_000;

function followers(call: Call, isShown: (key: number) => boolean = () => true): Answer {
  const target = readableUser(call);
  const { follows, people } = call.world;
  return positionPage(call, follows.followerPositions(target, call.nowMs), (position) => {
    const key = follows.followerAt(target, position, call.nowMs);
    return key !== undefined && !people.isGone(key) && isShown(key)
      ? call.show.user(key)
      : undefined;
  });
}

const verifiedFollowers = (call: Call): Answer =>
  followers(call, (key) => call.show.user(key).verified);

function follows(call: Call): Answer {
  const key = readableUser(call);
  const { follows: graph } = call.world;
  return positionPage(call, graph.followingPositions(key, call.nowMs), (position) => {
    const followed = graph.followingAt(key, position, call.nowMs);
    return followed === undefined || call.world.people.isGone(followed)
      ? undefined
      : call.show.user(followed);
  });
}

/**
 * Answers with the followers of the last 7 days. Only accounts in the service's own database have
 * such a list and appear in one (api-v3.md, endpoint notes).
 */
function newFollowers(call: Call): Answer {
  const key = indexedUser(call);
  return {
    body: {
      users: entries(
        call,
        call.world.follows.followersSince(key, call.nowMs, call.nowMs - WEEK_MS),
      ),
    },
  };
}

function newFollowing(call: Call): Answer {
  const followed = call.world.follows.recentFollowings(indexedUser(call), call.nowMs);
  return {
    body: {
      users: entries(
        call,
        followed.filter((entry) => entry.atMs >= call.nowMs - WEEK_MS).toReversed(),
      ),
    },
  };
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

/** Answers whether the user named by the parameters with `_2` follows the one named with `_1`. */
function checkFollow(call: Call): Answer {
  const target = namedUser(call, "_1");
  const follower = namedUser(call, "_2");
  const isProtected = call.world.people.isProtected(follower);
  return {
    body: {
      follow: !isProtected && call.world.follows.isFollowing(follower, target, call.nowMs),
      user_protected: isProtected,
    },
  };
}

export const FOLLOW_HANDLERS = {
  followers: (call) => followers(call),
  "verified-followers": verifiedFollowers,
  follows,
  "new-followers-7d": newFollowers,
  "new-following-7d": newFollowing,
  "check-follow": checkFollow,
} as const satisfies Record<string, Handler>;
