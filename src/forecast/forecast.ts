/**
 * What a plan will cost and how late it will be: requests by day and month, in total and by watch, and the expected delay.
 * Pure arithmetic over polls; what the month allows is the caller's.
 */
import type { Delay } from "../plan/delay-aims.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";
import type { Schedule } from "../model/schedule.ts";
import { groupKindOf } from "../groups/registry.ts";
import { type CostDeps, createCostModel } from "./cost.ts";
import type { PollCost } from "../plan/poll-cost.ts";
import type { Poll } from "../plan/poll.ts";
import { NO_RECHECKS, type RecheckCost } from "./recheck-cost.ts";
import { nextRuns } from "./next-runs.ts";
import { readRhythm, type Rhythm } from "./rhythm.ts";
import { sharesOf } from "../plan/polls/shares.ts";
import { sum } from "../plan/sum.ts";
import { schedulesOf } from "../plan/timing.ts";

/** The service bills by the month; 30 days make forecasts of two months comparable. */
export const MONTH_DAYS = 30;
const NEXT_RUNS = 5;

export interface PollForecast extends PollCost {
  readonly poll: Poll;
  /** From an item's appearance to the poll that finds it. */
  readonly delay: Delay;
  readonly nextRunsMs: readonly number[];
}

/** A watch's part: requests of a shared poll are split among its subscribers, so that parts add up to the total. */
export interface WatchForecast {
  readonly watchId: string;
  /** How its polls are read, each way once. */
  readonly strategies: readonly string[];
  readonly polls: number;
  readonly requestsPerDay: number;
  readonly requestsPerMonth: number;
  readonly sweepsPerDay: number;
  /** Rechecks of fresh tweets. */
  readonly rechecksPerDay: number;
  /** Other watches whose requests it shares, the first few; how many there are. */
  readonly sharedWith: readonly string[];
  readonly sharers: number;
  /** Of its slowest poll. */
  readonly delay: Delay;
  readonly nextRunsMs: readonly number[];
}

export interface Forecast {
  readonly polls: readonly PollForecast[];
  readonly watches: ReadonlyMap<string, WatchForecast>;
  readonly pollsPerDay: number;
  readonly sweepsPerDay: number;
  readonly rechecks: RecheckCost;
  readonly requestsPerDay: number;
  readonly requestsPerMonth: number;
}

export interface ForecastDeps extends CostDeps {
  /** Rechecks of fresh tweets; none unless said. */
  readonly rechecks?: RecheckCost;
  readonly nowMs: number;
  /** When a poll ran last, by its key; undefined of one that never did. */
  readonly lastPolledMs?: (key: string) => number | undefined;
}

/** @example createForecast(planPolls(watches, deps), { timetable, nowMs }).requestsPerMonth */
export function createForecast(polls: readonly Poll[], deps: ForecastDeps): Forecast {
  const rhythms = new Map<string, Rhythm>();
  const rhythmOf = (schedules: readonly Schedule[]): Rhythm => {
    const key = JSON.stringify(schedules);
    const known = rhythms.get(key) ?? readRhythm(schedules, deps.timetable, deps.nowMs, NEXT_RUNS);
    rhythms.set(key, known);
    return known;
  };
  const costs = createCostModel(deps);
  const { timetable, nowMs } = deps;
  return forecastOf(
    polls.map((poll) => {
      const { gapsMs, ticksMs } = rhythmOf(schedulesOf(poll.timing));
      const placed = poll.timing.kind === "schedule" ? undefined : groupKindOf(poll).placed(poll, poll.timing);
      const lastPolledMs = deps.lastPolledMs?.(poll.key);
      const nextRunsMs = nextRuns(poll, { timetable, nowMs, ticksMs: ticksMs.slice(0, NEXT_RUNS), lastPolledMs, placed });
      return { poll, ...costs.costOf(poll, deps.nowMs), delay: placed?.delay ?? delayOf(gapsMs), nextRunsMs };
    }),
    deps.rechecks ?? NO_RECHECKS,
  );
}

/** The sums of polls that were forecast one by one. */
export function forecastOf(polls: readonly PollForecast[], rechecks: RecheckCost): Forecast {
  const requestsPerDay = sum(polls, (one) => one.requestsPerDay) + rechecks.requestsPerDay;
  return {
    polls,
    watches: byWatch(polls, rechecks),
    pollsPerDay: sum(polls, (one) => one.pollsPerDay),
    sweepsPerDay: sum(polls, (one) => one.sweepsPerDay),
    rechecks,
    requestsPerDay,
    requestsPerMonth: requestsPerDay * MONTH_DAYS,
  };
}

/** For an item that appears at any moment with equal chance: the longer a gap, the more items fall into it. */
export function delayOf(gapsMs: readonly number[]): Delay {
  const sorted = [...gapsMs].sort((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
}

/** Solves sum(min(gap, delay)) = share × sum(gaps) for the delay; gaps ascending. */
function quantile(sorted: readonly number[], share: number): number {
  let rest = share * sum(sorted, (gap) => gap);
  for (const [index, gap] of sorted.entries()) {
    const delay = rest / (sorted.length - index);
    if (delay <= gap) return delay;
    rest -= gap;
  }
  return sorted.at(-1) ?? 0;
}

function byWatch(polls: readonly PollForecast[], rechecks: RecheckCost): ReadonlyMap<string, WatchForecast> {
  const parts = new Map<string, Part[]>();
  for (const own of polls) {
    const shares = sharesOf(own.poll);
    const sharers = [...shares.keys()];
    for (const [id, share] of shares) {
      const part = { own, sharers, share };
      const known = parts.get(id);
      if (known === undefined) parts.set(id, [part]);
      else known.push(part);
    }
  }
  return new Map([...parts].map(([watchId, own]) => [watchId, joinParts(watchId, own, rechecks.byWatch.get(watchId) ?? 0)]));
}

/** A watch's part in a poll. */
interface Part {
  readonly own: PollForecast;
  readonly sharers: readonly string[];
  readonly share: number;
}

function joinParts(watchId: string, parts: readonly Part[], rechecksPerDay: number): WatchForecast {
  const requestsPerDay = sum(parts, ({ own, share }) => own.requestsPerDay * share) + rechecksPerDay;
  return {
    watchId,
    strategies: [...new Set(parts.map(({ own }) => own.strategy))],
    polls: parts.length,
    requestsPerDay,
    requestsPerMonth: requestsPerDay * MONTH_DAYS,
    sweepsPerDay: sum(parts, ({ own, share }) => own.sweepsPerDay * share),
    rechecksPerDay,
    ...subscribersOf(watchId, parts),
    delay: slowest(parts.map(({ own }) => own.delay)),
    nextRunsMs: [...new Set(parts.flatMap(({ own }) => own.nextRunsMs))].sort((a, b) => a - b).slice(0, NEXT_RUNS),
  };
}

/** Ten thousand watches can share one poll: each naming all others would be a hundred million names. */
const MOST_NAMED = 20;

function subscribersOf(watchId: string, parts: readonly Part[]): Pick<WatchForecast, "sharedWith" | "sharers"> {
  const [first, ...others] = parts.map(({ sharers }) => sharers);
  const all = others.length === 0 ? (first ?? []) : [...new Set(parts.flatMap(({ sharers }) => sharers))];
  const sharedWith = all.slice(0, MOST_NAMED + 1).filter((id) => id !== watchId);
  return { sharedWith: sharedWith.slice(0, MOST_NAMED), sharers: all.length - 1 };
}

const slowest = (delays: readonly Delay[]): Delay => ({
  p50Ms: Math.max(...delays.map(({ p50Ms }) => p50Ms)),
  p95Ms: Math.max(...delays.map(({ p95Ms }) => p95Ms)),
});

/** Of the slowest of these watches, by their ids. */
export const slowestDelay = ({ watches }: Forecast, ids: readonly string[]): Delay =>
  slowest([NO_DELAY, ...ids.map((id) => watches.get(id)?.delay ?? NO_DELAY)]);

const NO_DELAY: Delay = { p50Ms: 0, p95Ms: 0 };

/** Watch ids, those that cost most first. */
export const mostExpensive = (forecast: Forecast): readonly string[] =>
  [...forecast.watches.values()].sort((a, b) => b.requestsPerDay - a.requestsPerDay).map(({ watchId }) => watchId);

/** Targets as the state knows them, else as the file names them: a handle without an id yet is one account of its own, hence one poll. */
export function assumeTargets(
  watchKey: string,
  named: readonly TargetRegistration[],
  known: readonly TargetState[],
): readonly TargetState[] {
  return named.map((target) => {
    const state = known.find(({ key }) => key === target.key);
    const userId = state?.userId ?? target.userId ?? (target.key.startsWith("@") ? `unresolved:${target.key}` : null);
    const username = state?.username ?? target.key.replace(/^(?:@|id:)/, "");
    return { ...(state ?? blankTarget(watchKey, target)), userId, username };
  });
}

const blankTarget = (watchKey: string, { key, name }: TargetRegistration): TargetState => ({
  watchKey,
  key,
  name,
  userId: null,
  username: null,
  registeredAtMs: 0,
  baselineAtMs: null,
  memory: {},
  revision: 0,
  status: "pending",
  statusReason: "",
});

/** Whether `assumeTargets` made this id up. */
export const isAssumed = (target: TargetState): boolean => target.userId?.startsWith("unresolved:") === true;
