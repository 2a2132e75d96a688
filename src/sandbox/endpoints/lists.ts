/** Endpoints about public lists. Two take `list_id`, one `list_link` (field notes section 1). */
import type { Answer, Call, Handler } from "../call.ts";
import { anchorOf, positionPage, tweetPage } from "../paging.ts";
import { badRequest, notFound } from "../service-error.ts";
import { trailingId } from "../subjects.ts";
import { belongs, LISTS, type PublicList } from "../world/communities.ts";
import { crowdFollower } from "../world/crowd.ts";
import type { TweetRecord } from "../world/tweet-record.ts";

function findList(id: string): PublicList {
  const list = LISTS.find((each) => each.id === id);
  if (list === undefined) throw notFound("list");
  return list;
}

function listById(call: Call): PublicList {
  const id = call.params.required("list_id");
  if (!/^\d{1,20}$/.test(id)) throw badRequest("list_id must be numeric");
  return findList(id);
}

/** User keys of a list's members that can be read. */
const members = (call: Call, list: PublicList): readonly number[] =>
  call.world.people.native.map((account) => account.index).filter((key) => belongs(call.world.seed, list.id, list.share, key));

function* postsIn(call: Call, list: PublicList): Generator<TweetRecord> {
  const keys = new Set(members(call, list));
  for (const record of call.world.tweets.scan(call.nowMs, anchorOf(call))) {
    if (keys.has(record.author) && call.show.isVisible(record)) yield record;
  }
}

const listTweets = (call: Call): Answer => tweetPage(call, postsIn(call, listById(call)));

function listMembers(call: Call): Answer {
  const keys = members(call, listById(call));
  return positionPage(call, keys.length, (position) => {
    const key = keys[position];
    return key === undefined || !call.world.people.isReadable(key) ? undefined : call.show.user(key);
  });
}

function listFollowers(call: Call): Answer {
  const list = findList(trailingId(call.params.required("list_link"), "list_link"));
  const shift = LISTS.indexOf(list) + 70_001;
  return positionPage(call, list.followers, (position) => call.show.user(crowdFollower(shift, position)));
}

export const LIST_HANDLERS = {
  "list-tweets": listTweets,
  "list-members": listMembers,
  "list-followers": listFollowers,
} as const satisfies Record<string, Handler>;
