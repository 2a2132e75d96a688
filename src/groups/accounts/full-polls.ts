/** What full polls cost: searches of their own, less those that are piggybacked on searches sent for news. Pure arithmetic over rates. */
import { ITEMS_PER_PAGE, pagesBeyondFirst } from "../../plan/polls/feed-pages.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface FullPolling {
  readonly fullPollEveryMs: number;
  /** Accounts that one search holds. */
  readonly handlesPerQuery: number;
}

/** Searches that are sent anyway. */
export interface NewsSearches {
  readonly perDay: number;
  /** Accounts that they are sent for. */
  readonly accountsPerDay: number;
}

/** Requests a day. `rates`: posts a day of those that search shows. */
export function fullPollsPerDay(rates: readonly number[], polling: FullPolling, news: NewsSearches): number {
  const { handlesPerQuery, fullPollEveryMs } = polling;
  const queries = (DAY_MS / fullPollEveryMs) * Math.ceil(rates.length / handlesPerQuery);
  if (queries === 0) return 0;
  const posts = sum(rates, (rate) => rate);
  // Piggybacked accounts are quiet: further pages are those of the busy.
  return queries * (shareApart(rates, posts, polling, news) + pagesBeyondFirst(posts / queries));
}

/** What is saved of such a search: on its own it would often have had news to share it, too. */
const SAVED = 0.75;
/** Full polls are made on the way some time before they are due: their searches reach back so much of the interval. */
const REACHED = 0.6;

/**
 * The share that takes requests of its own, as there is no room beside news: an account with news has posted, and often more than one page
 * holds of so long a time.
 */
function shareApart(
  rates: readonly number[],
  postsPerDay: number,
  { handlesPerQuery, fullPollEveryMs }: FullPolling,
  news: NewsSearches,
): number {
  if (news.perDay === 0 || postsPerDay === 0) return 1;
  const reachedDays = (fullPollEveryMs * REACHED) / DAY_MS;
  const fits = sum(rates, (rate) => rate * Math.exp((-rate * reachedDays) / ITEMS_PER_PAGE)) / postsPerDay;
  const together = Math.max(1, news.accountsPerDay / news.perDay);
  // One account or more, how many is chance.
  const allFit = fits * Math.exp(-(together - 1) * (1 - fits));
  const places = Math.max(0, Math.min(handlesPerQuery, rates.length) - together) * news.perDay * allFit;
  return 1 - SAVED * (1 - Math.exp((-places * fullPollEveryMs) / DAY_MS / rates.length));
}
