/**
 * All tweets of the world: generated, added, recorded and deleted ones. Profiles and counts of
 * likes are computed elsewhere, in `shown/`.
 */
import { compareIds, timeOfTweetId } from "../../../model/id.ts";
import type { Tweet } from "../../../model/tweet.ts";
import { AddedTweets, lastBelow } from "./added-tweets.ts";
import { DAY_MS } from "../chance/daily.ts";
import type { Stream } from "./stream.ts";
import { type Counts, createPostCounts } from "./post-counts.ts";
import type { PlannedPosts } from "../chance/planned-posts.ts";
import type { TweetRecord } from "./tweet-record.ts";

export interface TweetStoreOptions {
  readonly stream: Stream;
  readonly planned: PlannedPosts;
  /** The number of accounts that the world had at its start. */
  readonly count: number;
  readonly startMs: number;
  /** The oldest time that timelines reach back to. */
  readonly floorMs: number;
  /** The time from which on counters include generated posts. */
  readonly firstDayMs: number;
  /** Returns the time of the oldest generated tweet that a search over all authors reads. */
  readonly searchFloorMs: (nowMs: number) => number;
  /**
   * Finds a tweet outside the stream, such as a generated pinned one, which can only be found by
   * its id.
   */
  readonly staticTweet: (id: string) => TweetRecord | undefined;
}

/** A request to read generated and added tweets as one list, newest first. */
interface Walk {
  readonly naturalDown: (day: number, fromMs: number) => Iterable<TweetRecord>;
  readonly added: readonly TweetRecord[];
  readonly nowMs: number;
  /** Only tweets with a lower id are read. */
  readonly beforeId: string | undefined;
  /** Generated tweets older than this are not read. */
  readonly naturalSinceMs: number;
  readonly sinceMs: number;
}

export class TweetStore {
  readonly #options: TweetStoreOptions;
  readonly #added = new AddedTweets();
  readonly #answers = new Map<string, TweetRecord[]>();
  /** Tweets that are in no timeline and can only be found by their ids. */
  readonly #unlisted = new Map<string, TweetRecord>();
  /** Tweets that were deleted by hand, whether generated or added. */
  readonly #deleted = new Map<string, TweetRecord>();
  readonly #edits = new Map<string, TweetEdits>();
  readonly #postCounts: (author: number, nowMs: number) => Counts;

  constructor(options: TweetStoreOptions) {
    this.#options = options;
    this.#postCounts = createPostCounts(options.planned, Math.floor(options.firstDayMs / DAY_MS));
  }

  get floorMs(): number {
    return this.#options.floorMs;
  }

  /**
   * Yields the tweets of all authors, newest first, whether they are visible or not. Tweets with
   * `beforeId` or a higher id, and tweets older than `sinceMs`, are left out.
   */
  scan(nowMs: number, beforeId?: string, sinceMs = 0): Generator<TweetRecord> {
    return this.#walk({
      naturalDown: (day, fromMs) => this.#options.stream.down(day, fromMs),
      added: this.#added.all,
      nowMs,
      beforeId,
      naturalSinceMs: Math.max(sinceMs, this.#options.searchFloorMs(nowMs)),
      sinceMs,
    });
  }

  /**
   * Yields the tweets of some authors, newest first. The cost depends on how much these authors
   * wrote, not on the size of the world.
   */
  scanBy(
    authors: readonly number[],
    nowMs: number,
    beforeId?: string,
    sinceMs = 0,
  ): Generator<TweetRecord> {
    const natives = authors.filter((author) => author < this.#options.count);
    const own = authors.map((author) => this.#added.by(author)).filter((each) => each.length > 0);
    return this.#walk({
      naturalDown: (day, fromMs) => this.#authorsDown(natives, day, fromMs),
      added: own.length === 1 ? (own[0] as readonly TweetRecord[]) : own.flat().sort(byId),
      nowMs,
      beforeId,
      naturalSinceMs: sinceMs,
      sinceMs,
    });
  }

  find(id: string): TweetRecord | undefined {
    if (this.#deleted.has(id)) return undefined;
    const known = this.#added.get(id) ?? this.#unlisted.get(id) ?? this.#options.staticTweet(id);
    if (known !== undefined) return known;
    const { startMs, floorMs, stream } = this.#options;
    const atMs = timeOfTweetId(id);
    const isOutside =
      Math.floor(atMs / DAY_MS) < Math.floor(floorMs / DAY_MS) || atMs > startMs + 3_650 * DAY_MS;
    return isOutside ? undefined : stream.find(id);
  }

  add(record: TweetRecord): void {
    this.#added.add(record);
    if (record.targetId !== undefined) append(this.#answers, record.targetId, record);
  }

  addUnlisted(record: TweetRecord): void {
    this.#unlisted.set(record.id, record);
  }

  unlisted(): Iterable<TweetRecord> {
    return this.#unlisted.values();
  }

  /** Returns the tweets that answer, quote or retweet a tweet, newest first. */
  answersTo(record: TweetRecord, nowMs: number): readonly TweetRecord[] {
    const { count, stream } = this.#options;
    const natural =
      record.author < count && !this.#added.has(record.id) ? stream.answersTo(record) : [];
    const own = this.#answers.get(record.id) ?? [];
    if (natural.length + own.length === 0) return NONE;
    return [...natural, ...own]
      .filter((each) => this.#isThere(each, nowMs))
      .sort((a, b) => compareIds(b.id, a.id));
  }

  /** Returns how many posts and media an author has, including added tweets. */
  countBy(author: number, nowMs: number): Counts {
    const natural =
      author < this.#options.count ? this.#postCounts(author, nowMs) : { posts: 0, media: 0 };
    let { posts, media } = natural;
    for (const record of this.#added.by(author)) {
      if (record.shown !== undefined || record.atMs > nowMs || this.#deleted.has(record.id))
        continue;
      posts += 1;
      if (hasMedia(record)) media += 1;
    }
    for (const record of this.#deleted.values()) {
      if (record.author !== author || !this.#isDeletedNatural(record, nowMs)) continue;
      posts -= 1;
      if (hasMedia(record)) media -= 1;
    }
    return { posts, media };
  }

  remove(id: string): boolean {
    const record = this.find(id);
    if (record !== undefined) this.#deleted.set(id, record);
    return record !== undefined;
  }

  restore(id: string): boolean {
    return this.#deleted.delete(id);
  }

  /** Sets fields of a tweet, which are then shown in place of the generated or recorded ones. */
  edit(id: string, fields: TweetEdits): void {
    this.#edits.set(id, { ...this.#edits.get(id), ...fields });
  }

  editsOf(id: string): TweetEdits {
    return this.#edits.get(id) ?? NO_EDITS;
  }

  /** Returns the user keys of the authors of added tweets. */
  addedAuthors(): Iterable<number> {
    return this.#added.authors();
  }

  /** Returns the time of the tweet that was added last (epoch ms); 0 if there is none. */
  lastAddedMs(): number {
    return this.#added.lastMs;
  }

  addedCount(): number {
    return this.#added.count;
  }

  *#authorsDown(authors: readonly number[], day: number, fromMs: number): Generator<TweetRecord> {
    const found = authors
      .flatMap((author) => this.#options.stream.byAuthor(author, day))
      .filter((record) => record.atMs <= fromMs);
    if (authors.length > 1) found.sort(byId);
    for (let i = found.length - 1; i >= 0; i -= 1) yield found[i] as TweetRecord;
  }

  /** Yields generated and added tweets as one list, newest first. */
  *#walk(walk: Walk): Generator<TweetRecord> {
    const { added, nowMs, beforeId, sinceMs } = walk;
    const fromMs = Math.min(
      nowMs,
      beforeId === undefined ? Number.POSITIVE_INFINITY : timeOfTweetId(beforeId),
    );
    let next = beforeId === undefined ? added.length - 1 : lastBelow(added, beforeId);
    for (const record of this.#natural(walk, fromMs)) {
      if (beforeId !== undefined && compareIds(record.id, beforeId) >= 0) continue;
      for (; next >= 0 && compareIds((added[next] as TweetRecord).id, record.id) >= 0; next -= 1)
        yield* this.#kept(added[next] as TweetRecord);
      if (!this.#added.has(record.id)) yield* this.#kept(record);
    }
    for (; next >= 0 && (added[next] as TweetRecord).atMs >= sinceMs; next -= 1)
      yield* this.#kept(added[next] as TweetRecord);
  }

  *#natural({ naturalDown, naturalSinceMs }: Walk, fromMs: number): Generator<TweetRecord> {
    if (this.#options.count === 0) return;
    const sinceMs = Math.max(naturalSinceMs, this.#options.floorMs);
    for (let day = Math.floor(fromMs / DAY_MS); (day + 1) * DAY_MS > sinceMs; day -= 1) {
      for (const record of naturalDown(day, fromMs)) {
        if (record.atMs < sinceMs) return;
        yield record;
      }
    }
  }

  *#kept(record: TweetRecord): Generator<TweetRecord> {
    if (!this.#deleted.has(record.id)) yield record;
  }

  #isThere(record: TweetRecord, nowMs: number): boolean {
    const isOver = (record.deletedMs ?? Number.POSITIVE_INFINITY) <= nowMs;
    return record.visibleMs <= nowMs && !isOver && !this.#deleted.has(record.id);
  }

  /** Whether the counters of generated tweets still count this tweet, which was deleted by hand. */
  #isDeletedNatural(record: TweetRecord, nowMs: number): boolean {
    const isCounted =
      !this.#added.has(record.id) &&
      record.atMs >= this.#options.firstDayMs &&
      record.atMs <= nowMs;
    return isCounted && (record.deletedMs ?? Number.POSITIVE_INFINITY) > nowMs;
  }
}

/** The fields of a tweet that can be set by hand. */
export type TweetEdits = Partial<
  Pick<
    Tweet,
    | "full_text"
    | "likes_count"
    | "retweet_count"
    | "reply_count"
    | "quote_count"
    | "bookmark_count"
    | "view_count"
  >
>;

const NO_EDITS: TweetEdits = {};
const NONE: readonly TweetRecord[] = [];

const byId = (a: TweetRecord, b: TweetRecord): number => compareIds(a.id, b.id);

const hasMedia = (record: TweetRecord): boolean => record.media.some((type) => type !== "url");

function append(groups: Map<string, TweetRecord[]>, key: string, record: TweetRecord): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [record]);
  else group.push(record);
}
