/** Lists names and ids that exist in the world, so that a client knows what it can request. */
import type { JsonObject } from "../../model/json.ts";
import { createShow } from "../world/shown/show.ts";
import type { World, WorldAt } from "../world/world.ts";

const FEW = 20;
const MANY = 50;
/** The number of accounts whose pinned tweets are checked for articles. */
const SEARCHED_ACCOUNTS = 1_000;

/** Returns the answer of `GET /_sandbox/sample`. */
export function sample(present: World, nowMs: number): JsonObject {
  const world = present.at(nowMs);
  const { people } = world;
  const show = createShow(present, nowMs);
  const tweetIds: string[] = [];
  for (const record of world.tweets.scan(nowMs)) {
    if (tweetIds.length === FEW) break;
    if (show.isVisible(record) && show.isIndexed(record)) tweetIds.push(record.id);
  }
  const handles = (isWanted: (key: number) => boolean) =>
    firstWanted(people.keys(), MANY, isWanted).map((key) => people.usernameOf(key));
  return {
    handles: handles((key) => people.isReadable(key)),
    user_ids: firstWanted(people.keys(), MANY, (key) => people.isReadable(key)).map((key) =>
      people.idOf(key),
    ),
    tweet_ids: tweetIds,
    article_ids: articleIds(world),
    list_ids: world.groups.lists().map((list) => list.id),
    community_ids: world.groups.communities().map((community) => community.id),
    space_ids: world.spaces
      .latest(nowMs, FEW)
      .map((space) => space.id)
      .toReversed(),
    indexed_handles: handles((key) => people.isReadable(key) && people.isIndexed(key)),
  };
}

function articleIds({ people, pinOf, recorded }: WorldAt): readonly string[] {
  const searched = firstWanted(people.keys(), SEARCHED_ACCOUNTS, (key) => people.isReadable(key));
  const pins = searched.map((key) => pinOf(key)).filter((pin) => pin?.isArticle === true);
  return [
    ...new Set([...recorded.articles.keys(), ...recorded.articleEdits.keys()]),
    ...pins.map((pin) => pin?.id ?? ""),
  ].slice(0, FEW);
}

/** Returns the first `most` keys for which `isWanted` is true. */
function firstWanted(
  keys: Iterable<number>,
  most: number,
  isWanted: (key: number) => boolean,
): readonly number[] {
  const found: number[] = [];
  for (const key of keys) {
    if (found.length === most) break;
    if (isWanted(key)) found.push(key);
  }
  return found;
}
