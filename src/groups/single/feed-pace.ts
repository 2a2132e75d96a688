/**
 * Decides when a feed with a `freshness` setting that is read on its own is read next. Has the
 * parts that the algorithms in `feed-mean.ts` and `feed-p95.ts` share. The worth of a read grows
 * with the posts that are expected until then; the next read is due when its worth reaches the
 * required one, which is learned from the delays of the posts found. Posting rates are shares of
 * the feed's own average, so the number of posts per day need not be known. Pure; the memory is
 * plain data.
 */
import type { Freshness } from "../../model/schedule.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { baseRate, learnPosts, rateAhead, type RateMemory } from "../../plan/rates/rates.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface FeedPace {
  readonly rate: RateMemory;
  /** The number of posts of about the last day, at the time `rate.atMs`. Older posts count less. */
  readonly lately: number;
  /** The time (epoch ms) since which posts are counted. */
  readonly sinceMs: number;
  readonly pace: ReadPace;
}

/** The learned pace. It is stored as shares, because the configured `freshness` may change. */
export interface ReadPace {
  readonly kind: Freshness["kind"];
  /**
   * The worth that a read must reach, relative to that of reads at even intervals. The worth of a
   * read is in posts x ms² of waiting for a mean delay, and in posts x ms of being late for a p95
   * limit.
   */
  readonly worth: number;
  /**
   * For a mean delay: the sum of the delays of the posts found recently, as shares of the
   * configured mean. Older posts count less.
   */
  readonly delays: number;
  /**
   * For a mean delay: the sum of sqrt(worth) over the same posts, each with the worth that was
   * required when it was found.
   */
  readonly roots: number;
  readonly atMs: number;
}

/**
 * An algorithm for one kind of `freshness`, which decides when a feed is read. The units of worth
 * are explained at `ReadPace`.
 */
export interface ReadAlgorithm {
  readonly kind: Freshness["kind"];
  /** The delay of posts that plan and forecast expect. */
  readonly delay: Delay;
  /** The shortest time between two reads, in ms. */
  readonly leastMs: number;
  /** The longest time between two reads, in ms. */
  readonly mostMs: number;
  /**
   * Returns the worth that a read must reach. `share` is the learned worth, relative to reads at
   * even intervals while posts come evenly. `factor` is the factor by which polls are slowed down
   * while the quota is short.
   */
  wantedWorth(share: number, factor: number): number;
  /** Posts that are younger than this (ms) add nothing to the worth of a read. */
  readonly inTimeMs: number;
  /**
   * Returns how much one step of the wait adds to the worth of the read. `posts` is the number of
   * posts that are expected before the step, `more` the number within it.
   */
  worthOfStep(posts: number, more: number, stepMs: number): number;
  /** Returns the pace after posts were found with these delays (ms). */
  learn(pace: ReadPace, delaysMs: readonly number[], nowMs: number): ReadPace;
}

/** The mean time for which a post counts as recent. */
const LATELY_MS = DAY_MS;
/** The weight of the average rate, as a number of recent posts. */
const LATELY_PRIOR = 1;
/** The weight of the first guess, as a number of found posts. */
const FIRST_GUESS_POSTS = 60;
/**
 * The minimum of the required worth, relative to even intervals. It makes reads outside bursts at
 * most three times as frequent as even ones, because a list that shows posts late does not show
 * them sooner if it is read more often.
 */
const MIN_WORTH = 1 / 9;

/**
 * Creates the pace of a feed of which nothing is known. `rate` comes from the dates of the posts on
 * its first page.
 */
export function startFeed(
  { habit: _, ...rate }: RateMemory,
  algorithm: ReadAlgorithm,
  nowMs: number,
): FeedPace {
  return { rate, lately: 0, sinceMs: nowMs, pace: evenPace(algorithm, nowMs) };
}

/**
 * The minimum period, in days, for which the posts of a page count. A page that covers only minutes
 * says little about a whole day.
 */
const MIN_DAYS = 0.5;

/** Returns the sum of these rates. It has the weight of one day of evidence. */
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

/**
 * Returns the feed's pace. If the kind of `freshness` has changed, the pace is learned from the
 * beginning.
 */
export const withAlgorithm = (feed: FeedPace, algorithm: ReadAlgorithm, nowMs: number): FeedPace =>
  feed.pace.kind === algorithm.kind ? feed : { ...feed, pace: evenPace(algorithm, nowMs) };

/** Returns the feed after a read that found posts of these dates (epoch ms). */
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

/** Returns the feed after posts were found with these delays (ms). */
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
 * Returns the time in ms from a read to the next one. `factor`: the factor by which polls are
 * slowed down while the quota is short.
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

/**
 * Returns a function that computes the expected rate of posts at a later time, as a share of the
 * average rate.
 */
function expectedPosts(feed: FeedPace, nowMs: number): (aheadMs: number) => number {
  const knownMs = nowMs - feed.sinceMs;
  const { habit, ...rate } = feed.rate;
  const base = baseRate(rate, nowMs);
  const usual = ((base * LATELY_MS) / DAY_MS) * (1 - Math.exp(-knownMs / LATELY_MS));
  const share = (latelyAt(feed, nowMs) + LATELY_PRIOR) / (usual + LATELY_PRIOR);
  // Less than a day of data does not show at which hours posts are frequent.
  const memory = knownMs < DAY_MS || habit === undefined ? rate : { ...rate, habit };
  return (aheadMs) => rateAhead(memory, nowMs, aheadMs, share * base) / base;
}
