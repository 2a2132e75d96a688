/** How much polls read, by what the state knows: figures by poll key and watch id, instead of the state of ten thousand watches. */
import type { WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { itemsPerDay } from "../../forecast/feed-volume.ts";
import { freshTweets } from "../../forecast/fresh-tweets.ts";
import { fullReadPages } from "../../plan/polls/full-read.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface Volumes {
  readonly readAtMs: number;
  /** Of a list that is read whole, where it is more than one; by poll key. */
  readonly pages: ReadonlyMap<string, number>;
  /** New items a day, by poll key. */
  readonly items: ReadonlyMap<string, number>;
  /** Tweets that are rechecked at the same time, by watch id. */
  readonly fresh: ReadonlyMap<string, number>;
}

export const NO_VOLUMES: Volumes = { readAtMs: Number.NEGATIVE_INFINITY, pages: new Map(), items: new Map(), fresh: new Map() };

export function volumesOf(polls: readonly Poll[], states: readonly WatchState[], nowMs: number): Volumes {
  const byId = new Map(states.map((state) => [state.id, state]));
  const statesOf = ({ id, movedFrom }: Watch): readonly WatchState[] => [byId.get(id) ?? byId.get(movedFrom ?? "") ?? []].flat();
  const pages = new Map<string, number>();
  const items = new Map<string, number>();
  const fresh = new Map<string, number>();
  for (const poll of polls) {
    const [first] = poll.subscribers;
    if (first === undefined) continue;
    const known = statesOf(first.watch);
    const [pageCount, itemCount] = [fullReadPages(poll, known), itemsPerDay(poll, known, nowMs)];
    if (pageCount > 1) pages.set(poll.key, pageCount);
    if (itemCount !== undefined) items.set(poll.key, itemCount);
    for (const { watch } of poll.subscribers) {
      const tweets = watch.recheck === undefined ? undefined : freshTweets(watch, statesOf(watch), nowMs, poll.intervalMs);
      if (tweets !== undefined) fresh.set(watch.id, tweets);
    }
  }
  return { readAtMs: nowMs, pages, items, fresh };
}
