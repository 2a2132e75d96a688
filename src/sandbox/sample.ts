/** Names and ids that exist in the world, so that a client knows what to ask for. */
import type { JsonObject } from "../model/json.ts";
import { COMMUNITIES, LISTS } from "./world/communities.ts";
import { createShow } from "./world/show.ts";
import type { World } from "./world/world.ts";

const FEW = 20;

/** The arrays of `GET /_sandbox/sample`. */
export function sample(world: World, nowMs: number): JsonObject {
  const { people } = world;
  const show = createShow(world, nowMs);
  const readable = people.accounts().filter((account) => people.isReadable(account.index));
  const tweetIds: string[] = [];
  for (const record of world.tweets.scan(nowMs)) {
    if (tweetIds.length === FEW) break;
    if (show.isVisible(record) && show.isIndexed(record)) tweetIds.push(record.id);
  }
  const articles = readable.map((account) => world.pinOf(account.index)).filter((pin) => pin?.isArticle === true);
  return {
    handles: readable.slice(0, 50).map((account) => people.usernameOf(account.index)),
    user_ids: readable.slice(0, 50).map((account) => account.id),
    tweet_ids: tweetIds,
    article_ids: articles.slice(0, FEW).map((pin) => pin?.id ?? ""),
    list_ids: LISTS.map((list) => list.id),
    community_ids: COMMUNITIES.map((community) => community.id),
    space_ids: world.spaces.map((space) => space.id),
    indexed_handles: readable
      .filter((account) => people.isIndexed(account.index))
      .slice(0, 50)
      .map((account) => people.usernameOf(account.index)),
  };
}
