/**
 * A walk down a list, page by page, newest items first. It decides whether another page is needed,
 * and records which ids were read. Pure: the caller passes the pages in. A list ends only where
 * there is no further cursor, or at old known items. The number of items on a page never decides
 * that.
 */
import { compareIds, maxId, minId } from "../model/id.ts";
import { isRead, type CoveredRange } from "./feed-memory.ts";

export interface FeedItem {
  readonly id: string;
  /** The time that the item itself gives, epoch ms. */
  readonly timeMs: number;
}

export interface WalkOptions {
  /**
   * All ranges that were read before. A page that lies completely within them does not count as
   * new.
   */
  readonly stretches: readonly CoveredRange[];
  /**
   * The known ranges that can end the walk: all of them for the head, only those below the gap for
   * a walk that fills a gap.
   */
  readonly knownRanges: readonly CoveredRange[];
  /** The walk continues until it has passed this time (service time). */
  readonly floorMs: number;
  /** The maximum number of pages with new items. */
  readonly maxNewPages: number;
  /** The minimum number of items to read, for a first run that reports the latest ones. */
  readonly minItems: number;
  /**
   * Whether the walk fills a gap. If so, a known item ends it whatever the item's time, and an item
   * older than `floorMs` ends it even if it is unknown.
   */
  readonly fills: boolean;
  /**
   * Set for lists without pinned items, such as searches. In other lists, the only item of a first
   * page may be a pinned one, which does not show how far down the walk is.
   */
  readonly hasNoPins?: boolean;
}

/**
 * How a walk ended.
 * - `reached`: at a known item older than the floor. In a list that was never read, at any item
 *   older than the floor.
 * - `end`: at the end of the list, where there is no further cursor.
 * - `cut`: at `max_pages`, at a cursor that was used before, or after three empty pages in a row. A
 *   gap remains below.
 */
export type WalkEnd = "reached" | "end" | "cut";

/**
 * The maximum number of pages of a walk, including pages with only known items. No list needs more
 * to pass its known items.
 */
const MAX_PAGES = 500;
const MAX_EMPTY_PAGES = 3;

export class FeedWalk {
  readonly #options: WalkOptions;
  readonly #items = new Map<string, FeedItem>();
  readonly #cursors = new Set<string>();
  #high: string | undefined;
  #low: string | undefined;
  #newPages = 0;
  #pages = 0;
  #emptyPages = 0;
  #firstPageHigh: string | undefined;
  #nextCursor: string | undefined;
  #end: WalkEnd | undefined;
  #hasLooped = false;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** Adds a page in the order of the walk. Returns true if the next page is needed. */
  addPage(page: readonly FeedItem[], nextCursor: string | undefined): boolean {
    const ordinary = this.#ordinaryItems(page);
    const hasNew = page.some(
      (item) => !this.#items.has(item.id) && !isRead(this.#options.stretches, item.id),
    );
    const itemsBefore = this.#items.size;
    for (const item of page) if (!this.#items.has(item.id)) this.#items.set(item.id, item);
    this.#pages += 1;
    if (hasNew) this.#newPages += 1;
    // A page with only items that this walk has seen before counts as empty, because a service may
    // return different cursors to the same pages.
    this.#emptyPages = this.#items.size === itemsBefore ? this.#emptyPages + 1 : 0;
    this.#cover(page, ordinary);
    this.#nextCursor = nextCursor;
    this.#end = this.#endAfter(ordinary.at(-1), nextCursor);
    return this.#end === undefined;
  }

  /** Ends a walk that cannot continue because of the quota or an error. */
  cut(): void {
    this.#end = "cut";
  }

  get end(): WalkEnd {
    return this.#end ?? "cut";
  }

  get pages(): number {
    return this.#pages;
  }

  /** The number of pages with new items, which `max_pages` limits. */
  get newPages(): number {
    return this.#newPages;
  }

  get hasLooped(): boolean {
    return this.#hasLooped;
  }

  /**
   * The cursor at which a walk that was cut off can continue; undefined if the walk was cut off at
   * a repeated cursor.
   */
  get nextCursor(): string | undefined {
    return this.#hasLooped ? undefined : this.#nextCursor;
  }

  /** Every item once, in the order in which it arrived. */
  get items(): readonly FeedItem[] {
    return [...this.#items.values()];
  }

  /** The highest id of the first page that held items; undefined if there was none. */
  get firstPageHigh(): string | undefined {
    return this.#firstPageHigh;
  }

  /**
   * The range of ids that was read: from the newest item to the last one that is neither pinned nor
   * out of order. Undefined if there was no such item.
   */
  get covered(): CoveredRange | undefined {
    return this.#high === undefined || this.#low === undefined
      ? undefined
      : { high: this.#high, low: this.#low };
  }

  /**
   * Returns the items that show how deep the walk is. Leaves out items returned before (a pinned
   * one appears on every page), items older than a later one on the page (pinned or out of order),
   * and the only item of a first page.
   */
  #ordinaryItems(page: readonly FeedItem[]): readonly FeedItem[] {
    if (page.length === 1 && this.#pages === 0 && this.#options.hasNoPins !== true) return [];
    const ordinary: FeedItem[] = [];
    let newestBelow: FeedItem | undefined;
    for (const item of page.toReversed()) {
      if (newestBelow !== undefined && compareIds(item.id, newestBelow.id) < 0) continue;
      newestBelow = item;
      if (!this.#items.has(item.id)) ordinary.unshift(item);
    }
    return ordinary;
  }

  #cover(page: readonly FeedItem[], ordinary: readonly FeedItem[]): void {
    for (const { id } of page) this.#high = this.#high === undefined ? id : maxId(this.#high, id);
    if (this.#firstPageHigh === undefined) this.#firstPageHigh = this.#high;
    for (const { id } of ordinary) this.#low = this.#low === undefined ? id : minId(this.#low, id);
  }

  #endAfter(last: FeedItem | undefined, nextCursor: string | undefined): WalkEnd | undefined {
    if (nextCursor === undefined) return "end";
    if (this.#isPastFloor(last)) return "reached";
    if (this.#cursors.has(nextCursor)) {
      this.#hasLooped = true;
      return "cut";
    }
    this.#cursors.add(nextCursor);
    if (
      this.#emptyPages >= MAX_EMPTY_PAGES ||
      this.#newPages >= this.#options.maxNewPages ||
      this.#pages >= MAX_PAGES
    )
      return "cut";
    return undefined;
  }

  #isPastFloor(last: FeedItem | undefined): boolean {
    if (last === undefined || this.#items.size < this.#options.minItems) return false;
    const { knownRanges, floorMs, fills } = this.#options;
    const isKnown = isRead(knownRanges, last.id);
    if (fills) return isKnown || last.timeMs < floorMs;
    return last.timeMs < floorMs && (isKnown || knownRanges.length === 0);
  }
}
