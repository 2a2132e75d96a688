/**
 * Decides when a feed that is read on its own is read next under freshness. Holds what the
 * algorithms of `feed-mean.ts` and `feed-p95.ts` share. The next read is due when the posts
 * expected by then make it worth a request. The required worth is learned from the delays of the
 * posts found. Rates are shares of the feed's own average, so the absolute volume of posts need not
 * be known. Pure; the memory is plain data.
 */
import type { Freshness } from "../../model/schedule.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { baseRate, learnPosts, rateAhead, type RateMemory } from "../../plan/rates/rates.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface FeedPace {
  readonly rate: RateMemory;
  /** The number of posts of about the last day, as of `rate.atMs`; older ones count less. */
  readonly lately: number;
  /** Posts are counted since this time. */
  readonly sinceMs: number;
  readonly pace: ReadPace;
}

/** The learned pace, stored as shares because the configured freshness may change. */
export interface ReadPace {
  readonly kind: Freshness["kind"];
  /**
   * What a read must be worth, relative to reads at even intervals. The unit is posts x ms² of
   * waiting for a mean, and posts x ms of being late for a p95.
   */
  readonly worth: number;
  /**
   * For a mean: the sum of the delays of recently found posts, as shares of the mean. Older posts
   * count less.
   */
  readonly delays: number;
  /** For a mean: the sum, over the same posts, of sqrt(worth) when each was found. */
  readonly roots: number;
  readonly atMs: number;
}

/**
 * Decides for one kind of freshness when a feed is read. Worth is in posts x ms² or in posts x ms:
 * see `ReadPace`.
 */
export interface ReadAlgorithm {
  readonly kind: Freshness["kind"];
  /** The expected delay. */
  readonly delay: Delay;
  /** The shortest time between two reads. */
  readonly leastMs: number;
  /** The longest time between two reads. */
  readonly mostMs: number;
  /**
   * Returns what a read must be worth. `share` is the learned worth, relative to reads at even
   * intervals of evenly posted items. `factor` is how much slower polls run while the quota is
   * short.
   */
  wantedWorth(share: number, factor: number): number;
  /** Posts younger than this add nothing to the worth of a read. */
  readonly inTimeMs: number;
  /**
   * Returns what one step of the wait adds to the worth of the read. `posts` is how many are
   * expected before the step, `more` how many within it.
   */
  worthOfStep(posts: number, more: number, stepMs: number): number;
  /** Returns the pace after posts were found with these delays. */
  learn(pace: ReadPace, delaysMs: readonly number[], nowMs: number): ReadPace;
}

/** How long posts count as recent. */
const LATELY_MS = DAY_MS;
/** The average rate has the weight of this many recent posts. */
const LATELY_PRIOR = 1;
/** The first guess has the weight of this many found posts. */
const FIRST_GUESS_POSTS = 60;
/**
 * Outside bursts, reads come at most three times as often as even ones, because more requests do
 * not find sooner what a list shows late.
 */
const MIN_WORTH = 1 / 9;

/** Creates the pace of a new feed. `rate`: from the dates of the first page. */
export function startFeed(
  { habit: _, ...rate }: RateMemory,
  algorithm: ReadAlgorithm,
  nowMs: number,
): FeedPace {
  return { rate, lately: 0, sinceMs: nowMs, pace: evenPace(algorithm, nowMs) };
}

/**
 * A page that covers only minutes says little about a day, so rates count for at least this many
 * days.
 */
const MIN_DAYS = 0.5;

/** Returns the sum of these rates, with the weight of one day of evidence. */
export const joinRates = (rates: readonly RateMemory[], nowMs: number): RateMemory => ({
  posts: sum(rates, ({ posts, days }) => posts / Math.max(days, MIN_DAYS)),
  days: 1,
  excited: sum(rates, ({ excited }) => excited),
  atMs: nowMs,
});

const evenPace = ({ kind }: ReadAlgorithm, nowMs: number): ReadPace => ({
  kind,
  worth: 1,
  delays: FIRST_GUESS_POSTS,
  roots: FIRST_GUESS_POSTS,
  atMs: nowMs,
});

/** Returns the feed after its kind of freshness changed. */
export const withAlgorithm = (feed: FeedPace, algorithm: ReadAlgorithm, nowMs: number): FeedPace =>
  feed.pace.kind === algorithm.kind ? feed : { ...feed, pace: evenPace(algorithm, nowMs) };

/** Returns the feed after a read that found posts of these dates. */
export const learnFeed = (feed: FeedPace, postedMs: readonly number[], nowMs: number): FeedPace =>
  postedMs.length === 0
    ? feed
    : {
        ...feed,
        rate: learnPosts(feed.rate, postedMs, nowMs),
        lately: latelyAt(feed, nowMs) + postedMs.length,
      };

const latelyAt = ({ lately, rate }: FeedPace, nowMs: number): number =>
  lately * Math.exp(-Math.max(0, nowMs - rate.atMs) / LATELY_MS);

/** Returns the feed after posts were found with these delays. */
export function learnFeedDelays(
  feed: FeedPace,
  delaysMs: readonly number[],
  algorithm: ReadAlgorithm,
  nowMs: number,
): FeedPace {
  if (delaysMs.length === 0) return feed;
  const learned = algorithm.learn(feed.pace, delaysMs, nowMs);
  return { ...feed, pace: { ...learned, worth: Math.max(learned.worth, MIN_WORTH) } };
}

const STEPS = 240;

/**
 * Returns the milliseconds from a read to the next one. `factor`: how much slower polls run while
 * the quota is short.
 */
export function waitForFeed(
  feed: FeedPace,
  algorithm: ReadAlgorithm,
  factor: number,
  nowMs: number,
): number {
  const expected = expectedPosts(feed, nowMs);
  const leastMs = algorithm.leastMs * factor;
  const maxMs = algorithm.mostMs * factor;
  const inTimeMs = algorithm.inTimeMs * factor;
  const stepMs = maxMs / STEPS;
  const wanted = algorithm.wantedWorth(feed.pace.worth, factor);
  let [posts, worth] = [0, 0];
  for (let atMs = 0; atMs < maxMs - inTimeMs; atMs += stepMs) {
    const more = expected(atMs + stepMs / 2) * stepMs;
    const next = worth + algorithm.worthOfStep(posts, more, stepMs);
    if (next >= wanted)
      return Math.max(leastMs, inTimeMs + atMs + (stepMs * (wanted - worth)) / (next - worth));
    worth = next;
    posts += more;
  }
  return maxMs;
}

/** Returns a function for the rate of posts at a later time, as a share of the average. */
function expectedPosts(feed: FeedPace, nowMs: number): (aheadMs: number) => number {
  const knownMs = nowMs - feed.sinceMs;
  const { habit, ...rate } = feed.rate;
  const base = baseRate(rate, nowMs);
  const usual = ((base * LATELY_MS) / DAY_MS) * (1 - Math.exp(-knownMs / LATELY_MS));
  const share = (latelyAt(feed, nowMs) + LATELY_PRIOR) / (usual + LATELY_PRIOR);
  // Less than a day of data cannot show which hours are busy.
  const memory = knownMs < DAY_MS || habit === undefined ? rate : { ...rate, habit };
  return (aheadMs) => rateAhead(memory, nowMs, aheadMs, share * base) / base;
}
