/** What a poll costs a day. Owns the figure alone; what makes it up is the business of each kind of group. */
import type { Poll } from "./poll.ts";
import { strategyCost } from "./strategy.ts";

const DAY_MS = 86_400_000;
const NO_COST = strategyCost("single", 0, 0, 0);

export interface PollCost {
  /** How it is read: `single` is a request of its own each time. */
  readonly strategy: string;
  readonly pollsPerDay: number;
  /** Requests of late-arrival rescans, beyond the page that is read anyway. */
  readonly sweepsPerDay: number;
  /** Requests that read a long list whole, beyond the first page of each poll. */
  readonly fullReadPerDay: number;
  /** Of that list; 1 where it is short or its length is not known. */
  readonly fullReadPages: number;
  /** New items a day in a feed, where that is known. */
  readonly itemsPerDay?: number;
  readonly requestsPerDay: number;
}

/**
 * What was worked out when the group was put together, for the pace it runs at. What comes with every run changes with the pace; posts have
 * to be read at any.
 */
export function groupCost({ group, intervalMs }: Poll, rate: number): PollCost {
  const { strategy, probesPerDay, readsPerDay, sweepsPerDay } = group?.cost ?? NO_COST;
  const pace = (rate * intervalMs) / DAY_MS;
  const probes = strategy === "probe" ? probesPerDay * pace : probesPerDay;
  const reads = strategy === "probe" ? readsPerDay * Math.max(1, pace) : readsPerDay * pace;
  return { strategy, pollsPerDay: rate, sweepsPerDay, fullReadPerDay: 0, fullReadPages: 1, requestsPerDay: probes + reads + sweepsPerDay };
}
