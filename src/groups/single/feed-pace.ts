/**
 * When a feed of tweets that is read by itself is worth its next request, so that its posts are found as fresh as was asked for: what the
 * algorithms of `feed-mean.ts` and `feed-p95.ts` share. The next read comes when the posts expected by then make it worth enough, and what
 * is enough is learned from the delays of those found. Rates are given as shares of the feed's own average, so that what is not known yet
 * of how much is posted changes nothing. Pure; the memory is plain data.
 */
import type { Freshness } from "../../model/schedule.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { baseRate, learnPosts, rateAhead, type RateMemory } from "../../plan/rates/rates.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface FeedPace {
  readonly rate: RateMemory;
  /** Posts of about the last day, as of `rate.atMs`, older ones counting less. */
  readonly lately: number;
  /** Since when posts are counted. */
  readonly sinceMs: number;
  readonly pace: ReadPace;
}

/** Given as shares, because what freshness asks for may change. */
export interface ReadPace {
  readonly kind: Freshness["kind"];
  /** What a read must be worth, against even reads: for a mean, posts x ms² that they waited; for a p95, posts x ms that are late. */
  readonly worth: number;
  /** Of a mean, over the posts found lately, older ones counting less: their delays, as shares of the mean, and sqrt(worth) at the time. */
  readonly delays: number;
  readonly roots: number;
  readonly atMs: number;
}

/** How one kind of freshness decides when a feed is read. Worth is in posts x ms² or in posts x ms: see `ReadPace`. */
export interface ReadAlgorithm {
  readonly kind: Freshness["kind"];
  /** To expect of what is asked for. */
  readonly delay: Delay;
  /** The shortest and the longest time between two reads. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** What a read must be worth, given as a share of even reads of posts that come at any moment alike; `factor`: so much slower. */
  wantedWorth(share: number, factor: number): number;
  /** What is posted so long before a read makes it worth nothing. */
  readonly inTimeMs: number;
  /** What a step of the wait adds to the worth of the read, with so many posts before it and so many more in it. */
  worthOfStep(posts: number, more: number, stepMs: number): number;
  /** After posts were found so late. */
  learn(pace: ReadPace, delaysMs: readonly number[], nowMs: number): ReadPace;
}

/** How long posts count as those of these days. */
const LATELY_MS = DAY_MS;
/** Posts that make a day's count worth as much as the average. */
const LATELY_PRIOR = 1;
/** How many found posts outweigh the first guess. */
const FIRST_GUESS_POSTS = 60;
/** Reads come at most three times as often as even ones, but for a burst: what a list shows late is not found sooner by asking more often. */
const LEAST_WORTH = 1 / 9;

/** Of a feed nobody knows yet; `rate`: by the dates of what it showed. */
export function startFeed({ habit: _, ...rate }: RateMemory, algorithm: ReadAlgorithm, nowMs: number): FeedPace {
  return { rate, lately: 0, sinceMs: nowMs, pace: evenPace(algorithm, nowMs) };
}

/** A page of minutes says little of a day. */
const LEAST_DAYS = 0.5;

/** What several feeds have together, in which these rates were seen; a day's worth of evidence. */
export const joinRates = (rates: readonly RateMemory[], nowMs: number): RateMemory => ({
  posts: sum(rates, ({ posts, days }) => posts / Math.max(days, LEAST_DAYS)),
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

/** The same feed where freshness is asked for in other words than before. */
export const withAlgorithm = (feed: FeedPace, algorithm: ReadAlgorithm, nowMs: number): FeedPace =>
  feed.pace.kind === algorithm.kind ? feed : { ...feed, pace: evenPace(algorithm, nowMs) };

/** After a read that found posts of these dates. */
export const learnFeed = (feed: FeedPace, postedMs: readonly number[], nowMs: number): FeedPace =>
  postedMs.length === 0 ? feed : { ...feed, rate: learnPosts(feed.rate, postedMs, nowMs), lately: latelyAt(feed, nowMs) + postedMs.length };

const latelyAt = ({ lately, rate }: FeedPace, nowMs: number): number => lately * Math.exp(-Math.max(0, nowMs - rate.atMs) / LATELY_MS);

/** After posts were found so late, as far as that depends on the pace. */
export function learnFeedDelays(feed: FeedPace, delaysMs: readonly number[], algorithm: ReadAlgorithm, nowMs: number): FeedPace {
  if (delaysMs.length === 0) return feed;
  const learned = algorithm.learn(feed.pace, delaysMs, nowMs);
  return { ...feed, pace: { ...learned, worth: Math.max(learned.worth, LEAST_WORTH) } };
}

const STEPS = 240;

/** Milliseconds from a read to the next one; `factor`: how much slower it goes while the quota is short. */
export function waitForFeed(feed: FeedPace, algorithm: ReadAlgorithm, factor: number, nowMs: number): number {
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
    if (next >= wanted) return Math.max(leastMs, inTimeMs + atMs + (stepMs * (wanted - worth)) / (next - worth));
    worth = next;
    posts += more;
  }
  return maxMs;
}

/** Posts so much later, as a share of the average. */
function expectedPosts(feed: FeedPace, nowMs: number): (aheadMs: number) => number {
  const knownMs = nowMs - feed.sinceMs;
  const { habit, ...rate } = feed.rate;
  const base = baseRate(rate, nowMs);
  const usual = ((base * LATELY_MS) / DAY_MS) * (1 - Math.exp(-knownMs / LATELY_MS));
  const share = (latelyAt(feed, nowMs) + LATELY_PRIOR) / (usual + LATELY_PRIOR);
  // Part of a day says which hours it shows, not which are busy.
  const memory = knownMs < DAY_MS || habit === undefined ? rate : { ...rate, habit };
  return (aheadMs) => rateAhead(memory, nowMs, aheadMs, share * base) / base;
}
