/** How much is posted in a feed, by what the state knows of the watch that reads it; what of it is fresh is fresh-tweets.ts's. Pure. */
import type { WatchState } from "../model/watch-store.ts";
import { ITEMS_PER_PAGE } from "../plan/polls/feed-pages.ts";
import { stateOf } from "../plan/polls/full-read.ts";
import type { Poll } from "../plan/poll.ts";

const DAY_MS = 86_400_000;
/** What was seen in a shorter time says little about a day. */
const LEAST_DAYS = 0.5;
/** New items a day, by what the watch has noted since it was made; all of its targets alike. Undefined while that is too little. */
export function itemsPerDay(poll: Poll, states: readonly WatchState[], nowMs: number): number | undefined {
  const [subscriber] = poll.subscribers;
  if (poll.group?.kind === "searches") return sumOfAll(poll.group.members.map((member) => itemsPerDay(member, states, nowMs)));
  if (poll.detector !== "feed" || poll.group !== undefined || subscriber === undefined) return undefined;
  const state = stateOf(subscriber.watch, states);
  const days = daysKnown(state, nowMs);
  if (state === undefined || days < LEAST_DAYS) return undefined;
  const own = poll.subscribers.filter(({ watch }) => watch.id === subscriber.watch.id).length;
  const items = (state.knownItems * own) / Math.max(state.targets.length, own);
  // The first page was there before.
  return Math.max(0, items - ITEMS_PER_PAGE) / days;
}

const sumOfAll = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.reduce((total, count) => (total === undefined || count === undefined ? undefined : total + count), 0);

/** Items are counted for good, those that the state has forgotten too. */
const daysKnown = (state: WatchState | undefined, nowMs: number): number => (nowMs - (state?.registeredAtMs ?? nowMs)) / DAY_MS;
