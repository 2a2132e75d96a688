/**
 * The generated tweets of the world, which are computed from planned posts when they are needed: by
 * author, by id, by the tweet that they answer, and all of a day in order. A reply, retweet or
 * quote answers a post from the 24 hours before, by one of the few accounts that its author can
 * answer. Finding the answered post, or all answers to a post, therefore costs the same in a world
 * of any size.
 */
import { timeOfTweetId } from "../../../model/id.ts";
import type { Account } from "../people/accounts.ts";
import type { Groups } from "../groups/groups.ts";
import { COMMUNITIES } from "../groups/communities.ts";
import { DAY_MS } from "../chance/daily.ts";
import { diceFrom, hash32, mix, pick } from "../chance/dice.ts";
import { createAnswerCandidates, type AnswerCandidates } from "./answer-candidates.ts";
import { remember } from "../chance/memory.ts";
import type { PlannedPost, PlannedPosts } from "../chance/planned-posts.ts";
import { composeText } from "./texts.ts";
import { snowflake, type TweetRecord } from "./tweet-record.ts";

/**
 * The low bits of a tweet's id that hold the author's position. The bit above them is set for
 * tweets that were added by hand.
 */
const AUTHOR_BITS = 0x1fffff;
const AUTHORS = AUTHOR_BITS + 1;
/** The number of days of single authors that are cached. */
const KEPT_DAYS = 20_000;
/** The number of posting times of whole days that are cached, with 8 bytes each. */
const KEPT_MOMENTS = 3_000_000;
const ATTENTION_MS = DAY_MS;

export interface StreamOptions {
  readonly seed: number;
  /** The number of accounts that the world had at its start. */
  readonly count: number;
  account(author: number): Account;
  readonly planned: PlannedPosts;
  readonly groups: Groups;
  /**
   * The number of posts per day of all accounts together, which determines the size of the caches.
   */
  readonly postsPerDay: number;
}

interface AuthorDay {
  readonly planned: readonly PlannedPost[];
  readonly records: (TweetRecord | undefined)[];
}

/**
 * The generated tweets of one world. In this class, a `day` is a number of days since the epoch.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #recordSalt: number;
  readonly #mask: number;
  readonly #candidates: AnswerCandidates;
  readonly #authorDays: (key: number) => AuthorDay;
  readonly #moments: (day: number) => Float64Array;
  readonly #answers: (key: number) => ReadonlyMap<string, readonly TweetRecord[]>;

  constructor(options: StreamOptions) {
    const { seed, count, postsPerDay } = options;
    this.#options = options;
    this.#recordSalt = hash32(seed, "record");
    this.#mask = hash32(seed, "tweet-mask") & AUTHOR_BITS;
    this.#candidates = createAnswerCandidates(seed, count);
    this.#authorDays = remember(KEPT_DAYS, (key): AuthorDay => {
      const planned = options.planned.on(key % AUTHORS, Math.floor(key / AUTHORS));
      return planned.length === 0 ? EMPTY_DAY : { planned, records: [] };
    });
    const keptDays = Math.max(2, Math.min(60, Math.floor(KEPT_MOMENTS / Math.max(1, postsPerDay))));
    this.#moments = remember(keptDays, (day) => this.#momentsOn(day));
    this.#answers = remember(4_000, (key) =>
      this.#answersToDay(key % AUTHORS, Math.floor(key / AUTHORS)),
    );
  }

  plannedOn(author: number, day: number): readonly PlannedPost[] {
    return this.#authorDay(author, day).planned;
  }

  /** Returns the tweets of one author on one day, oldest first. */
  byAuthor(author: number, day: number): readonly TweetRecord[] {
    const { planned } = this.#authorDay(author, day);
    return planned.map((_, at) => this.#recordAt(author, day, at));
  }

  find(id: string): TweetRecord | undefined {
    const low = Number(BigInt(id) & 0x3fffffn);
    const author = low ^ this.#mask;
    if (low > AUTHOR_BITS || author >= this.#options.count) return undefined;
    const atMs = timeOfTweetId(id);
    const day = Math.floor(atMs / DAY_MS);
    const at = this.#authorDay(author, day).planned.findIndex((post) => post.atMs === atMs);
    return at < 0 ? undefined : this.#recordAt(author, day, at);
  }

  /** Yields the tweets of all authors on one day, newest first, beginning at `fromMs`. */
  *down(day: number, fromMs: number): Generator<TweetRecord> {
    const sorted = this.#moments(day);
    for (let i = countBelow(sorted, (fromMs - day * DAY_MS + 1) * AUTHORS) - 1; i >= 0; i -= 1) {
      const moment = sorted[i] as number;
      const atMs = day * DAY_MS + Math.floor(moment / AUTHORS);
      const author = (moment % AUTHORS) ^ this.#mask;
      const at = this.#authorDay(author, day).planned.findIndex((post) => post.atMs === atMs);
      yield this.#recordAt(author, day, at);
    }
  }

  /** Returns the generated tweets that answer a generated tweet, in no particular order. */
  answersTo(target: TweetRecord): readonly TweetRecord[] {
    return (
      this.#answers(Math.floor(target.atMs / DAY_MS) * AUTHORS + target.author).get(target.id) ??
      NO_ANSWERS
    );
  }

  #recordAt(author: number, day: number, at: number): TweetRecord {
    const { planned, records } = this.#authorDay(author, day);
    return (records[at] ??= this.#recordOf(author, planned[at] as PlannedPost));
  }

  /**
   * Returns all posting times of a day in the order of the tweets' ids. Each number encodes the ms
   * since the start of the day and the masked author.
   */
  #momentsOn(day: number): Float64Array {
    const found: number[] = [];
    for (let author = 0; author < this.#options.count; author += 1) {
      for (const post of this.#options.planned.on(author, day))
        found.push((post.atMs - day * DAY_MS) * AUTHORS + (author ^ this.#mask));
    }
    return Float64Array.from(found).sort();
  }

  #answersToDay(author: number, day: number): ReadonlyMap<string, readonly TweetRecord[]> {
    const found = new Map<string, TweetRecord[]>();
    for (const answerer of new Set([author, ...this.#candidates.possibleAnswerersOf(author)])) {
      for (const each of [day, day + 1]) {
        const { planned } = this.#authorDay(answerer, each);
        for (let at = 0; at < planned.length; at += 1) {
          const post = planned[at] as PlannedPost;
          const isNear =
            post.after === undefined
              ? this.#candidates.isCandidate(answerer, post.atMs, author)
              : answerer === author;
          if (post.kind === "post" || !isNear) continue;
          const record = this.#recordAt(answerer, each, at);
          if (record.targetId !== undefined) append(found, record.targetId, record);
        }
      }
    }
    return found;
  }

  /**
   * Returns the post that a reply, retweet or quote answers: the latest one, at most a day old, of
   * the first candidate that has such a post.
   */
  #findTarget(
    author: number,
    post: PlannedPost,
  ): { readonly author: number; readonly post: PlannedPost } | undefined {
    for (const other of this.#candidates.candidatesOf(author, post.atMs)) {
      const target = this.#latestPost(other, post.atMs);
      if (target !== undefined) return { author: other, post: target };
    }
    return undefined;
  }

  /**
   * Returns an author's latest post that can be answered. A post that itself answers another author
   * cannot, so that chains of answers stay short.
   */
  #latestPost(author: number, beforeMs: number): PlannedPost | undefined {
    const day = Math.floor(beforeMs / DAY_MS);
    for (const each of [day, day - 1]) {
      const { planned } = this.#authorDay(author, each);
      for (let at = planned.length - 1; at >= 0; at -= 1) {
        const post = planned[at] as PlannedPost;
        if (post.atMs < beforeMs - ATTENTION_MS) return undefined;
        const isOriginal = post.kind === "post" || post.after !== undefined;
        if (isOriginal && post.atMs + 2_000 < beforeMs && (post.deletedMs ?? Infinity) > beforeMs)
          return post;
      }
    }
    return undefined;
  }

  #recordOf(author: number, post: PlannedPost): TweetRecord {
    const account = this.#options.account(author);
    const id = this.#idOf(author, post.atMs);
    const dice = diceFrom(mix(this.#recordSalt, author, post.atMs % 0x7fffffff));
    const target = this.#targetOf(author, post);
    const kind = target === undefined ? "post" : post.kind;
    const communityId = kind === "post" ? this.#communityOf(author, post.atMs, dice) : undefined;
    const visibleMs = post.atMs + 150 + Math.floor(dice() * 700);
    const indexedMs = visibleMs + indexLag(dice);
    const targetAccount = target === undefined ? undefined : this.#options.account(target.author);
    const occasion = { account, kind, target: targetAccount, community: communityId !== undefined };
    const article = kind === "post" && communityId === undefined && dice() < 0.015;
    return {
      id,
      atMs: post.atMs,
      visibleMs,
      indexedMs,
      deletedMs: post.deletedMs,
      author,
      kind,
      text: article
        ? `I wrote it all down: what ${account.topic} taught me.`
        : composeText(occasion, dice),
      lang: account.lang,
      conversationId:
        kind === "reply" && target !== undefined
          ? this.#idOf(target.author, rootOf(target.post).atMs)
          : id,
      ...(target === undefined ? {} : { targetId: this.#idOf(target.author, target.post.atMs) }),
      communityId,
      media:
        kind === "retweet" ? [] : post.hasMedia ? picturesBy(dice()) : dice() < 0.2 ? ["url"] : [],
      likesAtLast: Math.floor(Math.sqrt(account.followersBefore + 10) * dice() ** 3 * 6),
      ...(article ? { isArticle: true } : {}),
    };
  }

  #targetOf(
    author: number,
    post: PlannedPost,
  ): { readonly author: number; readonly post: PlannedPost } | undefined {
    return post.after !== undefined
      ? { author, post: post.after }
      : post.kind === "post"
        ? undefined
        : this.#findTarget(author, post);
  }

  #communityOf(author: number, atMs: number, dice: () => number): string | undefined {
    const community = pick(COMMUNITIES, dice());
    return dice() < 0.2 && this.#options.groups.belongsByNature(community, author, atMs)
      ? community.id
      : undefined;
  }

  #authorDay(author: number, day: number): AuthorDay {
    return this.#authorDays(day * AUTHORS + author);
  }

  #idOf(author: number, atMs: number): string {
    return snowflake(atMs, author ^ this.#mask);
  }
}

const NO_ANSWERS: readonly TweetRecord[] = [];
const EMPTY_DAY: AuthorDay = { planned: [], records: [] };

const rootOf = (post: PlannedPost): PlannedPost =>
  post.after === undefined ? post : rootOf(post.after);

/**
 * Returns how many ms after its publication a tweet is in the search index: usually up to two
 * seconds, sometimes minutes (docs/service.md section 5).
 */
const indexLag = (dice: () => number): number =>
  Math.floor(dice() < 0.01 ? 30_000 + dice() * 200_000 : 200 + dice() * 1_800);

const picturesBy = (chance: number): TweetRecord["media"] =>
  chance < 0.64
    ? ["photo"]
    : chance < 0.8
      ? ["photo", "photo"]
      : chance < 0.96
        ? ["video"]
        : ["animated_gif"];

function append(groups: Map<string, TweetRecord[]>, key: string, record: TweetRecord): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [record]);
  else group.push(record);
}

/** Returns how many of these sorted numbers are below `limit`. */
function countBelow(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
