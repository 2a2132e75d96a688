/** What a poll costs a day: the one arithmetic behind `plan`, the daemon's own forecast and the governor. Pure. */
import type { Timetable } from "../schedule/timetable.ts";
import { checkPages, pagesBeyondFirst, sweepPages, USUAL_POSTS_PER_DAY } from "../plan/polls/feed-pages.ts";
import { dailyRead, isReadByEveryPoll } from "../plan/polls/full-read.ts";
import type { Poll, PollGroup } from "../plan/poll.ts";
import { pollsPerDay } from "./rhythm.ts";
import type { StrategyCost } from "../plan/strategy.ts";

const DAY_MS = 86_400_000;

export interface PollCost {
  /** How it is read: `single` is a request of its own each time. */
  readonly strategy: string;
  readonly pollsPerDay: number;
  /** Requests that look again for late items, beyond the page that is read anyway. */
  readonly sweepsPerDay: number;
  /** Requests that read a long list whole, beyond the first page of each poll. */
  readonly fullReadPerDay: number;
  /** Of that list; 1 where it is short or its length is not known. */
  readonly fullReadPages: number;
  /** New items a day in a feed, where that is known. */
  readonly itemsPerDay?: number;
  readonly requestsPerDay: number;
}

export interface CostModel {
  costOf(poll: Poll, nowMs: number): PollCost;
}

export interface CostDeps {
  readonly timetable: Timetable;
  /** Pages of a list that is read whole, by every poll or once a day; 1 where it is short or its length is not known. */
  readonly fullReadPages?: (poll: Poll) => number;
  /** New items a day in a feed; undefined where nothing was learned. */
  readonly itemsPerDay?: (poll: Poll, nowMs: number) => number | undefined;
}

/** Remembers how often uneven schedules run: thousands of polls share a few, and counting walks hundreds of ticks. */
export function createCostModel({ timetable, fullReadPages, itemsPerDay }: CostDeps): CostModel {
  const rates = new Map<string, number>();
  let day = -1;
  const rateOf = (poll: Poll, nowMs: number): number => {
    if (poll.readsPerDay !== undefined) return poll.readsPerDay;
    if (poll.schedules.length === 1) return pollsPerDay(poll.schedules, timetable, nowMs);
    if (day !== Math.floor(nowMs / DAY_MS)) rates.clear();
    day = Math.floor(nowMs / DAY_MS);
    const key = JSON.stringify(poll.schedules);
    const rate = rates.get(key) ?? pollsPerDay(poll.schedules, timetable, nowMs);
    rates.set(key, rate);
    return rate;
  };
  return { costOf: (poll, nowMs) => costAt(poll, rateOf(poll, nowMs), fullReadPages?.(poll) ?? 1, itemsPerDay?.(poll, nowMs)) };
}

/** The cost of a poll that runs so often. */
export function costAt(poll: Poll, rate: number, pages: number, itemsPerDay?: number): PollCost {
  if (poll.group !== undefined) return withSearchPages(poll, poll.group, groupCost(poll, poll.group.cost, rate), itemsPerDay);
  const sweepsPerDay = sweepRequests(poll, rate, itemsPerDay);
  const fullReadPages = Math.max(1, pages);
  const fullReadPerDay = fullReadRequests(poll, rate, fullReadPages);
  return {
    strategy: "single",
    pollsPerDay: rate,
    sweepsPerDay,
    fullReadPerDay,
    fullReadPages,
    ...(itemsPerDay === undefined ? {} : { itemsPerDay }),
    requestsPerDay: rate * poll.costRequests + newsPages(poll, rate, itemsPerDay) + sweepsPerDay + fullReadPerDay + listChecks(poll),
  };
}

/** Once a day is asked whether a list holds those who are read through it. */
function listChecks({ source, subscribers }: Poll): number {
  if (source.endpoint !== "list-tweets") return 0;
  return checkPages(new Set(subscribers.flatMap(({ author }) => author ?? [])).size);
}

/**
 * Accounts that are read together: what was worked out when they were put together, for the pace they run at. What comes with every run
 * changes with the pace; posts have to be read at any.
 */
function groupCost(poll: Poll, { strategy, probesPerDay, readsPerDay, sweepsPerDay }: StrategyCost, rate: number): PollCost {
  const pace = (rate * poll.intervalMs) / DAY_MS;
  const probes = strategy === "probe" ? probesPerDay * pace : probesPerDay;
  const reads = strategy === "probe" ? readsPerDay * Math.max(1, pace) : readsPerDay * pace;
  return { strategy, pollsPerDay: rate, sweepsPerDay, fullReadPerDay: 0, fullReadPages: 1, requestsPerDay: probes + reads + sweepsPerDay };
}

/** Searches that share queries: what each query finds takes pages beyond the first, and so do its sweeps, and the proofs of its members. */
function withSearchPages(poll: Poll, { kind, members, cost }: PollGroup, base: PollCost, itemsPerDay: number | undefined): PollCost {
  const queries = (cost.readsPerDay * poll.intervalMs) / DAY_MS;
  if (kind !== "searches" || itemsPerDay === undefined || queries === 0) return base;
  const news = queries * newsPages(poll, base.pollsPerDay, itemsPerDay / queries);
  const sweeps = queries * sweepRequests(poll, base.pollsPerDay, itemsPerDay / queries);
  // As deep as the last proof of the same member.
  const proofDays = cost.sweepsPerDay === 0 ? 0 : members.length / cost.sweepsPerDay + poll.overlapMs / DAY_MS;
  const proofs = cost.sweepsPerDay * pagesBeyondFirst((itemsPerDay / members.length) * proofDays);
  const sweepsPerDay = base.sweepsPerDay + sweeps + proofs;
  return { ...base, itemsPerDay, sweepsPerDay, requestsPerDay: base.requestsPerDay + news + sweeps + proofs };
}

/** A list whose leaving is told is read on by every poll, at most `max_pages` of it; any other one is read whole once a day. */
function fullReadRequests(poll: Poll, rate: number, pages: number): number {
  if (!isReadByEveryPoll(poll)) return dailyRead(poll, rate, pages);
  const pollsOfOneRead = Math.ceil(pages / poll.maxPages);
  return rate * (pages / pollsOfOneRead - 1);
}

/** Pages beyond the first that are full of news. */
const newsPages = (poll: Poll, rate: number, itemsPerDay: number | undefined): number =>
  poll.detector !== "feed" || rate === 0 || itemsPerDay === undefined ? 0 : rate * pagesBeyondFirst(itemsPerDay / rate);

/**
 * Once per `overlap` a feed is read down to the `overlap` before the last such sweep: pages beyond the first, where so much was posted since.
 * Of a list that nobody knows, one page; a search answers a sweep in the poll's own request, as it is bounded by time.
 */
function sweepRequests(poll: Poll, rate: number, itemsPerDay: number | undefined): number {
  if (poll.detector !== "feed" || rate === 0) return 0;
  const meanGapMs = DAY_MS / rate;
  if (poll.overlapMs <= meanGapMs) return 0;
  const everyMs = Math.ceil(poll.overlapMs / meanGapMs) * meanGapMs;
  const items = itemsPerDay ?? usualItemsPerDay(poll);
  const pages = items === undefined ? (poll.source.boundParam === undefined ? 1 : 0) : sweepPages(items, everyMs, poll.overlapMs);
  const known = itemsPerDay === undefined ? 0 : pagesBeyondFirst(itemsPerDay / rate);
  return (DAY_MS / everyMs) * Math.max(0, pages - known);
}

/** An account posts a few times a day: a page of its timeline reaches far back. */
const usualItemsPerDay = ({ source }: Poll): number | undefined => (source.endpoint === "user-tweets" ? USUAL_POSTS_PER_DAY : undefined);
