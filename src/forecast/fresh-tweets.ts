/**
 * How many tweets of a watch are fresh at once and rechecked, by the first pages of its feeds and by what was noted since. A day's
 * tweets alone say little: days differ, and one that is loud would count for a month. Pure.
 */
import type { FirstPage } from "../plan/first-page.ts";
import type { JsonObject } from "../model/json.ts";
import type { TargetState, WatchState } from "../model/watch-store.ts";
import type { Watch } from "../model/watch.ts";
import { ITEMS_PER_PAGE } from "../plan/polls/feed-pages.ts";
import { stateOf } from "../plan/polls/full-read.ts";
import { sum } from "../plan/sum.ts";

const DAY_MS = 86_400_000;
/** What was seen in a shorter time says little about a day. */
const LEAST_DAYS = 0.5;
/** How many are fresh changes with the hour where that is a matter of hours. */
const STEADY_DAYS = 0.5;
/** So many tweets say as much about what a watch wants of one feed as all its feeds together do. */
const SHARE_PRIOR = 5;

const firstPageOf = ({ memory }: Pick<TargetState, "memory">): FirstPage | undefined => {
  const { posts, days, tweets, wanted } = (memory["page"] ?? {}) as JsonObject;
  const isWhole = typeof posts === "number" && typeof days === "number" && typeof tweets === "number" && typeof wanted === "number";
  return isWhole && days > 0 ? { posts, days, tweets, wanted } : undefined;
};

/** `intervalMs`: of its polls: a tweet is followed from when it is found. Undefined while little is known. */
export function freshTweets(
  { recheck, ...watch }: Watch,
  states: readonly WatchState[],
  nowMs: number,
  intervalMs: number,
): number | undefined {
  const state = recheck === undefined ? undefined : stateOf(watch, states);
  if (recheck === undefined || state === undefined) return undefined;
  const freshDays = Math.max(0, recheck.untilMs - intervalMs / 2) / DAY_MS;
  const pages = state.targets.flatMap((target) => firstPageOf(target) ?? []);
  return pages.length === 0 ? byFollowed(state, recheck.untilMs / DAY_MS, nowMs) : wantedPerDay(state, pages, nowMs) * freshDays;
}

/** Of all its feeds: what the first pages say of a day, and what was noted since, each for as many days as it is evidence of. */
function wantedPerDay(state: WatchState, pages: readonly FirstPage[], nowMs: number): number {
  const [tweets, wanted] = [sum(pages, (page) => page.tweets), sum(pages, (page) => page.wanted)];
  const share = tweets === 0 ? 1 : wanted / tweets;
  const perDay = sum(pages, ({ posts, days }) => posts / days);
  const wantedOfPages = sum(pages, (one) => (one.posts / one.days) * ((one.wanted + SHARE_PRIOR * share) / (one.tweets + SHARE_PRIOR)));
  // Of feeds of different pace, the variance of such a sum is that of the busy ones.
  const variance = sum(pages, ({ posts, days }) => posts / (days * days));
  const pageDays = variance === 0 ? 0 : perDay / variance;
  const sinceDays = sum(state.targets, ({ registeredAtMs }) => Math.max(0, nowMs - registeredAtMs)) / DAY_MS / state.targets.length;
  const news = Math.max(0, state.knownItems - tweets);
  if (pageDays + sinceDays === 0) return 0;
  return ((perDay * pageDays + news) / (pageDays + sinceDays)) * (perDay === 0 ? share : wantedOfPages / perDay);
}

/** Where the first pages were read by a version that noted nothing of them: as many as it follows now, else what it notes in that time. */
function byFollowed(state: WatchState, freshDays: number, nowMs: number): number | undefined {
  const days = (nowMs - state.registeredAtMs) / DAY_MS;
  if (days < LEAST_DAYS) return undefined;
  if (freshDays >= STEADY_DAYS && state.followedTweets > 0) return state.followedTweets * Math.max(1, freshDays / days);
  return (Math.max(0, state.knownItems - ITEMS_PER_PAGE * Math.max(1, state.targets.length)) / days) * freshDays;
}
