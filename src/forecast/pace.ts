/** What polls ask for a day and what they get while the quota is short, in total and by watch. Pure. */
import type { SlowDownFactors } from "../budget/slow-down.ts";
import { lazy } from "../model/lazy.ts";
import type { Priority } from "../model/schedule.ts";
import type { CostModel } from "./cost.ts";
import type { PollCost } from "../plan/poll-cost.ts";
import type { Poll } from "../plan/poll.ts";
import { recheckCost } from "./recheck-cost.ts";
import { sharesOf } from "../plan/polls/shares.ts";

export interface PricedPoll extends PollCost {
  readonly poll: Poll;
  readonly priority: Priority;
}

/** Requests a day. */
export interface WatchPace {
  readonly askedPerDay: number;
  /** With the active slow-down factors. */
  readonly pacedPerDay: number;
}

export interface Pace extends WatchPace {
  /** The part of it that lies beyond the first pages of polls. */
  readonly pacedPagesPerDay: number;
  /** By watch id, those that ask for most first; what is shared is split among the subscribers. */
  readonly watches: ReadonlyMap<string, WatchPace>;
}

/** Rechecks of fresh tweets among them: of each watch that follows its tweets, its part. `freshOf`: see `recheckCost`. */
export const pricePolls = (polls: readonly Poll[], costs: CostModel, nowMs: number, freshOf?: FreshOf): readonly PricedPoll[] => [
  ...polls.map((poll) => ({ poll, priority: poll.priority, ...costs.costOf(poll, nowMs) })),
  ...priceRechecks(polls, freshOf),
];

type FreshOf = (watchId: string) => number | undefined;

function priceRechecks(polls: readonly Poll[], freshOf?: FreshOf): readonly PricedPoll[] {
  const following = new Map<string, Poll>();
  for (const poll of polls) {
    for (const subscriber of poll.subscribers) {
      const { watch } = subscriber;
      if (watch.recheck !== undefined && !following.has(watch.id)) following.set(watch.id, { ...poll, subscribers: [subscriber] });
    }
  }
  const watches = [...following.values()].flatMap(({ subscribers }) => subscribers.map(({ watch }) => watch));
  const { byWatch } = recheckCost(watches, freshOf);
  return [...following].map(([watchId, poll]) => {
    const requestsPerDay = byWatch.get(watchId) ?? 0;
    const priority = poll.subscribers[0]?.watch.priority ?? poll.priority;
    const rechecks = { pollsPerDay: requestsPerDay, sweepsPerDay: 0, fullReadPerDay: 0, fullReadPages: 1, requestsPerDay };
    return { poll, priority, strategy: "recheck", ...rechecks };
  });
}

/** The totals at once; the watches when somebody looks: a daemon asks for the totals every minute. */
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

function paceOfWatches(priced: readonly PricedPoll[], factors: SlowDownFactors): ReadonlyMap<string, WatchPace> {
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
