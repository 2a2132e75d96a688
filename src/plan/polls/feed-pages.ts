/** Computes the requests of a feed from how much is posted in it. Pure arithmetic. */

export const ITEMS_PER_PAGE = 20;

/**
 * Returns how many requests a search takes that is expected to contain this many items, new ones
 * and those read before. A full last page costs one more request, because more items may follow it.
 */
export const pagesOf = (items: number): number =>
  1 + Math.floor((items + UNFORESEEN) / ITEMS_PER_PAGE);
/** How many items may be posted between the probe and the search, or may be shown late. */
const UNFORESEEN = 1;

/**
 * Returns the pages after the first that this many new items fill. On average, half of the last one
 * stays empty.
 */
export const pagesBeyondFirst = (items: number): number =>
  Math.max(0, items / ITEMS_PER_PAGE - 0.5);
