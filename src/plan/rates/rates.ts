/**
 * Learns from the dates of posts how often accounts post: a base rate and busy hours for each
 * account, the busy hours of all accounts, and the burst intensity that a post leaves behind. Pure.
 * What is learned is plain data that the caller stores.
 */
import { sum } from "../sum.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * How many further posts are expected because of a post. Their expected number fades to a third
 * within `BURST_FADE_MS`.
 */
const BURST_INTENSITY = 0.5;
const BURST_FADE_MS = 8 * 60_000;
/** The share of the base rate that no preceding post causes. */
export const UNPROMPTED = 0.5;
/**
 * The assumed evidence for an account that was never read: this many posts in this many days, which
 * real evidence soon outweighs.
 */
const PRIOR_POSTS = 0.3;
const PRIOR_DAYS = 0.5;
/** The average posts per day of an account, over all accounts of such a platform. */
const USUAL_MEAN = 3;
/** Behaviour changes, so evidence counts half after this time. */
const HALF_LIFE_DAYS = 21;
/**
 * A first page counts as evidence for at most this long, even for an account that has been silent
 * for years.
 */
const MAX_EVIDENCE_DAYS = 45;

export interface RateMemory {
  /** The number of posts seen; older ones count less. */
  readonly posts: number;
  /** The days in which they were seen; older ones count less. */
  readonly days: number;
  /** The number of posts still expected because of recent ones, at `atMs`. */
  readonly excited: number;
  /** How many of the posts came in each eighth of the day, UTC. */
  readonly habit?: readonly number[];
  /** Set if the first page was empty, and nothing was posted since. */
  readonly isEmpty?: true;
  /** When this was recorded. */
  readonly atMs: number;
}

/** Posts by hour of the day in UTC, over all accounts of a daemon; older ones count less. */
export interface DayProfile {
  readonly posts: readonly number[];
}

export const FLAT_PROFILE: DayProfile = { posts: Array.from({ length: HOURS }, () => 0) };

/** Returns the first estimate from the dates of a first page, in any order. */
export function firstRate(datesMs: readonly number[], nowMs: number): RateMemory {
  const dates = datesMs.filter((dateMs) => dateMs <= nowMs);
  if (dates.length === 0) return { posts: 0, days: 1, excited: 0, isEmpty: true, atMs: nowMs };
  // The oldest post may be a pinned one that is years older than the others. The second oldest
  // therefore marks the start of the period, and is not counted itself.
  const [oldest = nowMs, begin = oldest] = [...dates].sort((a, b) => a - b);
  const reachDays = Math.max((nowMs - begin) / DAY_MS, 1 / HOURS);
  const share = Math.min(1, MAX_EVIDENCE_DAYS / reachDays);
  return {
    posts: Math.max(dates.length - 2, 0) * share,
    days: reachDays * share,
    excited: burstIntensityOf(dates, nowMs),
    // A page that covers less than a day shows its own hours, not which hours are busy.
    ...(reachDays < 1 ? {} : { habit: withPosts(NO_OWN_HOURS, dates) }),
    atMs: nowMs,
  };
}

/**
 * Returns the memory after these posts were found since the last read. Finding none is evidence
 * too.
 */
export function learnPosts(
  memory: RateMemory,
  datesMs: readonly number[],
  nowMs: number,
): RateMemory {
  const aged = ageRate(memory, nowMs);
  const habit = datesMs.length === 0 ? aged.habit : withPosts(aged.habit ?? NO_OWN_HOURS, datesMs);
  return {
    ...aged,
    posts: aged.posts + datesMs.length,
    excited: aged.excited + burstIntensityOf(datesMs, nowMs),
    ...(habit === undefined ? {} : { habit }),
  };
}

function ageRate(memory: RateMemory, nowMs: number): RateMemory {
  const kept = keptAt(memory, nowMs);
  return {
    ...evidenceAt(memory, nowMs),
    excited: memory.excited * fade(nowMs - memory.atMs),
    ...(memory.habit === undefined
      ? {}
      : { habit: memory.habit.map((count) => round(count * kept)) }),
    atMs: nowMs,
  };
}

/** Rounds counts, because they are stored for thousands of accounts. */
const round = (count: number): number => Math.round(count * 100) / 100;

/**
 * Returns how much of a burst is left. A time that lies in the future was recorded before the clock
 * was set back by an unknown amount, so its burst counts as over.
 */
const fade = (passedMs: number): number =>
  passedMs < -BURST_FADE_MS ? 0 : Math.exp(-Math.max(0, passedMs) / BURST_FADE_MS);

const burstIntensityOf = (datesMs: readonly number[], nowMs: number): number =>
  sum(datesMs, (dateMs) => BURST_INTENSITY * fade(nowMs - dateMs));

/** Returns the average posts per day, as of `nowMs`. */
export function baseRate(memory: RateMemory, nowMs: number): number {
  const { posts, days } = evidenceAt(memory, nowMs);
  return (posts + PRIOR_POSTS) / (days + PRIOR_DAYS);
}

/** Returns the share of the evidence that still counts. */
const keptAt = ({ atMs }: RateMemory, nowMs: number): number =>
  2 ** (-Math.max(0, nowMs - atMs) / DAY_MS / HALF_LIFE_DAYS);

function evidenceAt(memory: RateMemory, nowMs: number): Pick<RateMemory, "posts" | "days"> {
  const kept = keptAt(memory, nowMs);
  return {
    posts: memory.posts * kept,
    days: memory.days * kept + ((1 - kept) * HALF_LIFE_DAYS) / Math.LN2,
  };
}

/**
 * The counterpart of `PRIOR_DAYS` for sums over many accounts. It assumes the mean of all accounts,
 * which a few busy ones determine.
 */
const SUM_PRIOR_DAYS = PRIOR_POSTS / USUAL_MEAN;

/**
 * Returns the average posts per day, for sums over many accounts. `baseRate` trusts little evidence
 * less, which is right for choosing accounts to probe. In a sum it would underestimate busy
 * accounts whose page covers few hours: all of them together by 28% after the first pages, by 14%
 * after a day.
 */
export function expectedRate(memory: RateMemory, nowMs: number): number {
  const { posts, days } = evidenceAt(memory, nowMs);
  // An empty first page usually means the same as a page with only old posts. It may also be a
  // suspicious empty response, which the choice of the accounts to probe takes into account.
  const silentDays = memory.isEmpty === true ? MAX_EVIDENCE_DAYS : 0;
  return (posts + PRIOR_POSTS) / (days + silentDays + SUM_PRIOR_DAYS);
}

/**
 * Returns the posts per day expected at this moment: half of the base rate, adjusted by how busy
 * the hour is for all accounts and for this one, plus those that recent posts cause.
 */
export function rateAt(memory: RateMemory, nowMs: number, busyness = 1): number {
  const excited = memory.excited * fade(nowMs - memory.atMs);
  return (
    UNPROMPTED * baseRate(memory, nowMs) * diurnalFactor(memory.habit, nowMs, busyness) +
    (excited * DAY_MS) / BURST_FADE_MS
  );
}

/**
 * Returns the rate at a later moment, if the account is not polled in between. Posts that recent
 * ones cause will cause further ones, so the rate fades more slowly towards the base. `aheadMs`
 * counts from `nowMs`; `base` is the current posts per day.
 */
export function rateAhead(
  memory: RateMemory,
  nowMs: number,
  aheadMs: number,
  base: number,
): number {
  const calmAt = (atMs: number): number => base * diurnalFactor(memory.habit, atMs, 1);
  const drawn =
    (memory.excited * fade(nowMs - memory.atMs) * DAY_MS) / BURST_FADE_MS -
    UNPROMPTED * calmAt(nowMs);
  return Math.max(
    0,
    calmAt(nowMs + aheadMs) + drawn * Math.exp((-(1 - BURST_INTENSITY) * aheadMs) / BURST_FADE_MS),
  );
}

const SPANS = 8;
const SPAN_MS = DAY_MS / SPANS;
const NO_OWN_HOURS: readonly number[] = Array.from({ length: SPANS }, () => 0);
/** The number of posts with which an account's own hours count as much as those of all accounts. */
const OWN_HOURS_PRIOR = 8;

function withPosts(habit: readonly number[], datesMs: readonly number[]): readonly number[] {
  const posts = [...habit];
  for (const dateMs of datesMs) {
    const span = spanOf(dateMs);
    posts[span] = (posts[span] ?? 0) + 1;
  }
  return posts;
}

const spanOf = (atMs: number): number => Math.floor((atMs % DAY_MS) / SPAN_MS);

/**
 * Returns how busy the hour is for one account, whose own posts count more the more there are.
 * `busyness`: the factor for all accounts.
 */
function diurnalFactor(
  habit: readonly number[] | undefined,
  nowMs: number,
  busyness: number,
): number {
  if (habit === undefined) return busyness;
  const span = spanOf(nowMs);
  const total = sum(habit, (count) => count);
  // Neighbouring hours count half, because the busy hours of an account do not end at these
  // boundaries.
  const near = (at: number): number => habit[(at + SPANS) % SPANS] ?? 0;
  const own = near(span) / 2 + (near(span - 1) + near(span + 1)) / 4;
  return (own * SPANS + OWN_HOURS_PRIOR * busyness) / (total + OWN_HOURS_PRIOR);
}

/**
 * The number of posts with which the profile of an hour counts as much as the assumption that all
 * hours are equal.
 */
const PROFILE_PRIOR = 20;
const PROFILE_MEMORY = 0.9995;

/**
 * Adds posts to the profile. A day with a few thousand posts outweighs the posts from weeks ago.
 */
export function learnHours(profile: DayProfile, datesMs: readonly number[]): DayProfile {
  if (datesMs.length === 0) return profile;
  const kept = PROFILE_MEMORY ** datesMs.length;
  const posts = profile.posts.map((count) => count * kept);
  for (const dateMs of datesMs) {
    const hour = hourOf(dateMs);
    posts[hour] = (posts[hour] ?? 0) + 1;
  }
  return { posts };
}

/** Returns how busy an hour is relative to the average one; 1 while nothing is known. */
export function hourFactor({ posts }: DayProfile, atMs: number): number {
  const total = sum(posts, (count) => count);
  return ((posts[hourOf(atMs)] ?? 0) + PROFILE_PRIOR) / (total / HOURS + PROFILE_PRIOR);
}

const hourOf = (atMs: number): number => Math.floor((atMs % DAY_MS) / HOUR_MS);
