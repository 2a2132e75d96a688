/** How many requests a feed takes by how much is posted in it. Pure arithmetic. */

export const ITEMS_PER_PAGE = 20;

/**
 * Requests that so many items of a search take, of which most are known: a full page says that
 * there may be more below.
 */
export const pagesOf = (items: number): number =>
  1 + Math.floor((items + UNFORESEEN) / ITEMS_PER_PAGE);
/** Posted between the probe and the search, or shown late. */
const UNFORESEEN = 1;

/**
 * Pages after the first that so many new items fill; on average half of the last one stays empty.
 */
export const pagesBeyondFirst = (items: number): number =>
  Math.max(0, items / ITEMS_PER_PAGE - 0.5);
