/** Endpoints about communities: descriptions, members and posts. */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { anchorOf, offsetPage, tweetPage } from "../calls/paging.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { namedUser, trailingId } from "../calls/subjects.ts";
import type { Community } from "../world/groups/communities.ts";
import type { Group } from "../world/groups/groups.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";
import { ordered, readQuery } from "./searches.ts";

const MEMBERS_PER_PAGE = 20;
const POPULAR_POOL = 400;

function communityOf(call: Call, name: string): Community & Group {
  const community = call.world.groups.community(trailingId(call.params.required(name), name));
  if (community === undefined) throw notFound("community");
  return community;
}

/**
 * Finds the community that the request names. If it has both, `community_id` takes precedence over
 * `community_link` (api-v3.md, endpoint notes).
 */
function namedCommunity(call: Call): Community & Group {
  const name = call.params.has("community_id") ? "community_id" : "community_link";
  if (!call.params.has(name)) throw badRequest("community_id or community_link is required");
  return communityOf(call, name);
}

const isMember = (call: Call, community: Community & Group, key: number): boolean =>
  call.world.groups.isMember(community, key, call.nowMs) && !call.world.people.isGone(key);

const countMembers = (call: Call, community: Community & Group): number =>
  call.world.groups.positions(community).filter((key) => isMember(call, community, key)).length;

function communityInfo(call: Call): Answer {
  const community = namedCommunity(call);
  return {
    body: {
      name: community.name,
      description: community.description,
      member_count: countMembers(call, community) + (community.recorded?.unnamedMembers ?? 0),
      created_at: community.createdMs,
      banner_url:
        community.recorded?.bannerUrl ?? `https://images.example/communities/${community.id}.jpg`,
      creator: call.show.user(community.creator),
    },
  };
}

function communityMembers(call: Call): Answer {
  const community = communityOf(call, "community_link");
  const show = (key: number): JsonObject | undefined => {
    if (!isMember(call, community, key)) return undefined;
    const {
      display_name,
      id,
      profile_image_url,
      protected: isProtected,
      username,
      verified,
    } = call.show.user(key);
    return { display_name, id, profile_image_url, protected: isProtected, username, verified };
  };
  return offsetPage(call, call.world.groups.positions(community), {
    name: "users",
    most: MEMBERS_PER_PAGE,
    show,
  });
}

function* postsIn(
  call: Call,
  community: Community,
  beforeId: string | undefined,
): Generator<TweetRecord> {
  for (const record of call.world.tweets.scan(call.nowMs, beforeId)) {
    if (record.communityId === community.id && call.show.isVisible(record)) yield record;
  }
}

/**
 * Answers with the posts of a community. In the order `latest`, the pinned post is on every page
 * (docs/service.md section 1).
 */
function communityTweets(call: Call): Answer {
  const community = communityOf(call, "community_id");
  const order = call.params.choice("order", ["latest", "popular"], "latest");
  const pin = call.world.communityPin(community.id);
  const pinned = pin !== undefined && call.world.tweets.find(pin.id) !== undefined ? [pin] : [];
  if (order === "latest") return tweetPage(call, postsIn(call, community, anchorOf(call)), pinned);
  const pool: TweetRecord[] = [];
  for (const record of postsIn(call, community, undefined))
    if (pool.push(record) >= POPULAR_POOL) break;
  pool.sort((a, b) => b.likesAtLast - a.likesAtLast);
  return offsetPage(call, pool, {
    name: "tweets",
    most: 20,
    show: (record) => call.show.tweet(record),
  });
}

function communitySearch(call: Call): Answer {
  const community = communityOf(call, "community_link");
  const query = readQuery(call.params.required("query"));
  return ordered(
    call,
    call.params.choice("order", ["popular", "latest"], "popular"),
    query,
    (record) => record.communityId === community.id,
  );
}

function checkMember(call: Call): Answer {
  const community = communityOf(call, "community_id");
  return { body: { is_member: isMember(call, community, namedUser(call)) } };
}

export const COMMUNITY_HANDLERS = {
  "community-info": communityInfo,
  "community-members": communityMembers,
  "community-tweets": communityTweets,
  "community-search-tweets": communitySearch,
  "check-community-member": checkMember,
} as const satisfies Record<string, Handler>;
