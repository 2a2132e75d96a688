/** What a forecast rests on, in words: before a daemon has run for a while, a plan is a guess, and says of what. */
import type { WatchState } from "../../model/watch-store.ts";
import { basisByWatch } from "../../forecast/basis.ts";
import type { Assumption, Basis, WatchBasis } from "../../plan/rates/basis.ts";
import { READS_OF_A_CHANGE } from "../../groups/probing/pending-changes.ts";
import { itemsPerDay } from "../../forecast/feed-volume.ts";
import type { Forecast } from "../../forecast/forecast.ts";
import { knownPages } from "../../plan/polls/full-read.ts";
import type { Learned } from "../../plan/rates/learned.ts";
import { USUAL_CHANGES_PER_DAY } from "../../plan/rates/other-changes.ts";

export interface BasisView {
  /**
   * The least sure part of the forecast: `schedule`: nothing but the schedules; `counted`: requests that were counted for days; `learned`: how
   * much is posted and how lists move, as the state knows it; `assumed`: what is usual. Null when nothing is polled.
   */
  readonly basis: Basis | null;
  /** What is assumed, each in words; empty unless `basis` is `assumed`. */
  readonly assumes: readonly string[];
}

const WORDS: Readonly<Record<Assumption, string>> = {
  posts: "its accounts post as is usual: 3 a day each on average, half of them under 0.4",
  changes: `${USUAL_CHANGES_PER_DAY * 100} in 100 of its accounts change each day without a post, as by a deletion, and are read ${READS_OF_A_CHANGE} times`,
  pages: "no poll finds more than a page of news",
  lengths: "each of its lists fits on one page; a long one costs a request a page",
  moves: "its lists gain and lose members as often as accounts usually post",
  even: "it is read at even intervals",
  rechecks: "each recheck of fresh tweets takes one request",
};

export interface BasisFacts {
  readonly states: readonly WatchState[];
  readonly learned: Learned;
  readonly freshOf: (watchId: string) => number | undefined;
  readonly nowMs: number;
}

/** By watch id; watches that are not polled are left out. */
export function basisViews({ polls }: Forecast, { states, learned, freshOf, nowMs }: BasisFacts): ReadonlyMap<string, BasisView> {
  const bases = basisByWatch(
    polls.map(({ poll }) => poll),
    {
      ...learned,
      itemsPerDay: (poll) => itemsPerDay(poll, states, nowMs),
      isLengthKnown: (poll) => knownPages(poll, states) !== undefined,
      freshOf,
    },
  );
  return new Map([...bases].map(([id, basis]) => [id, viewOf(basis)]));
}

const viewOf = ({ basis, assumptions }: WatchBasis): BasisView => ({ basis, assumes: assumptions.map((one) => WORDS[one]) });

/** Of a watch that is not polled. */
export const NO_BASIS: BasisView = { basis: null, assumes: [] };
