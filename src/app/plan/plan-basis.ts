/** What a forecast rests on, in words: before a daemon has counted a day, a plan is an estimate, and says what it assumes. */
import type { Basis, WatchForecast } from "../../forecast/forecast.ts";
import { MOVES_PER_DAY, POSTS_PER_DAY } from "../../plan/polls/estimate.ts";

export interface BasisView {
  /**
   * `schedule`: nothing but the schedules. `counted`: what the ledger counted on its own days. `assumed`: the assumptions named beside it. Null
   * when nothing is polled.
   */
  readonly basis: Basis | null;
  /** What is assumed, each in words; empty unless `basis` is `assumed`. */
  readonly assumes: readonly string[];
}

const posts = `${POSTS_PER_DAY.low} to ${POSTS_PER_DAY.high}`;
const WORDS: Readonly<Record<WatchForecast["assumptions"][number], string>> = {
  posts: `each of its accounts posts ${posts} times a day`,
  moves: `each of its lists gains or loses members ${MOVES_PER_DAY.low} to ${MOVES_PER_DAY.high} times a day`,
  pages: "no poll finds more than a page of news",
  lengths: "each of its lists fits on one page; a long one costs a request a page",
  pace: "it is read about as often as at even intervals, and less often while little is posted",
  rechecks: `a recheck takes a request for every hundred fresh tweets, of ${posts} posts a day of each account`,
};

/** By watch id. `undefined`: it is not polled. */
export const basisView = (forecast: WatchForecast | undefined): BasisView =>
  forecast === undefined ? { basis: null, assumes: [] } : { basis: forecast.basis, assumes: forecast.assumptions.map((one) => WORDS[one]) };
