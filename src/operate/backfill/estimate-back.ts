/**
 * Estimates from the items that a watch has found so far how many requests it takes to read the
 * watch back to a time. Makes no requests.
 */
import { BACKFILL_KEPT_MS, type BackfillStore } from "../../model/backfill.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { ITEMS_PER_PAGE } from "../../plan/polls/feed-pages.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { isReadBack } from "./read-back.ts";

export interface BackEstimate {
  /**
   * The number of sources that must still be read (`unread`), and of those that were read and paid
   * for within the last day (`paid`).
   */
  readonly unread: number;
  readonly paid: number;
  /**
   * The number of items per day of the whole watch; undefined if the watch is too young for an
   * estimate.
   */
  readonly itemsPerDay: number | undefined;
  /** The requests that the unread sources take; undefined if `itemsPerDay` is undefined. */
  readonly requests: number | undefined;
}

const DAY_MS = 86_400_000;
/**
 * The minimum age of a watch for an estimate. A younger watch has found little more than its first
 * page.
 */
const MIN_AGE_MS = 3_600_000;

export async function estimateBack(
  store: Pick<BackfillStore, "loadBackfill">,
  polls: readonly Poll[],
  {
    state,
    sinceMs,
    nowMs,
  }: { readonly state: WatchState; readonly sinceMs: number; readonly nowMs: number },
): Promise<BackEstimate> {
  const reads = await Promise.all(
    polls.map(async (poll) => ({
      poll,
      read: await store.loadBackfill(poll.key, nowMs - BACKFILL_KEPT_MS),
    })),
  );
  const open = reads.filter(({ poll, read }) => !isReadBack(read, { ...poll, sinceMs }));
  const itemsPerDay = itemsPerDayOf(state, nowMs);
  const perSource = itemsPerDay === undefined ? undefined : itemsPerDay / Math.max(polls.length, 1);
  const requests =
    perSource === undefined
      ? undefined
      : open.reduce((sum, { read }) => {
          const untilMs = Math.min(read?.reachedMs ?? nowMs, nowMs);
          return (
            sum +
            1 +
            Math.floor((perSource * Math.max(0, untilMs - sinceMs)) / DAY_MS / ITEMS_PER_PAGE)
          );
        }, 0);
  return {
    unread: open.length,
    paid: polls.length - open.length,
    itemsPerDay,
    requests: open.length === 0 ? 0 : requests,
  };
}

/**
 * Returns how many items the watch finds per day. The items on the first page of each target are
 * from before the watch began, so they do not count.
 */
function itemsPerDayOf(
  { knownItems, targets, registeredAtMs }: WatchState,
  nowMs: number,
): number | undefined {
  const ageMs = nowMs - registeredAtMs;
  return ageMs < MIN_AGE_MS
    ? undefined
    : (Math.max(0, knownItems - targets.length * ITEMS_PER_PAGE) * DAY_MS) / ageMs;
}
