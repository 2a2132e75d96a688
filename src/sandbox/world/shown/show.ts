/**
 * Shows tweets as the API does at one moment: texts, counts, and quoted and retweeted tweets.
 * show-user.ts shows profiles; wire-quirks.ts adds the deviations of the wire format.
 */
import type { Tweet, TweetEntity } from "../../../model/tweet.ts";
import { hash32 } from "../chance/dice.ts";
import { createSearchableTweets } from "../tweets/searchable-tweet.ts";
import { createProfiles } from "./show-user.ts";
import type { TweetRecord } from "../tweets/tweet-record.ts";
import type { World } from "../world.ts";

export type Show = ReturnType<typeof createShow>;

/** Creates functions that show the world at `nowMs`. Each profile is computed once. */
export function createShow(present: World, nowMs: number) {
  const world = present.at(nowMs);
  const { people, tweets } = world;
  const { user, names, nameAndBio } = createProfiles(world, nowMs);
  const searchable = createSearchableTweets({ tweet, user, targetOf, textOf, entitiesOf, names });

  /**
   * Returns a tweet as the API shows it. With `depth` 0, the tweet that it quotes or retweets is
   * left out.
   */
  function tweet(record: TweetRecord, depth = 1): Tweet {
    const answers = countAnswers(tweets.answersTo(record, nowMs));
    if (record.shown !== undefined) return recordedTweet(record, record.shown, answers);
    const target = targetOf(record);
    const targetName =
      record.kind === "reply" && target !== undefined ? people.usernameOf(target.author) : "";
    const { likes_count, bookmark_count, view_count } = applause(record, nowMs);
    return {
      ...wording(record, { text: textOf(record, target), targetName }),
      likes_count,
      ...answers,
      bookmark_count,
      view_count,
      user: user(record.author),
      ...related(record, target, depth),
      ...tweets.editsOf(record.id),
    };
  }

  /** Returns a recorded tweet. Answers that were added since then increase the recorded counts. */
  function recordedTweet(
    record: TweetRecord,
    seen: Tweet,
    since: ReturnType<typeof countAnswers>,
  ): Tweet {
    return {
      ...seen,
      retweet_count: seen.retweet_count + since.retweet_count,
      reply_count: seen.reply_count + since.reply_count,
      quote_count: seen.quote_count + since.quote_count,
      user: user(record.author),
      ...tweets.editsOf(record.id),
    };
  }

  function targetOf(record: TweetRecord): TweetRecord | undefined {
    const target = record.targetId === undefined ? undefined : tweets.find(record.targetId);
    return target !== undefined && !isDeleted(target) ? target : undefined;
  }

  function related(
    record: TweetRecord,
    target: TweetRecord | undefined,
    depth: number,
  ): Partial<Tweet> {
    if (target === undefined || depth === 0) return {};
    // Inside a quoting tweet, the service sends the quoted tweet without entities (docs/service.md
    // section 2).
    if (record.kind === "quote") return { quoted_status: { ...tweet(target, 0), entities: [] } };
    return record.kind === "retweet" ? { retweeted_status: tweet(target, 0) } : {};
  }

  function textOf(record: TweetRecord, target: TweetRecord | undefined): string {
    if (record.kind !== "retweet" || target === undefined) return wordsOf(record);
    return `RT @${people.usernameOf(target.author)}: ${wordsOf(target)}`.slice(0, 140);
  }

  const wordsOf = (record: TweetRecord): string =>
    tweets.editsOf(record.id).full_text ?? record.text;

  const isDeleted = (record: TweetRecord): boolean =>
    (record.deletedMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  /** Whether timelines and lookups show the tweet now. */
  const isVisible = (record: TweetRecord): boolean =>
    record.visibleMs <= nowMs && !isDeleted(record) && people.isReadable(record.author);
  /** Whether searches find the tweet now. */
  const isIndexed = (record: TweetRecord): boolean =>
    record.indexedMs <= nowMs &&
    !isDeleted(record) &&
    people.isReadable(record.author) &&
    !people.isHiddenFromSearch(record.author);

  return { nowMs, user, nameAndBio, tweet, searchable, isVisible, isIndexed };
}

/**
 * Returns the counts of likes, bookmarks and views. They grow with the tweet's age, fastest in the
 * first hours.
 */
function applause(record: TweetRecord, nowMs: number) {
  const likes = Math.max(
    0,
    Math.floor(record.likesAtLast * (1 - Math.exp(-(nowMs - record.atMs) / 14_400_000))),
  );
  return {
    likes_count: likes,
    bookmark_count: Math.floor(likes / 7),
    view_count: Math.max(1, likes * 61),
  };
}

/**
 * Counts the answers to a tweet. Recorded answers are left out, because the recorded counts already
 * include them.
 */
function countAnswers(answers: readonly TweetRecord[]) {
  const counts = { retweet_count: 0, reply_count: 0, quote_count: 0 };
  for (const answer of answers) {
    if (answer.shown !== undefined) continue;
    if (answer.kind === "retweet") counts.retweet_count += 1;
    else if (answer.kind === "reply") counts.reply_count += 1;
    else counts.quote_count += 1;
  }
  return counts;
}

interface Words {
  readonly text: string;
  /** The handle of the author to whom this tweet replies; "" if it is not a reply. */
  readonly targetName: string;
}

function wording(record: TweetRecord, { text, targetName }: Words) {
  const isReply = record.kind === "reply";
  return {
    id: record.id,
    full_text: text,
    created_at: new Date(record.atMs).toISOString(),
    lang: record.lang,
    conversation_id_str: record.conversationId,
    entities: entitiesOf(record),
    is_reply: isReply,
    in_reply_to_tweet_id: isReply ? (record.targetId ?? "") : "",
    in_reply_to_username: targetName,
    is_quote_status: record.kind === "quote",
    is_replies_limited: false,
    made_with_ai: hash32(record.id, "ai") % 40 === 0,
    paid_partnership: false,
  };
}

const entitiesOf = (record: TweetRecord): readonly TweetEntity[] =>
  record.media.map((type, index) => entityOf(record.id, type, index));

const entityOf = (id: string, type: TweetRecord["media"][number], index: number): TweetEntity =>
  type === "url"
    ? { link: `https://example.com/articles/${id.slice(-6)}`, preview: "", type }
    : {
        link: `https://images.example/media/${id}_${index}.${type === "photo" ? "jpg" : "mp4"}`,
        preview: `https://images.example/media/${id}_${index}_small.jpg`,
        type,
      };
