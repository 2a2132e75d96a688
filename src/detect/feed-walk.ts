/**
 * One walk down a newest-first list, page by page: when to ask for the next page, when the poll is
 * done, what was covered. Pure: the engine feeds it pages. Only the cursor and known old ground end
 * a list, never a count of items.
 */
import { compareIds, maxId, minId } from "../model/id.ts";
import { isRead, type CoveredRange } from "./feed-memory.ts";

export interface FeedItem {
  readonly id: string;
  /** The item's own time, epoch ms. */
  readonly timeMs: number;
}

export interface WalkOptions {
  /** Everything read before: pages of it alone do not count as new. */
  readonly stretches: readonly CoveredRange[];
  /**
   * The known ground that can end the walk: all of it for a head walk, what lies below the gap for
   * a filling one.
   */
  readonly ground: readonly CoveredRange[];
  /** The walk goes on until it passed this time (service time). */
  readonly floorMs: number;
  /** Pages with something new it may read. */
  readonly maxNewPages: number;
  /** At least so many items, for a first run that reports the latest. */
  readonly minItems: number;
  /**
   * True for a walk that fills a gap: ground ends it whatever its time, and so does the floor
   * without ground.
   */
  readonly fills: boolean;
  /**
   * True for lists nothing can be pinned to, searches: there a first item that is alone shows the
   * depth like any other.
   */
  readonly hasNoPins?: boolean;
}

/**
 * - `reached`: known ground older than the floor, or ground older than the floor in a list never
 *   read before.
 * - `end`: the cursor ended.
 * - `cut`: `max_pages`, a loop of cursors, or three empty pages in a row: a gap is left below.
 */
export type WalkEnd = "reached" | "end" | "cut";

/**
 * No list needs more known pages than this to get past its known ground; a walk beyond it is cut.
 */
const MOST_PAGES = 500;
const MOST_EMPTY_PAGES = 3;

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

  /** Takes a page as it came; true when the next one is wanted. */
  takePage(page: readonly FeedItem[], nextCursor: string | undefined): boolean {
    const ordinary = this.#ordinaryItems(page);
    const hasNew = page.some(
      (item) => !this.#items.has(item.id) && !isRead(this.#options.stretches, item.id),
    );
    const itemsBefore = this.#items.size;
    for (const item of page) if (!this.#items.has(item.id)) this.#items.set(item.id, item);
    this.#pages += 1;
    if (hasNew) this.#newPages += 1;
    // A page of items that this walk had already is no better than an empty one: cursors that
    // differ can lead in a circle too.
    this.#emptyPages = this.#items.size === itemsBefore ? this.#emptyPages + 1 : 0;
    this.#cover(page, ordinary);
    this.#nextCursor = nextCursor;
    this.#end = this.#endAfter(ordinary.at(-1), nextCursor);
    return this.#end === undefined;
  }

  /** Ends a walk that cannot go on: budget, error. */
  cut(): void {
    this.#end = "cut";
  }

  get end(): WalkEnd {
    return this.#end ?? "cut";
  }

  get pages(): number {
    return this.#pages;
  }

  /** Pages that held something new: what `max_pages` counts. */
  get newPages(): number {
    return this.#newPages;
  }

  get hasLooped(): boolean {
    return this.#hasLooped;
  }

  /** Where a cut walk could go on; undefined after a loop. */
  get nextCursor(): string | undefined {
    return this.#hasLooped ? undefined : this.#nextCursor;
  }

  /** Every item once, in the order it came. */
  get items(): readonly FeedItem[] {
    return [...this.#items.values()];
  }

  /** Highest id of the first page that held items; undefined while there was none. */
  get firstPageHigh(): string | undefined {
    return this.#firstPageHigh;
  }

  /** Ids from the newest to the last ordinary item; undefined when nothing came. */
  get covered(): CoveredRange | undefined {
    return this.#high === undefined || this.#low === undefined
      ? undefined
      : { high: this.#high, low: this.#low };
  }

  /**
   * Leaves out what does not show how deep the walk is: items returned before (a pinned one on
   * every page), items older than a later one of the page (pinned, out of order), and a first item
   * that is alone.
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
      this.#emptyPages >= MOST_EMPTY_PAGES ||
      this.#newPages >= this.#options.maxNewPages ||
      this.#pages >= MOST_PAGES
    )
      return "cut";
    return undefined;
  }

  #isPastFloor(last: FeedItem | undefined): boolean {
    if (last === undefined || this.#items.size < this.#options.minItems) return false;
    const { ground, floorMs, fills } = this.#options;
    const isKnown = isRead(ground, last.id);
    if (fills) return isKnown || last.timeMs < floorMs;
    return last.timeMs < floorMs && (isKnown || ground.length === 0);
  }
}
