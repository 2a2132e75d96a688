/**
 * How often accounts post, learned from the dates of their posts: a base rate each, the hours of
 * the day of each and of all, and the burst intensity that a post leaves behind. Pure; what is
 * learned is plain data that its owner keeps.
 */
import { sum } from "../sum.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * What a post adds to the expected number of posts that follow it, and over which time that fades.
 */
const BURST_INTENSITY = 0.5;
const BURST_FADE_MS = 8 * 60_000;
/** The part of the base rate that comes without a post before it. */
export const UNPROMPTED = 0.5;
/** Evidence of an account nobody has read yet: few posts, soon outweighed. */
const PRIOR_POSTS = 0.3;
const PRIOR_DAYS = 0.5;
/** Posts a day of an account, over all of such a platform. */
const USUAL_MEAN = 3;
/** Behaviour changes: evidence counts half after so long. */
const HALF_LIFE_DAYS = 21;
/** A first page says no more than this about an account that has been silent for years. */
const LONGEST_EVIDENCE_DAYS = 45;

export interface RateMemory {
  /** Posts seen, older ones counting less. */
  readonly posts: number;
  /** Days in which they were seen, older ones counting less. */
  readonly days: number;
  /** Posts still expected because of recent ones, at `atMs`. */
  readonly excited: number;
  /** Of the posts, how many came in each eighth of the day, UTC. */
  readonly habit?: readonly number[];
  /** Nothing was on the first page, and nothing was posted since. */
  readonly isEmpty?: true;
  /** When this was written down. */
  readonly atMs: number;
}

/** Posts by hour of the day in UTC, over all accounts of a daemon; older ones count less. */
export interface DayProfile {
  readonly posts: readonly number[];
}

export const FLAT_PROFILE: DayProfile = { posts: Array.from({ length: HOURS }, () => 0) };

/** The first estimate: the dates of a first page, in any order, and nothing else known. */
export function firstRate(datesMs: readonly number[], nowMs: number): RateMemory {
  const dates = datesMs.filter((dateMs) => dateMs <= nowMs);
  if (dates.length === 0) return { posts: 0, days: 1, excited: 0, isEmpty: true, atMs: nowMs };
  // A pinned tweet may be years older than what stands beside it: the second oldest marks where the
  // window begins, and is not within it.
  const [oldest = nowMs, begin = oldest] = [...dates].sort((a, b) => a - b);
  const reachDays = Math.max((nowMs - begin) / DAY_MS, 1 / HOURS);
  const share = Math.min(1, LONGEST_EVIDENCE_DAYS / reachDays);
  return {
    posts: Math.max(dates.length - 2, 0) * share,
    days: reachDays * share,
    excited: burstIntensityOf(dates, nowMs),
    // A page of less than a day says which hours it shows, not which hours are busy.
    ...(reachDays < 1 ? {} : { habit: withPosts(NO_OWN_HOURS, dates) }),
    atMs: nowMs,
  };
}

/** What is known after a while in which these posts were found; none is evidence too. */
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

/** It is written to the state for thousands of accounts. */
const round = (count: number): number => Math.round(count * 100) / 100;

/**
 * What was written down later than now is older than it looks: the clock was set back since, by
 * nobody knows how much.
 */
const fade = (passedMs: number): number =>
  passedMs < -BURST_FADE_MS ? 0 : Math.exp(-Math.max(0, passedMs) / BURST_FADE_MS);

const burstIntensityOf = (datesMs: readonly number[], nowMs: number): number =>
  sum(datesMs, (dateMs) => BURST_INTENSITY * fade(nowMs - dateMs));

/** Posts a day on average, as of `nowMs`. */
export function baseRate(memory: RateMemory, nowMs: number): number {
  const { posts, days } = evidenceAt(memory, nowMs);
  return (posts + PRIOR_POSTS) / (days + PRIOR_DAYS);
}

/** How much of the evidence still counts. */
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
 * What an account nobody has read yet is worth in a sum: a little evidence of the mean of all,
 * which a few busy ones make.
 */
const SUM_PRIOR_DAYS = PRIOR_POSTS / USUAL_MEAN;

/**
 * Posts a day on average, for sums over many accounts. `baseRate` doubts what is rare, as who is
 * probed should: it would take a busy account whose page covers few hours for less than it is, and
 * all of them together for 28% less after the first pages, 14% after a day.
 */
export function expectedRate(memory: RateMemory, nowMs: number): number {
  const { posts, days } = evidenceAt(memory, nowMs);
  // An empty page may be a suspicious empty response, which probing allows for; as a rule it says
  // as much as an old post.
  const silentDays = memory.isEmpty === true ? LONGEST_EVIDENCE_DAYS : 0;
  return (posts + PRIOR_POSTS) / (days + silentDays + SUM_PRIOR_DAYS);
}

/**
 * Posts a day expected at this very moment: half the base, by how busy the hour is for all and for
 * this one, and what recent posts draw after them.
 */
export function rateAt(memory: RateMemory, nowMs: number, busyness = 1): number {
  const excited = memory.excited * fade(nowMs - memory.atMs);
  return (
    UNPROMPTED * baseRate(memory, nowMs) * diurnalFactor(memory.habit, nowMs, busyness) +
    (excited * DAY_MS) / BURST_FADE_MS
  );
}

/**
 * The same of a later moment, where nobody looks in between: what recent posts draw draws posts
 * itself, so that it fades slower, towards the base. `aheadMs` from `nowMs` on; `base`: posts a
 * day, these days.
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
/** Posts that make an account's own hours count as much as those of all. */
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
 * How busy the hour is for one account, whose posts say more the more there are; `busyness`: for
 * all.
 */
function diurnalFactor(
  habit: readonly number[] | undefined,
  nowMs: number,
  busyness: number,
): number {
  if (habit === undefined) return busyness;
  const span = spanOf(nowMs);
  const total = sum(habit, (count) => count);
  // What lies beside counts half: nobody's hours begin and end with ours.
  const near = (at: number): number => habit[(at + SPANS) % SPANS] ?? 0;
  const own = near(span) / 2 + (near(span - 1) + near(span + 1)) / 4;
  return (own * SPANS + OWN_HOURS_PRIOR * busyness) / (total + OWN_HOURS_PRIOR);
}

/**
 * Posts that make the profile of an hour count as much as the assumption that all hours are alike.
 */
const PROFILE_PRIOR = 20;
const PROFILE_MEMORY = 0.9995;

/** Adds posts to the profile; a day of a few thousand posts forgets what was weeks ago. */
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

/** How busy an hour is against the average one: 1 while nothing is known. */
export function hourFactor({ posts }: DayProfile, atMs: number): number {
  const total = sum(posts, (count) => count);
  return ((posts[hourOf(atMs)] ?? 0) + PROFILE_PRIOR) / (total / HOURS + PROFILE_PRIOR);
}

const hourOf = (atMs: number): number => Math.floor((atMs % DAY_MS) / HOUR_MS);
