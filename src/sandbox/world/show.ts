/** Shows records as the API's resources at one moment: profiles, counts, quoted and retweeted tweets. Wire quirks are dress.ts's. */
import type { Tweet, TweetEntity } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import { CROWD_FROM } from "./crowd.ts";
import { hash32 } from "./dice.ts";
import type { TweetRecord } from "./tweet-record.ts";
import type { World } from "./world.ts";

export type Show = ReturnType<typeof createShow>;

/** What the world looks like at `nowMs`; profiles are made once per Show. */
export function createShow(world: World, nowMs: number) {
  const { people, tweets, follows } = world;
  const users = new Map<number, User>();

  function user(key: number): User {
    const known = users.get(key);
    if (known !== undefined) return known;
    const made = key >= CROWD_FROM ? crowdUser(key) : accountUser(key);
    users.set(key, made);
    return made;
  }

  function accountUser(key: number): User {
    const account = people.account(key);
    if (account === undefined) throw new RangeError(`no account ${key}`);
    const count = account.tweetsBefore + tweets.countBy(key, nowMs);
    const pin = world.pinOf(key);
    return {
      id: account.id,
      username: people.usernameOf(key),
      display_name: account.displayName,
      description: account.description,
      location: account.location,
      bio_urls: hash32(world.seed, "bio-url", key) % 3 === 0 ? [`https://example.com/${account.username}`] : [],
      can_dm: hash32(world.seed, "dm", key) % 2 === 0,
      created_at: new Date(account.createdMs).toISOString(),
      favourites_count: hash32(world.seed, "faves", key) % 40_000,
      followers_count: people.state(key)?.followersShown ?? follows.followerCount(account, nowMs),
      followings_count: follows.followingCount(account, nowMs),
      media_count: Math.floor(count * 0.24),
      tweets_count: count,
      pinned_tweet_ids: pin === undefined ? [] : [pin.id],
      possibly_sensitive: hash32(world.seed, "sensitive", key) % 50 === 0,
      ...pictures(account.id),
      protected: people.isProtected(key),
      verified: account.verified,
    };
  }

  function crowdUser(key: number): User {
    const person = people.person(key);
    return {
      id: person.id,
      username: person.username,
      display_name: person.displayName,
      description: "",
      location: "",
      bio_urls: [],
      can_dm: false,
      created_at: new Date(person.createdMs).toISOString(),
      favourites_count: hash32(world.seed, "faves", key) % 4_000,
      followers_count: person.followersCount,
      followings_count: 20 + (hash32(world.seed, "followings", key) % 1_500),
      media_count: 0,
      tweets_count: hash32(world.seed, "posts", key) % 9_000,
      pinned_tweet_ids: [],
      possibly_sensitive: false,
      ...pictures(person.id),
      protected: false,
      verified: person.followersCount > 5_000,
    };
  }

  /** `depth` 0 shows a tweet without the tweet it quotes or retweets. */
  function tweet(record: TweetRecord, depth = 1): Tweet {
    const target = record.targetId === undefined ? undefined : tweets.find(record.targetId);
    const answers = tweets.answersTo(record.id, nowMs);
    const likes = Math.floor(record.likesAtLast * (1 - Math.exp(-(nowMs - record.atMs) / 14_400_000)));
    const isReply = record.kind === "reply";
    return {
      id: record.id,
      full_text: textOf(record, target),
      created_at: new Date(record.atMs).toISOString(),
      lang: record.lang,
      conversation_id_str: record.conversationId,
      entities: record.media.map((type, index) => entityOf(record.id, type, index)),
      is_reply: isReply,
      in_reply_to_tweet_id: isReply ? (record.targetId ?? "") : "",
      in_reply_to_username: isReply && target !== undefined ? people.usernameOf(target.author) : "",
      is_quote_status: record.kind === "quote",
      is_replies_limited: false,
      made_with_ai: hash32(record.id, "ai") % 40 === 0,
      paid_partnership: false,
      likes_count: Math.max(0, likes),
      retweet_count: answers.filter((answer) => answer.kind === "retweet").length,
      reply_count: answers.filter((answer) => answer.kind === "reply").length,
      quote_count: answers.filter((answer) => answer.kind === "quote").length,
      bookmark_count: Math.max(0, Math.floor(likes / 7)),
      view_count: Math.max(1, likes * 61),
      user: user(record.author),
      ...related(record, target, depth),
    };
  }

  function related(record: TweetRecord, target: TweetRecord | undefined, depth: number): Partial<Tweet> {
    if (target === undefined || depth === 0) return {};
    // A quoted tweet's entities are empty inline (field notes section 2).
    if (record.kind === "quote") return { quoted_status: { ...tweet(target, 0), entities: [] } };
    return record.kind === "retweet" ? { retweeted_status: tweet(target, 0) } : {};
  }

  function textOf(record: TweetRecord, target: TweetRecord | undefined): string {
    if (record.kind !== "retweet" || target === undefined) return record.text;
    return `RT @${people.usernameOf(target.author)}: ${target.text}`.slice(0, 140);
  }

  /** Whether timelines and lookups may show it now. */
  const isVisible = (record: TweetRecord): boolean => record.visibleMs <= nowMs && people.isReadable(record.author);
  /** Whether the search index shows it now. */
  const isIndexed = (record: TweetRecord): boolean => record.indexedMs <= nowMs && people.isReadable(record.author);

  return { nowMs, user, tweet, isVisible, isIndexed };
}

const pictures = (id: string) => ({
  profile_image_url: `https://images.example/avatars/${id}/normal.jpg`,
  profile_background_image_url: `https://images.example/banners/${id}/1500x500.jpg`,
});

const entityOf = (id: string, type: TweetRecord["media"][number], index: number): TweetEntity =>
  type === "url"
    ? { link: `https://example.com/articles/${id.slice(-6)}`, preview: "", type }
    : {
        link: `https://images.example/media/${id}_${index}.${type === "photo" ? "jpg" : "mp4"}`,
        preview: `https://images.example/media/${id}_${index}_small.jpg`,
        type,
      };
