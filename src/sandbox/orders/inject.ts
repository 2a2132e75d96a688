/** Adds tweets to the world by hand. */
import { badRequest } from "../calls/service-error.ts";
import { snowflake, type TweetRecord } from "../world/tweets/tweet-record.ts";
import type { World } from "../world/world.ts";

export interface TweetOrder {
  /** Made when nobody has this handle. */
  readonly username: string;
  readonly text?: string;
  readonly reply_to?: string;
  readonly quote_of?: string;
  readonly retweet_of?: string;
  readonly community_id?: string;
  /** ISO 8601; the default is now. The id of the tweet carries this time. */
  readonly created_at?: string;
  /** Hides the tweet in timelines and search for this long; the author's counters move at once. */
  readonly visible_after_ms?: number;
  /**
   * How many tweets to add, at most a millisecond apart, the last one at `created_at`. None is
   * older than those added before.
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

/** The facts in which the tweets of one order differ. */
interface Instance {
  readonly author: number;
  readonly atMs: number;
  readonly nowMs: number;
  /** Appended to the text, so that the texts of one order differ. */
  readonly suffix: string;
}

function makeRecord(
  world: World,
  order: TweetOrder,
  { author, atMs, nowMs, suffix }: Instance,
): TweetRecord {
  // The upper half of the low bits: such an id is never that of a generated tweet, and ids grow
  // within a millisecond.
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
