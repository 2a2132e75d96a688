/**
 * Describes in words what a forecast is based on. Until a daemon has counted a day, a plan is an
 * estimate and lists its assumptions.
 */
import type { Basis, WatchForecast } from "../../forecast/forecast.ts";
import {
  MAX_MOVES_PER_DAY,
  MOVES_PER_DAY,
  POSTS_PER_DAY,
  RECHECKED_PER_DAY,
} from "../../plan/polls/estimate.ts";
import type { Range } from "../../plan/range.ts";

export interface BasisView {
  /**
   * What the forecast is based on. `schedule`: the schedules alone. `counted`: the requests that
   * the ledger counted for this watch. `assumed`: the assumptions in `assumes`. Null if the watch
   * is not polled.
   */
  readonly basis: Basis | null;
  /** The assumptions in words; empty unless `basis` is `assumed`. */
  readonly assumes: readonly string[];
}

const rangeOf = ({ low, high }: Range): string => `${low} to ${high}`;
const WORDS: Readonly<Record<WatchForecast["assumptions"][number], string>> = {
  posts: `each of its accounts posts ${rangeOf(POSTS_PER_DAY)} times a day, with replies and reposts`,
  moves: `each of its lists gains or loses members ${rangeOf(MOVES_PER_DAY)} times a day, one of them up to ${MAX_MOVES_PER_DAY.high} times`,
  listed:
    "its list contains all of its accounts; each missing one costs up to one request per tick",
  pages: "no poll finds more than a page of news",
  lengths: "each of its lists fits on one page; a longer list costs one request per page",
  pace: "each account is read about as often as at even intervals, and less often while little is posted",
  rechecks: `a recheck takes one request per hundred fresh tweets (${rangeOf(RECHECKED_PER_DAY)} a day from each account), and none without fresh tweets`,
};

/** Returns the view of a watch's forecast; `undefined` means that the watch is not polled. */
export const basisView = (forecast: WatchForecast | undefined): BasisView =>
  forecast === undefined
    ? { basis: null, assumes: [] }
    : { basis: forecast.basis, assumes: forecast.assumptions.map((one) => WORDS[one]) };
