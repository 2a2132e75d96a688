/**
 * When a feed of tweets that is read by itself is worth its next request, so that its posts are found as fresh as was asked for. A read costs
 * the same whenever it comes, so that the mean delay is least where the interval is proportional to 1 / sqrt(rate): the next read comes when
 * the posts expected since the last one have waited so long together. Where 95 of 100 posts have a limit, none is late that is found within
 * it: the next read comes no sooner, and later where few posts are expected to be late. Rates are given as shares of the feed's own average,
 * so that what is not known yet of how much is posted changes nothing. Pure; the memory is plain data.
 */
import type { Freshness } from "../../model/schedule.ts";
import { type Delay, expectedDelay, longestWaitMs, type Mean, type P95 } from "../../plan/delay-aims.ts";
import type { FreshTiming, Poll } from "../../plan/poll.ts";
import type { PlacedRuns } from "../kind/group-kind.ts";
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

/** How long posts count as those of these days. */
const LATELY_MS = DAY_MS;
/** Posts that make a day's count worth as much as the average. */
const LATELY_PRIOR = 1;
/** A burst brings reads so much closer than even ones at most. */
const MOST_HASTE = 6;
/** How many found posts outweigh the first guess. */
const FIRST_GUESS_POSTS = 60;
/** The delays of so many posts are remembered, and of six hours at least. */
const MEMORY_POSTS = 400;
const MEMORY_MS = 21_600_000;
/** Reads come at most three times as often as even ones, but for a burst: what a list shows late is not found sooner by asking more often. */
const LEAST_WORTH = 1 / 9;
/** At even intervals this share of the posts is late. */
const LATE_SHARE = 0.05;
/** No read of a p95 waits for more posts to be late than come within it. */
const MOST_WORTH = (1 - LATE_SHARE) / LATE_SHARE;
/** How much one post moves the worth of a read for a p95. */
const QUANTILE_STEP = 0.1;

/** Of a feed nobody knows yet; `rate`: by the dates of what it showed. */
export function startFeed({ habit: _, ...rate }: RateMemory, freshness: Freshness, nowMs: number): FeedPace {
  return { rate, lately: 0, sinceMs: nowMs, pace: evenPace(freshness, nowMs) };
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

/** Of reads at even intervals, where posts come at any moment alike. */
const evenWorth = (freshness: Freshness): number =>
  freshness.kind === "mean" ? 2 * freshness.meanMs * freshness.meanMs : (freshness.p95Ms * LATE_SHARE) / (1 - LATE_SHARE);

const evenPace = ({ kind }: Freshness, nowMs: number): ReadPace => ({
  kind,
  worth: 1,
  delays: FIRST_GUESS_POSTS,
  roots: FIRST_GUESS_POSTS,
  atMs: nowMs,
});

/** The same feed where freshness is asked for in other words than before. */
export const withFreshness = (feed: FeedPace, freshness: Freshness, nowMs: number): FeedPace =>
  feed.pace.kind === freshness.kind ? feed : { ...feed, pace: evenPace(freshness, nowMs) };

/** After a read that found posts of these dates. */
export const learnFeed = (feed: FeedPace, postedMs: readonly number[], nowMs: number): FeedPace =>
  postedMs.length === 0 ? feed : { ...feed, rate: learnPosts(feed.rate, postedMs, nowMs), lately: latelyAt(feed, nowMs) + postedMs.length };

const latelyAt = ({ lately, rate }: FeedPace, nowMs: number): number => lately * Math.exp(-Math.max(0, nowMs - rate.atMs) / LATELY_MS);

/** After posts were found so late, as far as that depends on the pace. */
export function learnFeedDelays(feed: FeedPace, delaysMs: readonly number[], freshness: Freshness, nowMs: number): FeedPace {
  if (delaysMs.length === 0) return feed;
  const learned =
    freshness.kind === "mean" ? learnMean(feed.pace, delaysMs, freshness, nowMs) : learnLate(feed.pace, delaysMs, freshness, nowMs);
  return { ...feed, pace: { ...learned, worth: Math.max(learned.worth, LEAST_WORTH) } };
}

/** Delays grow with the square root of what a read must be worth. */
function learnMean(pace: ReadPace, delaysMs: readonly number[], { meanMs, maxMs }: Mean, nowMs: number): ReadPace {
  const kept = Math.exp(-Math.min(delaysMs.length / MEMORY_POSTS, Math.max(0, nowMs - pace.atMs) / MEMORY_MS));
  const shares = delaysMs.map((delayMs) => Math.min(Math.max(delayMs, 0), maxMs) / meanMs);
  const delays = pace.delays * kept + sum(shares, (share) => share);
  const roots = pace.roots * kept + delaysMs.length * Math.sqrt(pace.worth);
  return { ...pace, worth: delays > 0 ? (roots / delays) ** 2 : pace.worth, delays, roots, atMs: nowMs };
}

function learnLate(pace: ReadPace, delaysMs: readonly number[], { p95Ms }: P95, nowMs: number): ReadPace {
  const late = delaysMs.filter((delayMs) => delayMs > p95Ms).length;
  const worth = pace.worth * Math.exp(QUANTILE_STEP * (LATE_SHARE * delaysMs.length - late));
  return { ...pace, worth: Math.min(worth, MOST_WORTH), atMs: nowMs };
}

/** The shortest time between two reads: a post found within its limit is not late. */
export const leastWaitMs = (freshness: Freshness): number =>
  freshness.kind === "mean" ? (2 * freshness.meanMs) / MOST_HASTE : freshness.p95Ms;

/** Of the delays asked for, as they come out: posts are found sooner in a burst. */
const feedDelay = (freshness: Freshness): Delay =>
  freshness.kind === "mean" ? { p50Ms: 0.95 * freshness.meanMs, p95Ms: 2.2 * freshness.meanMs } : expectedDelay(freshness);

/** Of a feed, or of several that are read as one. */
export const placedReads = (_: Poll, { freshness, readsPerDay }: FreshTiming): PlacedRuns => ({
  delay: feedDelay(freshness),
  perDay: readsPerDay,
});

/** Where it is counted how often a feed is read, as a share of even reads: what freshness asks for may change. */
export const shareKey = (pollKey: string): string => `${pollKey}/share`;

const STEPS = 240;

/** Milliseconds from a read to the next one; `factor`: how much slower it goes while the quota is short. */
export function waitForFeed(feed: FeedPace, freshness: Freshness, factor: number, nowMs: number): number {
  const expected = expectedPosts(feed, nowMs);
  const leastMs = leastWaitMs(freshness) * factor;
  const maxMs = longestWaitMs(freshness) * factor;
  const stepMs = maxMs / STEPS;
  const isMean = freshness.kind === "mean";
  const worth = feed.pace.worth * evenWorth(freshness) * (isMean ? factor * factor : factor);
  // What is posted within the limit before the read is not late.
  const freeMs = isMean ? 0 : leastMs;
  let [posts, waited] = [0, 0];
  for (let atMs = 0; atMs < maxMs - freeMs; atMs += stepMs) {
    const more = expected(atMs + stepMs / 2) * stepMs;
    const next = isMean ? waited + (posts + more / 2) * stepMs : waited + more;
    if (next >= worth) return Math.max(leastMs, freeMs + atMs + (stepMs * (worth - waited)) / (next - waited));
    waited = next;
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
