/** How much is posted in a feed, and how much of it is fresh, by what the state knows of the watch that reads it. Pure. */
import type { WatchState } from "../model/watch-store.ts";
import type { Watch } from "../model/watch.ts";
import { ITEMS_PER_PAGE } from "./feed-pages.ts";
import { stateOf } from "./full-read.ts";
import type { Poll } from "./poll.ts";

const DAY_MS = 86_400_000;
/** What was seen in a shorter time says little about a day. */
const LEAST_DAYS = 0.5;
/** The state forgets items that are older. */
const MOST_DAYS = 90;

/** New items a day, by what the watch has noted since it was made; all of its targets alike. Undefined while that is too little. */
export function itemsPerDay(poll: Poll, states: readonly WatchState[], nowMs: number): number | undefined {
  const [subscriber] = poll.subscribers;
  if (poll.detector !== "feed" || poll.group !== undefined || subscriber === undefined) return undefined;
  const state = stateOf(subscriber.watch, states);
  const days = daysKnown(state, nowMs);
  if (state === undefined || days < LEAST_DAYS) return undefined;
  const own = poll.subscribers.filter(({ watch }) => watch.id === subscriber.watch.id).length;
  const items = (state.knownItems * own) / Math.max(state.targets.length, own);
  // The first page was there before.
  return Math.max(0, items - ITEMS_PER_PAGE) / days;
}

const daysKnown = (state: WatchState | undefined, nowMs: number): number =>
  Math.min((nowMs - (state?.registeredAtMs ?? nowMs)) / DAY_MS, MOST_DAYS);

/** How many are fresh changes with the hour where that is a matter of hours. */
const STEADY_DAYS = 0.5;

/** Tweets that a watch looks at again at once: as many as it follows now, else what it notes in that time. Undefined while little is known. */
export function freshTweets({ recheck, ...watch }: Watch, states: readonly WatchState[], nowMs: number): number | undefined {
  const state = recheck === undefined ? undefined : stateOf(watch, states);
  const days = daysKnown(state, nowMs);
  if (recheck === undefined || state === undefined || days < LEAST_DAYS) return undefined;
  const freshDays = recheck.untilMs / DAY_MS;
  if (freshDays >= STEADY_DAYS && state.followedTweets > 0) return state.followedTweets * Math.max(1, freshDays / days);
  return (Math.max(0, state.knownItems - ITEMS_PER_PAGE * Math.max(1, state.targets.length)) / days) * freshDays;
}
