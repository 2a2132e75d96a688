/**
 * Estimates how many requests per day rechecks of fresh tweets take, before anything was counted. A
 * request contains up to a hundred tweets of all watches with the same interval. Pure.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import { groupBy } from "../model/group-by.ts";
import type { Watch } from "../model/watch.ts";
import type { Poll } from "../plan/poll.ts";
import { RECHECKED_PER_DAY } from "../plan/polls/estimate.ts";
import { exactly, middleOf, type Range, times } from "../plan/range.ts";
import { sum } from "../plan/sum.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the number of recheck requests per day, by watch id. Watches with the same interval share
 * requests, in proportion to the tweets that each is expected to recheck.
 */
export function recheckCost(polls: readonly Poll[]): ReadonlyMap<string, Range> {
  const byInterval = groupBy(followingOf(polls), ({ everyMs }) => everyMs);
  return new Map(
    [...byInterval].flatMap(([everyMs, following]) => costOfInterval(everyMs, following)),
  );
}

interface Following {
  readonly watchId: string;
  readonly everyMs: number;
  /** The number of tweets that are fresh at the same time. */
  readonly fresh: Range;
}

/**
 * The number of tweets that are expected to be fresh at the same time in a watch that names no
 * accounts.
 */
const NONE_OR_ONE: Range = { low: 0, high: 1 };

function followingOf(polls: readonly Poll[]): readonly Following[] {
  const accounts = new Map<Watch, number>();
  for (const { subscribers } of polls)
    for (const { watch, targetKey } of subscribers)
      if (watch.recheck !== undefined)
        accounts.set(watch, (accounts.get(watch) ?? 0) + (/^(?:@|id:)/.test(targetKey) ? 1 : 0));
  return [...accounts].map(([{ id, recheck }, count]) => ({
    watchId: id,
    everyMs: recheck?.everyMs ?? DAY_MS,
    fresh:
      count === 0
        ? NONE_OR_ONE
        : times(RECHECKED_PER_DAY, exactly((count * (recheck?.untilMs ?? 0)) / DAY_MS)),
  }));
}

function costOfInterval(
  everyMs: number,
  following: readonly Following[],
): readonly (readonly [watchId: string, cost: Range])[] {
  const requests = (end: keyof Range): number =>
    requestsFor(sum(following, ({ fresh }) => fresh[end]));
  const all = times(exactly(DAY_MS / everyMs), { low: requests("low"), high: requests("high") });
  const weights = following.map(({ fresh }) => Math.max(1, middleOf(fresh)));
  const total = sum(weights, (weight) => weight);
  return following.map(({ watchId }, index) => [
    watchId,
    times(all, exactly((weights[index] ?? 0) / total)),
  ]);
}

/**
 * Returns the number of requests for one recheck of all fresh tweets. A number below 1 is the
 * probability that there is a fresh tweet at all.
 */
const requestsFor = (fresh: number): number => Math.max(Math.min(1, fresh), fresh / BATCH_SIZE);
