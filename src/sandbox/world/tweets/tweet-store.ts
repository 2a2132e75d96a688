/**
 * All tweets of the world: the natural ones, what was put in or recorded, and what was deleted.
 * Knows nothing of profiles or counts of likes.
 */
import { compareIds, timeOfTweetId } from "../../../model/id.ts";
import type { Tweet } from "../../../model/tweet.ts";
import { AddedTweets, lastBelow } from "./added-tweets.ts";
import { DAY_MS } from "../chance/daily.ts";
import type { Stream } from "./stream.ts";
import { type Counts, createTally } from "./tally.ts";
import type { Sketches } from "../chance/sketches.ts";
import type { TweetRecord } from "./tweet-record.ts";

export interface TweetStoreOptions {
  readonly stream: Stream;
  readonly sketches: Sketches;
  /** Accounts the world began with. */
  readonly count: number;
  readonly startMs: number;
  /** The oldest moment timelines reach back to. */
  readonly floorMs: number;
  /** Counters count natural posts from here on. */
  readonly firstDayMs: number;
  /** The oldest natural tweet that a search over everyone reads. */
  readonly searchFloorMs: (nowMs: number) => number;
  /**
   * A tweet outside the stream with this id, such as a pinned one: found by id, not in timelines.
   */
  readonly staticTweet: (id: string) => TweetRecord | undefined;
}

/** Natural and added tweets as one list. */
interface Walk {
  readonly naturalDown: (day: number, fromMs: number) => Iterable<TweetRecord>;
  readonly added: readonly TweetRecord[];
  readonly nowMs: number;
  /** Excludes itself and all younger ones. */
  readonly beforeId: string | undefined;
  /** The oldest natural tweet that is read. */
  readonly naturalSinceMs: number;
  readonly sinceMs: number;
}

/** The tweets of one world. */
export class TweetStore {
  readonly #options: TweetStoreOptions;
  readonly #added = new AddedTweets();
  readonly #answers = new Map<string, TweetRecord[]>();
  /** Found by id, not in timelines. */
  readonly #unlisted = new Map<string, TweetRecord>();
  /** By hand: natural and added ones alike. */
  readonly #deleted = new Map<string, TweetRecord>();
  readonly #edits = new Map<string, TweetEdits>();
  readonly #tally: (author: number, nowMs: number) => Counts;

  constructor(options: TweetStoreOptions) {
    this.#options = options;
    this.#tally = createTally(options.sketches, Math.floor(options.firstDayMs / DAY_MS));
  }

  get floorMs(): number {
    return this.#options.floorMs;
  }

  /**
   * Everyone's, newest first, whatever their visibility; `beforeId` excludes itself and all younger
   * ones; ends below `sinceMs`.
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

  /** Those of some authors: costs what these wrote, not what the world did. */
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

  /** What replies to, quotes or retweets a tweet, newest first. */
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

  /** What an author's counters show: see tally.ts. */
  countBy(author: number, nowMs: number): Counts {
    const natural =
      author < this.#options.count ? this.#tally(author, nowMs) : { posts: 0, media: 0 };
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

  /** Fields set by hand, shown instead of the real ones. */
  edit(id: string, fields: TweetEdits): void {
    this.#edits.set(id, { ...this.#edits.get(id), ...fields });
  }

  editsOf(id: string): TweetEdits {
    return this.#edits.get(id) ?? NO_EDITS;
  }

  /** User keys of all whose tweets were put in. */
  addedAuthors(): Iterable<number> {
    return this.#added.authors();
  }

  /** Time of the last tweet put in; 0 when there is none. */
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

  /** Newest first. */
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

  /** Whether the counters of its author, which count natural tweets, would count it still. */
  #isDeletedNatural(record: TweetRecord, nowMs: number): boolean {
    const isCounted =
      !this.#added.has(record.id) &&
      record.atMs >= this.#options.firstDayMs &&
      record.atMs <= nowMs;
    return isCounted && (record.deletedMs ?? Number.POSITIVE_INFINITY) > nowMs;
  }
}

/** What of a tweet can be set by hand. */
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
