/** How much is posted in a feed, by what the state knows of the watch that reads it; what of it is fresh is fresh-tweets.ts's. Pure. */
import { groupKindOf } from "../groups/registry.ts";
import type { WatchState } from "../model/watch-store.ts";
import { ITEMS_PER_PAGE } from "../plan/polls/feed-pages.ts";
import { stateOf } from "../plan/polls/full-read.ts";
import type { Poll } from "../plan/poll.ts";

const DAY_MS = 86_400_000;
/** What was seen in a shorter time says little about a day. */
const LEAST_DAYS = 0.5;

/** New items a day, by what its watches have noted since they were made; all targets of a watch alike. Undefined while that is too little. */
export const itemsPerDay = (poll: Poll, states: readonly WatchState[], nowMs: number): number | undefined =>
  groupKindOf(poll).itemsPerDay(poll, (feed) => itemsOfFeed(feed, states, nowMs));

function itemsOfFeed({ subscribers }: Poll, states: readonly WatchState[], nowMs: number): number | undefined {
  const [subscriber] = subscribers;
  if (subscriber === undefined) return undefined;
  const state = stateOf(subscriber.watch, states);
  const days = daysKnown(state, nowMs);
  if (state === undefined || days < LEAST_DAYS) return undefined;
  const own = subscribers.filter(({ watch }) => watch.id === subscriber.watch.id).length;
  const items = (state.knownItems * own) / Math.max(state.targets.length, own);
  // The first page was there before.
  return Math.max(0, items - ITEMS_PER_PAGE) / days;
}

/** Items are counted for good, those that the state has forgotten too. */
const daysKnown = (state: WatchState | undefined, nowMs: number): number => (nowMs - (state?.registeredAtMs ?? nowMs)) / DAY_MS;
