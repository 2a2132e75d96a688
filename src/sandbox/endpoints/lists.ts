/**
 * Endpoints about public lists. /list-tweets and /list-members have the parameter `list_id`,
 * /list-followers has `list_link` (docs/service.md section 1).
 */
import type { Answer, Call, Handler } from "../calls/call.ts";
import { anchorOf, positionPage, tweetPage } from "../calls/paging.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { trailingId } from "../calls/subjects.ts";
import type { PublicList } from "../world/groups/communities.ts";
import type { Group } from "../world/groups/groups.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

function findList(call: Call, id: string): PublicList & Group {
  const list = call.world.groups.list(id);
  if (list === undefined) throw notFound("list");
  return list;
}

function listById(call: Call): PublicList & Group {
  const id = call.params.required("list_id");
  if (!/^\d{1,20}$/.test(id)) throw badRequest("list_id must be numeric");
  return findList(call, id);
}

function* postsIn(call: Call, list: Group): Generator<TweetRecord> {
  const members = call.world.groups.membersOf(list, call.nowMs);
  for (const record of call.world.tweets.scanBy(members, call.nowMs, anchorOf(call)))
    if (call.show.isVisible(record)) yield record;
}

const listTweets = (call: Call): Answer => tweetPage(call, postsIn(call, listById(call)));

function listMembers(call: Call): Answer {
  const list = listById(call);
  const { groups, people } = call.world;
  const keys = groups.positions(list);
  return positionPage(call, keys.length, (position) => {
    const key = keys[position];
    const isThere =
      key !== undefined && groups.isMember(list, key, call.nowMs) && people.isReadable(key);
    return isThere ? call.show.user(key) : undefined;
  });
}

function listFollowers(call: Call): Answer {
  const list = findList(call, trailingId(call.params.required("list_link"), "list_link"));
  const { groups, people } = call.world;
  return positionPage(call, groups.followerPositions(list, call.nowMs), (position) => {
    const key = groups.followerAt(list, position, call.nowMs);
    return key === undefined || !people.isReadable(key) ? undefined : call.show.user(key);
  });
}

export const LIST_HANDLERS = {
  "list-tweets": listTweets,
  "list-members": listMembers,
  "list-followers": listFollowers,
} as const satisfies Record<string, Handler>;
