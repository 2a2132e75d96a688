/**
 * Endpoints about accounts that the service has indexed in its own database: scores and influential
 * followers.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { notFound } from "../calls/service-error.ts";
import { namedUser, readableUser } from "../calls/subjects.ts";
import { hash32 } from "../world/chance/dice.ts";

const TOP = 20; // api-v3.md, Limits

function indexedAccount(call: Call, key = readableUser(call)): number {
  const { people, scores } = call.world;
  if (!scores.knows(key) || !people.isIndexed(key)) throw notFound("account");
  return key;
}

const score = (call: Call): Answer => ({
  body: { score: call.world.scores.score(indexedAccount(call), call.nowMs) },
});

const scoreChanges = (call: Call): Answer => ({
  body: { ...call.world.scores.changes(indexedAccount(call), call.nowMs) },
});

/**
 * Answers with the number of followers by category. Followers without a category do not count, and
 * a protected account has no counted followers (docs/service.md section 1).
 */
function followersStats(call: Call): Answer {
  const key = namedUser(call);
  indexedAccount(call, key);
  const isProtected = call.world.people.isProtected(key);
  const keys = isProtected
    ? []
    : call.world.follows.recent(key, call.nowMs).map((entry) => entry.key);
  const category = (of: number): number =>
    keys.filter((each) => hash32(call.world.seed, "category", each) % 10 === of).length;
  const [influencers, projects, capitals] = [category(0), category(1), category(2)];
  return {
    body: {
      followers_count: influencers + projects + capitals,
      influencers_count: influencers,
      projects_count: projects,
      venture_capitals_count: capitals,
      user_protected: isProtected,
    },
  };
}

const TOP_FIELDS = [
  "id",
  "username",
  "display_name",
  "description",
  "created_at",
  "can_dm",
  "protected",
  "verified",
  "followers_count",
  "followings_count",
  "tweets_count",
  "profile_image_url",
  "profile_background_image_url",
] as const;

function topFollowers(call: Call): Answer {
  const account = indexedAccount(call);
  const ranked = byScore(
    call,
    call.world.follows.recent(account, call.nowMs).map((entry) => entry.key),
  );
  return {
    body: {
      users: ranked.map(({ key, value }) => {
        const user = call.show.user(key);
        return {
          ...Object.fromEntries(TOP_FIELDS.map((field) => [field, user[field]])),
          score: value,
        } as JsonObject;
      }),
    },
  };
}

function topFollowing(call: Call): Answer {
  const account = indexedAccount(call);
  const followed = call.world.follows.recentFollowings(account, call.nowMs);
  const dates = new Map(followed.map((entry) => [entry.key, entry.atMs]));
  return {
    body: {
      users: byScore(call, [...dates.keys()]).map(({ key }) => {
        const { location: _absent, ...user } = call.show.user(key);
        return { ...user, followerDate: new Date(dates.get(key) ?? 0).toISOString() };
      }),
    },
  };
}

function byScore(
  call: Call,
  keys: readonly number[],
): readonly { readonly key: number; readonly value: number }[] {
  const { people, scores } = call.world;
  return keys
    .filter((key) => !people.isCrowd(key) && people.isReadable(key))
    .map((key) => ({ key, value: scores.score(key, call.nowMs) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, TOP);
}

export const ANALYTICS_HANDLERS = {
  score,
  "score-changes": scoreChanges,
  "followers-stats": followersStats,
  "top-followers": topFollowers,
  "top-following": topFollowing,
} as const satisfies Record<string, Handler>;
