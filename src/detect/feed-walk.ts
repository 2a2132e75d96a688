/**
 * A walk down a newest-first list, page by page: decides when to request the next page and when the
 * poll is done, and records which ids were covered. Pure: the caller passes the pages in. A list
 * ends only if there is no further cursor or at old known items. How many items a page has never
 * decides that.
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
  /** The walk goes on until it has passed this time, in service time. */
  readonly floorMs: number;
  /** The maximum number of pages with new items. */
  readonly maxNewPages: number;
  /** The minimum number of items to read, for a first run that reports the latest ones. */
  readonly minItems: number;
  /**
   * Whether the walk fills a gap. Then a known item ends it whatever its time, and the floor ends
   * it even without known items.
   */
  readonly fills: boolean;
  /**
   * Set for lists without pinned items, such as searches. In other lists a first page with a single
   * item may show only a pinned one, which says nothing about the depth of the walk.
   */
  readonly hasNoPins?: boolean;
}

/**
 * How a walk ended.
 * - `reached`: at a known item older than the floor, or, in a list that was never read, at any item
 *   older than the floor.
 * - `end`: the list has no further cursor.
 * - `cut`: at `max_pages`, at a loop of cursors, or after three empty pages in a row. A gap is left
 *   below.
 */
export type WalkEnd = "reached" | "end" | "cut";

/**
 * A walk is cut off after this many pages, known ones included. No list needs more to pass its
 * known items.
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
    // A page whose items this walk has all seen before counts as empty, because different cursors
    // can also lead in a circle.
    this.#emptyPages = this.#items.size === itemsBefore ? this.#emptyPages + 1 : 0;
    this.#cover(page, ordinary);
    this.#nextCursor = nextCursor;
    this.#end = this.#endAfter(ordinary.at(-1), nextCursor);
    return this.#end === undefined;
  }

  /** Ends a walk that cannot go on because of the budget or an error. */
  cut(): void {
    this.#end = "cut";
  }

  get end(): WalkEnd {
    return this.#end ?? "cut";
  }

  get pages(): number {
    return this.#pages;
  }

  /** The number of pages with something new, which `max_pages` limits. */
  get newPages(): number {
    return this.#newPages;
  }

  get hasLooped(): boolean {
    return this.#hasLooped;
  }

  /** The cursor where a walk that was cut off could go on; undefined after a loop. */
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
   * The ids from the newest item to the last one that is neither pinned nor out of order; undefined
   * if there were no such items.
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
