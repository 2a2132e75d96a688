/**
 * Computes how many requests per day polls make at full pace and at the slowed-down pace while the
 * quota is short, in total and by watch. Pure.
 */
import type { SlowDownFactors } from "../budget/slow-down.ts";
import { lazy } from "../model/lazy.ts";
import type { Priority } from "../model/schedule.ts";
import type { CostModel } from "./cost.ts";
import type { Poll } from "../plan/poll.ts";
import { middleOf } from "../plan/range.ts";
import { recheckCost } from "./recheck-cost.ts";
import { schedulesOf } from "../plan/timing.ts";
import type { Timetable } from "../schedule/timetable.ts";
import { ticksBetween } from "./rhythm.ts";
import { eachShare, sharesOf } from "../plan/polls/shares.ts";

const DAY_MS = 86_400_000;

export interface PricedPoll {
  readonly poll: Poll;
  readonly priority: Priority;
  readonly pollsPerDay: number;
  readonly requestsPerDay: number;
}

/**
 * How many requests per day a watch makes: `askedPerDay` without slow-down, `pacedPerDay` with it.
 */
export interface WatchPace {
  readonly askedPerDay: number;
  /**
   * The requests per day with slow-down: the requests of each poll, divided by the slow-down factor
   * of the poll's priority, summed up.
   */
  readonly pacedPerDay: number;
}

export interface Pace extends WatchPace {
  /** The part of `pacedPerDay` that is not the first page of a poll. */
  readonly pacedPagesPerDay: number;
  /**
   * The watches by id, the one with the most requests first. The requests of a shared poll are
   * split among its subscribers.
   */
  readonly watches: ReadonlyMap<string, WatchPace>;
}

/**
 * Returns the expected cost of each poll and, by watch, of the rechecks of fresh tweets. `ratioOf`
 * returns the counted requests of a watch divided by its estimate; undefined until a day has been
 * counted.
 */
export const pricePolls = (
  polls: readonly Poll[],
  costs: CostModel,
  nowMs: number,
  ratioOf: RatioOf = () => undefined,
): readonly PricedPoll[] => [
  ...polls.map((poll) => {
    const cost = costs.costOf(poll, nowMs);
    return {
      poll,
      priority: poll.priority,
      pollsPerDay: cost.pollsPerDay,
      requestsPerDay: middleOf(cost.range) * scaleOf(poll, ratioOf),
    };
  }),
  ...priceRechecks(polls, ratioOf),
];

type RatioOf = (watchId: string) => number | undefined;

/**
 * Returns the factor by which a poll's estimate is scaled: the mean of its watches' ratios,
 * weighted by their shares.
 */
function scaleOf(poll: Poll, ratioOf: RatioOf): number {
  let scale = 0;
  eachShare(poll, (watchId, share) => {
    scale += share * (ratioOf(watchId) ?? 1);
  });
  return scale;
}

function priceRechecks(polls: readonly Poll[], ratioOf: RatioOf): readonly PricedPoll[] {
  const rechecks = recheckCost(polls);
  const following = new Map<string, PricedPoll>();
  for (const poll of polls) {
    for (const subscriber of poll.subscribers) {
      const { id, priority } = subscriber.watch;
      const cost = rechecks.get(id);
      if (cost === undefined || following.has(id)) continue;
      const own = { ...poll, subscribers: [subscriber] };
      const requestsPerDay = middleOf(cost) * (ratioOf(id) ?? 1);
      following.set(id, { poll: own, priority, pollsPerDay: requestsPerDay, requestsPerDay });
    }
  }
  return [...following.values()];
}

/**
 * Returns a function that says how many average days' worth of a poll's runs were due since
 * `sinceMs`: 0.5 if half of an average day's runs were due. The answer is the elapsed time in days,
 * except for a poll with a cron pattern while at most a day has passed. Then its ticks are counted,
 * because all ticks of a day may fall into a few hours.
 */
export function daysSince(
  timetable: Timetable,
  sinceMs: number,
  nowMs: number,
): (priced: Pick<PricedPoll, "poll" | "pollsPerDay">) => number {
  const passedDays = (nowMs - sinceMs) / DAY_MS;
  const known = new Map<string, number>();
  return ({ poll, pollsPerDay }) => {
    const schedules = schedulesOf(poll.timing);
    if (passedDays > 1 || schedules.every(({ kind }) => kind === "every")) return passedDays;
    const key = JSON.stringify(schedules);
    const ticks = known.get(key) ?? ticksBetween(schedules, timetable, sinceMs, nowMs);
    known.set(key, ticks);
    return pollsPerDay === 0 ? 0 : ticks / pollsPerDay;
  };
}

/**
 * Computes the pace of a plan. The totals are computed now, but the watches only when `watches` is
 * read, because the daemon needs the totals every minute and the watches seldom.
 */
export function planPace(priced: readonly PricedPoll[], factors: SlowDownFactors): Pace {
  const total = { askedPerDay: 0, pacedPerDay: 0, pacedPagesPerDay: 0 };
  for (const { priority, requestsPerDay, pollsPerDay } of priced) {
    const factor = factors[priority];
    total.askedPerDay += requestsPerDay;
    total.pacedPerDay += requestsPerDay / factor;
    total.pacedPagesPerDay += Math.max(0, requestsPerDay - pollsPerDay) / factor;
  }
  const watches = lazy(() => paceOfWatches(priced, factors));
  return {
    ...total,
    get watches() {
      return watches();
    },
  };
}

function paceOfWatches(
  priced: readonly PricedPoll[],
  factors: SlowDownFactors,
): ReadonlyMap<string, WatchPace> {
  const watches = new Map<string, { askedPerDay: number; pacedPerDay: number }>();
  for (const { poll, priority, requestsPerDay } of priced) {
    for (const [watchId, share] of sharesOf(poll)) {
      const own = watches.get(watchId) ?? { askedPerDay: 0, pacedPerDay: 0 };
      own.askedPerDay += share * requestsPerDay;
      own.pacedPerDay += (share * requestsPerDay) / factors[priority];
      watches.set(watchId, own);
    }
  }
  return new Map([...watches].sort(([, a], [, b]) => b.askedPerDay - a.askedPerDay));
}
