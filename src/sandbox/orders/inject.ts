/** Adds tweets to the world for the control API. */
import { badRequest } from "../calls/service-error.ts";
import { snowflake, type TweetRecord } from "../world/tweets/tweet-record.ts";
import type { World } from "../world/world.ts";

export interface TweetOrder {
  /** The handle of the author, whose account is created if it does not exist. */
  readonly username: string;
  readonly text?: string;
  readonly reply_to?: string;
  readonly quote_of?: string;
  readonly retweet_of?: string;
  readonly community_id?: string;
  /**
   * When the last tweet was posted, in ISO 8601; now if absent. The ids of the tweets encode their
   * times.
   */
  readonly created_at?: string;
  /**
   * For how many ms timelines and search hide the tweet. The author's count of tweets rises at
   * once.
   */
  readonly visible_after_ms?: number;
  /**
   * How many tweets to add. They are at most a millisecond apart, and the last one is at
   * `created_at`. Without `created_at`, none is older than tweets that were added before.
   */
  readonly count?: number;
  readonly lang?: string;
}

/** Adds the tweets and returns their ids, oldest first. @throws ServiceError 400 */
export function inject(world: World, order: TweetOrder, nowMs: number): readonly string[] {
  if (typeof order.username !== "string") throw badRequest("username is required");
  const lastMs = order.created_at === undefined ? nowMs : Date.parse(order.created_at);
  if (Number.isNaN(lastMs)) throw badRequest("created_at must be ISO 8601");
  const count = order.count ?? 1;
  const author = world.people.ensure(order.username.replace(/^@/, ""));
  const firstMs =
    order.created_at === undefined
      ? Math.max(lastMs - (count - 1), Math.min(lastMs, world.tweets.lastAddedMs()))
      : lastMs - (count - 1);
  return Array.from({ length: count }, (_, i) => {
    const atMs =
      count === 1 ? lastMs : firstMs + Math.floor(((lastMs - firstMs) * i) / (count - 1));
    const record = makeRecord(world, order, {
      author,
      atMs,
      nowMs,
      suffix: count > 1 ? ` ${i + 1}` : "",
    });
    world.tweets.add(record);
    return record.id;
  });
}

/** The facts in which the tweets of one request differ. */
interface Instance {
  readonly author: number;
  readonly atMs: number;
  readonly nowMs: number;
  /** Appended to the text, so that all tweets of a request have different texts. */
  readonly suffix: string;
}

function makeRecord(
  world: World,
  order: TweetOrder,
  { author, atMs, nowMs, suffix }: Instance,
): TweetRecord {
  // The random bits of an id have the highest bit set, which is never the case for a generated
  // tweet. The count makes the ids within a millisecond ascend.
  const id = snowflake(atMs, 0x200000 | (world.tweets.addedCount() & 0x1fffff));
  const targetId = order.reply_to ?? order.quote_of ?? order.retweet_of;
  const target = targetId === undefined ? undefined : world.tweets.find(targetId);
  if (targetId !== undefined && target === undefined)
    throw badRequest(`there is no tweet ${targetId}`);
  const kind =
    order.reply_to !== undefined
      ? "reply"
      : order.quote_of !== undefined
        ? "quote"
        : order.retweet_of !== undefined
          ? "retweet"
          : "post";
  const visibleMs =
    order.visible_after_ms === undefined ? Math.min(atMs, nowMs) : nowMs + order.visible_after_ms;
  return {
    id,
    atMs,
    visibleMs,
    indexedMs: visibleMs,
    author,
    kind,
    text: `${order.text ?? "Hello."}${suffix}`,
    lang: order.lang ?? "en",
    conversationId: kind === "reply" ? (target?.conversationId ?? id) : id,
    targetId,
    communityId: order.community_id,
    media: [],
    likesAtLast: 0,
  };
}
