/**
 * The natural tweets of the world: records made of sketches on demand, by author, by id, by what
 * they answer, and all of a day in order. Replies, retweets and quotes answer a post of the last 24
 * hours by one of a few accounts that their author listens to, so that both ways, from answer to
 * post and from post to answers, cost the same in a world of any size.
 */
import { timeOfTweetId } from "../../../model/id.ts";
import type { Account } from "../people/accounts.ts";
import type { Groups } from "../groups/groups.ts";
import { COMMUNITIES } from "../groups/communities.ts";
import { DAY_MS } from "../chance/daily.ts";
import { diceFrom, hash32, mix, pick } from "../chance/dice.ts";
import { createHearing, type Hearing } from "./hearing.ts";
import { remember } from "../chance/memory.ts";
import type { Sketch, Sketches } from "../chance/sketches.ts";
import { composeText } from "./texts.ts";
import { snowflake, type TweetRecord } from "./tweet-record.ts";

/** Positions fit into so many low bits of a tweet id; one bit above marks tweets put in by hand. */
const AUTHOR_BITS = 0x1fffff;
const AUTHORS = AUTHOR_BITS + 1;
/** Author-days remembered. */
const KEPT_DAYS = 20_000;
/** Moments of whole days remembered, 8 bytes each. */
const KEPT_MOMENTS = 3_000_000;
const ATTENTION_MS = DAY_MS;

export interface StreamOptions {
  readonly seed: number;
  /** Accounts the world began with. */
  readonly count: number;
  account(author: number): Account;
  readonly sketches: Sketches;
  readonly groups: Groups;
  /** Posts a day of all together, for the size of memories. */
  readonly postsPerDay: number;
}

interface AuthorDay {
  readonly sketches: readonly Sketch[];
  readonly records: (TweetRecord | undefined)[];
}

/** The natural tweets of one world. `day` = epoch days throughout. */
export class Stream {
  readonly #options: StreamOptions;
  readonly #recordSalt: number;
  readonly #mask: number;
  readonly #hearing: Hearing;
  readonly #authorDays: (key: number) => AuthorDay;
  readonly #moments: (day: number) => Float64Array;
  readonly #answers: (key: number) => ReadonlyMap<string, readonly TweetRecord[]>;

  constructor(options: StreamOptions) {
    const { seed, count, postsPerDay } = options;
    this.#options = options;
    this.#recordSalt = hash32(seed, "record");
    this.#mask = hash32(seed, "tweet-mask") & AUTHOR_BITS;
    this.#hearing = createHearing(seed, count);
    this.#authorDays = remember(KEPT_DAYS, (key): AuthorDay => {
      const sketches = options.sketches.on(key % AUTHORS, Math.floor(key / AUTHORS));
      return sketches.length === 0 ? EMPTY_DAY : { sketches, records: [] };
    });
    const keptDays = Math.max(2, Math.min(60, Math.floor(KEPT_MOMENTS / Math.max(1, postsPerDay))));
    this.#moments = remember(keptDays, (day) => this.#momentsOn(day));
    this.#answers = remember(4_000, (key) =>
      this.#answersToDay(key % AUTHORS, Math.floor(key / AUTHORS)),
    );
  }

  sketchesOn(author: number, day: number): readonly Sketch[] {
    return this.#authorDay(author, day).sketches;
  }

  /** The tweets of one author on one day, oldest first. */
  byAuthor(author: number, day: number): readonly TweetRecord[] {
    const { sketches } = this.#authorDay(author, day);
    return sketches.map((_, at) => this.#recordAt(author, day, at));
  }

  find(id: string): TweetRecord | undefined {
    const low = Number(BigInt(id) & 0x3fffffn);
    const author = low ^ this.#mask;
    if (low > AUTHOR_BITS || author >= this.#options.count) return undefined;
    const atMs = timeOfTweetId(id);
    const day = Math.floor(atMs / DAY_MS);
    const at = this.#authorDay(author, day).sketches.findIndex((sketch) => sketch.atMs === atMs);
    return at < 0 ? undefined : this.#recordAt(author, day, at);
  }

  /** Everyone's tweets of one day, newest first, from `fromMs` down. */
  *down(day: number, fromMs: number): Generator<TweetRecord> {
    const sorted = this.#moments(day);
    for (let i = countBelow(sorted, (fromMs - day * DAY_MS + 1) * AUTHORS) - 1; i >= 0; i -= 1) {
      const moment = sorted[i] as number;
      const atMs = day * DAY_MS + Math.floor(moment / AUTHORS);
      const author = (moment % AUTHORS) ^ this.#mask;
      const at = this.#authorDay(author, day).sketches.findIndex((sketch) => sketch.atMs === atMs);
      yield this.#recordAt(author, day, at);
    }
  }

  /** What natural tweets answer to a natural tweet, in no order. */
  answersTo(target: TweetRecord): readonly TweetRecord[] {
    return (
      this.#answers(Math.floor(target.atMs / DAY_MS) * AUTHORS + target.author).get(target.id) ??
      NO_ANSWERS
    );
  }

  #recordAt(author: number, day: number, at: number): TweetRecord {
    const { sketches, records } = this.#authorDay(author, day);
    return (records[at] ??= this.#recordOf(author, sketches[at] as Sketch));
  }

  /** All moments of a day in the order of ids: ms of the day and masked author in one number. */
  #momentsOn(day: number): Float64Array {
    const found: number[] = [];
    for (let author = 0; author < this.#options.count; author += 1) {
      for (const sketch of this.#options.sketches.on(author, day))
        found.push((sketch.atMs - day * DAY_MS) * AUTHORS + (author ^ this.#mask));
    }
    return Float64Array.from(found).sort();
  }

  #answersToDay(author: number, day: number): ReadonlyMap<string, readonly TweetRecord[]> {
    const found = new Map<string, TweetRecord[]>();
    for (const listener of new Set([author, ...this.#hearing.listenersOf(author)])) {
      for (const each of [day, day + 1]) {
        const { sketches } = this.#authorDay(listener, each);
        for (let at = 0; at < sketches.length; at += 1) {
          const sketch = sketches[at] as Sketch;
          const isNear =
            sketch.after === undefined
              ? this.#hearing.couldHear(listener, sketch.atMs, author)
              : listener === author;
          if (sketch.kind === "post" || !isNear) continue;
          const record = this.#recordAt(listener, each, at);
          if (record.targetId !== undefined) append(found, record.targetId, record);
        }
      }
    }
    return found;
  }

  /** The latest post of one of those heard, if it is no older than a day. */
  #findTarget(
    author: number,
    sketch: Sketch,
  ): { readonly author: number; readonly sketch: Sketch } | undefined {
    for (const other of this.#hearing.heardBy(author, sketch.atMs)) {
      const post = this.#latestPost(other, sketch.atMs);
      if (post !== undefined) return { author: other, sketch: post };
    }
    return undefined;
  }

  /** Only what answers nobody else may be answered, so that no chain leads further back. */
  #latestPost(author: number, beforeMs: number): Sketch | undefined {
    const day = Math.floor(beforeMs / DAY_MS);
    for (const each of [day, day - 1]) {
      const { sketches } = this.#authorDay(author, each);
      for (let at = sketches.length - 1; at >= 0; at -= 1) {
        const post = sketches[at] as Sketch;
        if (post.atMs < beforeMs - ATTENTION_MS) return undefined;
        const isOriginal = post.kind === "post" || post.after !== undefined;
        if (isOriginal && post.atMs + 2_000 < beforeMs && (post.deletedMs ?? Infinity) > beforeMs)
          return post;
      }
    }
    return undefined;
  }

  #recordOf(author: number, sketch: Sketch): TweetRecord {
    const account = this.#options.account(author);
    const id = this.#idOf(author, sketch.atMs);
    const dice = diceFrom(mix(this.#recordSalt, author, sketch.atMs % 0x7fffffff));
    const target = this.#targetOf(author, sketch);
    const kind = target === undefined ? "post" : sketch.kind;
    const communityId = kind === "post" ? this.#communityOf(author, sketch.atMs, dice) : undefined;
    const visibleMs = sketch.atMs + 150 + Math.floor(dice() * 700);
    const indexedMs = visibleMs + indexLag(dice);
    const targetAccount = target === undefined ? undefined : this.#options.account(target.author);
    const occasion = { account, kind, target: targetAccount, community: communityId !== undefined };
    const article = kind === "post" && communityId === undefined && dice() < 0.015;
    return {
      id,
      atMs: sketch.atMs,
      visibleMs,
      indexedMs,
      ...(sketch.deletedMs === undefined ? {} : { deletedMs: sketch.deletedMs }),
      author,
      kind,
      text: article
        ? `I wrote it all down: what ${account.topic} taught me.`
        : composeText(occasion, dice),
      lang: account.lang,
      conversationId:
        kind === "reply" && target !== undefined
          ? this.#idOf(target.author, rootOf(target.sketch).atMs)
          : id,
      ...(target === undefined ? {} : { targetId: this.#idOf(target.author, target.sketch.atMs) }),
      ...(communityId === undefined ? {} : { communityId }),
      media:
        kind === "retweet"
          ? []
          : sketch.hasMedia
            ? picturesBy(dice())
            : dice() < 0.2
              ? ["url"]
              : [],
      likesAtLast: Math.floor(Math.sqrt(account.followersBefore + 10) * dice() ** 3 * 6),
      ...(article ? { isArticle: true } : {}),
    };
  }

  #targetOf(
    author: number,
    sketch: Sketch,
  ): { readonly author: number; readonly sketch: Sketch } | undefined {
    return sketch.after !== undefined
      ? { author, sketch: sketch.after }
      : sketch.kind === "post"
        ? undefined
        : this.#findTarget(author, sketch);
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
const EMPTY_DAY: AuthorDay = { sketches: [], records: [] };

const rootOf = (sketch: Sketch): Sketch =>
  sketch.after === undefined ? sketch : rootOf(sketch.after);

/** The index lags a second or two, sometimes minutes (docs/service.md section 5). */
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

/** How many of these sorted numbers are smaller. */
function countBelow(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
