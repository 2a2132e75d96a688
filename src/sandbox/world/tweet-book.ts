/** All tweets of the world: the stream, what tests put in, and what was deleted. Knows nothing of profiles or counts of likes. */
import { compareIds, timeOfTweetId } from "../../model/id.ts";
import { createStream, HOUR_MS, type Stream, type StreamOptions } from "./stream.ts";
import type { TweetRecord } from "./tweet-record.ts";

export interface TweetBookOptions extends StreamOptions {
  /** The oldest moment timelines reach back to. */
  readonly floorMs: number;
  /** Counters count natural posts from here on. */
  readonly firstDayMs: number;
  /** Tweets outside the stream, such as pinned ones: found by id, not in timelines. */
  readonly statics: readonly TweetRecord[];
}

/** The tweets of one world. */
export function createTweetBook(options: TweetBookOptions) {
  const stream = createStream(options);
  const added = new Map<number, TweetRecord[]>();
  /** Hours that hold added tweets, sorted; made again after each addition. */
  const merged = new Map<number, readonly TweetRecord[]>();
  const addedById = new Map<string, TweetRecord>();
  const addedBy = new Map<number, TweetRecord[]>();
  const answers = new Map<string, TweetRecord[]>();
  const statics = new Map(options.statics.map((record) => [record.id, record]));
  const deleted = new Set<string>();
  let lastAddedMs = 0;
  const counts = createCounter(stream, options.firstDayMs);

  function hourAt(hour: number): readonly TweetRecord[] {
    const natural = hour * HOUR_MS >= options.floorMs - HOUR_MS ? stream.hour(hour) : [];
    const extra = added.get(hour);
    if (extra === undefined) return natural;
    const known = merged.get(hour);
    if (known !== undefined) return known;
    const both = [...natural, ...extra].sort((a, b) => compareIds(a.id, b.id));
    merged.set(hour, both);
    return both;
  }

  /** Newest first, whatever their visibility; `beforeId` excludes itself and all younger ones; ends below `sinceMs`. */
  function* scan(nowMs: number, beforeId?: string, sinceMs = 0): Generator<TweetRecord> {
    const beforeMs = beforeId === undefined ? Number.POSITIVE_INFINITY : timeOfTweetId(beforeId);
    const fromHour = Math.floor(Math.min(nowMs, beforeMs) / HOUR_MS);
    const lastHour = Math.floor(Math.max(options.floorMs, sinceMs) / HOUR_MS);
    // Added tweets may be dated before the history or after now.
    const odd = [...added.keys()].filter(
      (hour) => (hour < lastHour && (hour + 1) * HOUR_MS > sinceMs) || (hour > fromHour && hour * HOUR_MS <= beforeMs),
    );
    for (const hour of hoursDown(fromHour, lastHour, odd)) {
      const records = hourAt(hour);
      for (let i = records.length - 1; i >= 0; i -= 1) {
        const record = records[i] as TweetRecord;
        if (record.atMs < sinceMs) return;
        if (record.atMs < options.floorMs && !addedById.has(record.id)) continue;
        if (!deleted.has(record.id) && (beforeId === undefined || compareIds(record.id, beforeId) < 0)) yield record;
      }
    }
  }

  function find(id: string): TweetRecord | undefined {
    if (deleted.has(id)) return undefined;
    const known = addedById.get(id) ?? statics.get(id);
    if (known !== undefined) return known;
    const atMs = timeOfTweetId(id);
    if (atMs < options.floorMs - HOUR_MS || atMs > options.startMs + 3_650 * 24 * HOUR_MS) return undefined;
    return stream.hour(Math.floor(atMs / HOUR_MS)).find((record) => record.id === id);
  }

  function add(record: TweetRecord): void {
    const hour = Math.floor(record.atMs / HOUR_MS);
    append(added, hour, record);
    lastAddedMs = record.atMs;
    merged.delete(hour);
    addedById.set(record.id, record);
    append(addedBy, record.author, record);
    if (record.targetId !== undefined) append(answers, record.targetId, record);
  }

  /** What replies to, quotes or retweets a tweet, newest first. Natural answers come within the hour after it at the latest. */
  function answersTo(id: string, nowMs: number): readonly TweetRecord[] {
    const hour = Math.floor(timeOfTweetId(id) / HOUR_MS);
    const natural = statics.has(id) ? [] : [...stream.answersIn(hour, id), ...stream.answersIn(hour + 1, id)];
    return [...natural, ...(answers.get(id) ?? [])]
      .filter((record) => record.visibleMs <= nowMs && !deleted.has(record.id))
      .sort((a, b) => compareIds(b.id, a.id));
  }

  /** Posts an author's counter shows: it moves when a tweet is born, a moment before anyone can see it. */
  function countBy(author: number, nowMs: number): number {
    let own = 0;
    for (const record of addedBy.get(author) ?? []) if (record.atMs <= nowMs && !deleted.has(record.id)) own += 1;
    return own + counts(author, nowMs);
  }

  return {
    floorMs: options.floorMs,
    scan,
    find,
    add,
    answersTo,
    countBy,
    remove: (id: string): boolean => find(id) !== undefined && deleted.add(id).has(id),
    restore: (id: string): boolean => deleted.delete(id),
    /** Birth of the last tweet put in; 0 when there is none. */
    lastAddedMs: (): number => lastAddedMs,
    addedCount: (): number => addedById.size,
  };
}

function append<K>(groups: Map<K, TweetRecord[]>, key: K, record: TweetRecord): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [record]);
  else group.push(record);
}

function* hoursDown(from: number, to: number, odd: readonly number[]): Generator<number> {
  const sorted = odd.toSorted((a, b) => b - a);
  for (const hour of sorted) if (hour > from) yield hour;
  for (let hour = from; hour >= to; hour -= 1) yield hour;
  for (const hour of sorted) if (hour <= from) yield hour;
}

/** Counts natural posts since the first day; whole hours are added up once. */
function createCounter(stream: Stream, firstDayMs: number): (author: number, nowMs: number) => number {
  const whole = new Map<number, number>();
  let nextHour = Math.floor(firstDayMs / HOUR_MS);
  return (author, nowMs) => {
    const hour = Math.floor(nowMs / HOUR_MS);
    for (; nextHour < hour; nextHour += 1) {
      for (const record of stream.hour(nextHour)) whole.set(record.author, (whole.get(record.author) ?? 0) + 1);
    }
    let count = whole.get(author) ?? 0;
    for (const record of stream.hour(hour)) if (record.author === author && record.atMs <= nowMs) count += 1;
    return count;
  };
}
