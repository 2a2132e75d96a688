/** Tweets that were added by hand or recorded, sorted by their ids. */
import { compareIds } from "../../../model/id.ts";
import type { TweetRecord } from "./tweet-record.ts";

export class AddedTweets {
  readonly #all: TweetRecord[] = [];
  readonly #byAuthor = new Map<number, TweetRecord[]>();
  readonly #known = new Map<string, TweetRecord>();
  #lastMs = 0;

  get all(): readonly TweetRecord[] {
    return this.#all;
  }

  get count(): number {
    return this.#all.length;
  }

  /** The time of the tweet that was added last (epoch ms); 0 if there is none. */
  get lastMs(): number {
    return this.#lastMs;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  get(id: string): TweetRecord | undefined {
    return this.#known.get(id);
  }

  by(author: number): readonly TweetRecord[] {
    return this.#byAuthor.get(author) ?? NONE;
  }

  authors(): Iterable<number> {
    return this.#byAuthor.keys();
  }

  add(record: TweetRecord): void {
    this.#known.set(record.id, record);
    insert(this.#all, record);
    const own = this.#byAuthor.get(record.author);
    if (own === undefined) this.#byAuthor.set(record.author, [record]);
    else insert(own, record);
    this.#lastMs = record.atMs;
  }
}

const NONE: readonly TweetRecord[] = [];

/** Inserts a tweet at its place in the order of ids, which is usually the end. */
function insert(sorted: TweetRecord[], record: TweetRecord): void {
  sorted.splice(lastBelow(sorted, record.id) + 1, 0, record);
}

/** Returns the position of the newest tweet with a lower id; -1 if there is none. */
export function lastBelow(sorted: readonly TweetRecord[], id: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds((sorted[middle] as TweetRecord).id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
