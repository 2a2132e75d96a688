/** All tweets of the world: the natural ones, what was put in or recorded, and what was deleted. Knows nothing of profiles or counts of likes. */
import { compareIds, timeOfTweetId } from "../../model/id.ts";
import type { Tweet } from "../../model/tweet.ts";
import { DAY_MS } from "./daily.ts";
import type { Stream } from "./stream.ts";
import { type Counts, createTally } from "./tally.ts";
import type { Sketches } from "./sketches.ts";
import type { TweetRecord } from "./tweet-record.ts";

export interface TweetBookOptions {
  readonly stream: Stream;
  readonly sketches: Sketches;
  /** Accounts the world was born with. */
  readonly count: number;
  readonly startMs: number;
  /** The oldest moment timelines reach back to. */
  readonly floorMs: number;
  /** Counters count natural posts from here on. */
  readonly firstDayMs: number;
  /** The oldest natural tweet that a search over everyone looks at. */
  readonly searchFloorMs: (nowMs: number) => number;
  /** A tweet outside the stream with this id, such as a pinned one: found by id, not in timelines. */
  readonly staticTweet: (id: string) => TweetRecord | undefined;
}

/** The tweets of one world. */
export function createTweetBook(options: TweetBookOptions) {
  const { stream } = options;
  const added = createAdded();
  const answers = new Map<string, TweetRecord[]>();
  /** Found by id, not in timelines. */
  const aside = new Map<string, TweetRecord>();
  /** By hand: natural and added ones alike. */
  const deleted = new Map<string, TweetRecord>();
  const edits = new Map<string, TweetEdits>();
  const firstDay = Math.floor(options.firstDayMs / DAY_MS);
  const tally = createTally(options.sketches, firstDay);
  const floorDay = Math.floor(options.floorMs / DAY_MS);

  /** Everyone's, newest first, whatever their visibility; `beforeId` excludes itself and all younger ones; ends below `sinceMs`. */
  const scan = (nowMs: number, beforeId?: string, sinceMs = 0): Generator<TweetRecord> =>
    walk((day, fromMs) => stream.down(day, fromMs), added.all, nowMs, beforeId, Math.max(sinceMs, options.searchFloorMs(nowMs)), sinceMs);

  /** Those of some authors: costs what these wrote, not what the world did. */
  function scanBy(authors: readonly number[], nowMs: number, beforeId?: string, sinceMs = 0): Generator<TweetRecord> {
    const natives = authors.filter((author) => author < options.count);
    const own = authors.map((author) => added.by(author)).filter((each) => each !== undefined);
    const both = own.length === 1 ? (own[0] as TweetRecord[]) : own.flat().sort(byId);
    return walk((day, fromMs) => authorsDown(natives, day, fromMs), both, nowMs, beforeId, sinceMs, sinceMs);
  }

  function* authorsDown(authors: readonly number[], day: number, fromMs: number): Generator<TweetRecord> {
    const found = authors.flatMap((author) => stream.byAuthor(author, day)).filter((record) => record.atMs <= fromMs);
    if (authors.length > 1) found.sort(byId);
    for (let i = found.length - 1; i >= 0; i -= 1) yield found[i] as TweetRecord;
  }

  /** Natural days and added tweets as one list, newest first. */
  function* walk(
    naturalDown: (day: number, fromMs: number) => Iterable<TweetRecord>,
    own: readonly TweetRecord[],
    nowMs: number,
    beforeId: string | undefined,
    naturalSinceMs: number,
    sinceMs: number,
  ): Generator<TweetRecord> {
    const fromMs = Math.min(nowMs, beforeId === undefined ? Number.POSITIVE_INFINITY : timeOfTweetId(beforeId));
    let next = beforeId === undefined ? own.length - 1 : lastBelow(own, beforeId);
    for (const record of days(naturalDown, fromMs, Math.max(naturalSinceMs, options.floorMs))) {
      if (beforeId !== undefined && compareIds(record.id, beforeId) >= 0) continue;
      for (; next >= 0 && compareIds((own[next] as TweetRecord).id, record.id) >= 0; next -= 1) yield* kept(own[next] as TweetRecord);
      if (!added.has(record.id)) yield* kept(record);
    }
    for (; next >= 0 && (own[next] as TweetRecord).atMs >= sinceMs; next -= 1) yield* kept(own[next] as TweetRecord);
  }

  function* kept(record: TweetRecord): Generator<TweetRecord> {
    if (!deleted.has(record.id)) yield record;
  }

  function* days(
    naturalDown: (day: number, fromMs: number) => Iterable<TweetRecord>,
    fromMs: number,
    sinceMs: number,
  ): Generator<TweetRecord> {
    if (options.count === 0) return;
    for (let day = Math.floor(fromMs / DAY_MS); (day + 1) * DAY_MS > sinceMs; day -= 1) {
      for (const record of naturalDown(day, fromMs)) {
        if (record.atMs < sinceMs) return;
        yield record;
      }
    }
  }

  function find(id: string): TweetRecord | undefined {
    if (deleted.has(id)) return undefined;
    const known = added.get(id) ?? aside.get(id) ?? options.staticTweet(id);
    if (known !== undefined) return known;
    const atMs = timeOfTweetId(id);
    return Math.floor(atMs / DAY_MS) < floorDay || atMs > options.startMs + 3_650 * DAY_MS ? undefined : stream.find(id);
  }

  function add(record: TweetRecord): void {
    added.add(record);
    if (record.targetId !== undefined) append(answers, record.targetId, record);
  }

  /** What replies to, quotes or retweets a tweet, newest first. */
  function answersTo(record: TweetRecord, nowMs: number): readonly TweetRecord[] {
    const natural = record.author < options.count && !added.has(record.id) ? stream.answersTo(record) : [];
    const own = answers.get(record.id) ?? [];
    if (natural.length + own.length === 0) return NONE;
    return [...natural, ...own].filter((each) => isThere(each, nowMs)).sort((a, b) => compareIds(b.id, a.id));
  }

  const isThere = (record: TweetRecord, nowMs: number): boolean =>
    record.visibleMs <= nowMs && (record.deletedMs ?? Number.POSITIVE_INFINITY) > nowMs && !deleted.has(record.id);

  /** What an author's counters show: see tally.ts. */
  function countBy(author: number, nowMs: number): Counts {
    const natural = author < options.count ? tally(author, nowMs) : { posts: 0, media: 0 };
    let { posts, media } = natural;
    for (const record of added.by(author) ?? []) {
      if (record.shown !== undefined || record.atMs > nowMs || deleted.has(record.id)) continue;
      posts += 1;
      if (hasMedia(record)) media += 1;
    }
    for (const record of deleted.values()) {
      const isCounted = record.author === author && !added.has(record.id) && record.atMs >= options.firstDayMs && record.atMs <= nowMs;
      if (!isCounted || (record.deletedMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
      posts -= 1;
      if (hasMedia(record)) media -= 1;
    }
    return { posts, media };
  }

  function remove(id: string): boolean {
    const record = find(id);
    if (record !== undefined) deleted.set(id, record);
    return record !== undefined;
  }

  return {
    floorMs: options.floorMs,
    scan,
    scanBy,
    find,
    add,
    addAside: (record: TweetRecord): void => void aside.set(record.id, record),
    asides: (): Iterable<TweetRecord> => aside.values(),
    answersTo,
    countBy,
    /** Fields set by hand, shown instead of the real ones. */
    edit: (id: string, fields: TweetEdits): void => void edits.set(id, { ...edits.get(id), ...fields }),
    editsOf: (id: string): TweetEdits => edits.get(id) ?? NO_EDITS,
    remove,
    restore: (id: string): boolean => deleted.delete(id),
    /** User keys of all whose tweets were put in. */
    addedAuthors: (): Iterable<number> => added.authors(),
    /** Birth of the last tweet put in; 0 when there is none. */
    lastAddedMs: (): number => added.lastMs(),
    addedCount: (): number => added.count(),
  };
}

/** What of a tweet can be set by hand. */
export type TweetEdits = Partial<
  Pick<Tweet, "full_text" | "likes_count" | "retweet_count" | "reply_count" | "quote_count" | "bookmark_count" | "view_count">
>;

const NO_EDITS: TweetEdits = {};
const NONE: readonly TweetRecord[] = [];

const byId = (a: TweetRecord, b: TweetRecord): number => compareIds(a.id, b.id);

const hasMedia = (record: TweetRecord): boolean => record.media.some((type) => type !== "url");

/** Tweets put in one by one, in the order of their ids. */
function createAdded() {
  const all: TweetRecord[] = [];
  const byAuthor = new Map<number, TweetRecord[]>();
  const known = new Map<string, TweetRecord>();
  let lastMs = 0;
  return {
    all,
    has: (id: string): boolean => known.has(id),
    get: (id: string): TweetRecord | undefined => known.get(id),
    by: (author: number): TweetRecord[] | undefined => byAuthor.get(author),
    authors: (): Iterable<number> => byAuthor.keys(),
    lastMs: (): number => lastMs,
    count: (): number => all.length,
    add(record: TweetRecord): void {
      known.set(record.id, record);
      insert(all, record);
      const own = byAuthor.get(record.author);
      if (own === undefined) byAuthor.set(record.author, [record]);
      else insert(own, record);
      lastMs = record.atMs;
    },
  };
}

/** Mostly at the end. */
function insert(sorted: TweetRecord[], record: TweetRecord): void {
  sorted.splice(lastBelow(sorted, record.id) + 1, 0, record);
}

/** Position of the youngest that is older than the id; -1 when none is. */
function lastBelow(sorted: readonly TweetRecord[], id: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds((sorted[middle] as TweetRecord).id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function append(groups: Map<string, TweetRecord[]>, key: string, record: TweetRecord): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [record]);
  else group.push(record);
}
