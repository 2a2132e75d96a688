/**
 * Predicts the requests per day and month of a plan, in total and by watch, and the expected delay
 * of its alerts. The requests of a watch are a range until one of its days has been counted; from
 * then on they are the middle of the range, scaled by the counted ratio. Pure.
 */
import { groupBy } from "../model/group-by.ts";
import type { Delay } from "../plan/delay-aims.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";
import type { Schedule } from "../model/schedule.ts";
import { groupKindOf } from "../groups/registry.ts";
import { type CostDeps, createCostModel } from "./cost.ts";
import type { Assumption, PollCost } from "../plan/poll-cost.ts";
import type { Poll } from "../plan/poll.ts";
import { exactly, middleOf, plus, type Range, times } from "../plan/range.ts";
import { recheckCost } from "./recheck-cost.ts";
import { nextRuns } from "./next-runs.ts";
import { readRhythm, type Rhythm } from "./rhythm.ts";
import { sharesOf } from "../plan/polls/shares.ts";
import { sum } from "../plan/sum.ts";
import { schedulesOf } from "../plan/timing.ts";

/**
 * The days of a forecast's month. The service bills by the month, and 30 days make the forecasts of
 * two months comparable.
 */
export const MONTH_DAYS = 30;
const NEXT_RUNS = 5;

/**
 * The forecast of one poll. Its figures are estimates, because requests are counted only by watch.
 */
export interface PollForecast extends PollCost {
  readonly poll: Poll;
  /** The time between an item's appearance and the poll that finds it. */
  readonly delay: Delay;
  readonly nextRunsMs: readonly number[];
}

interface Requests {
  readonly requestsPerDay: number;
  readonly requestsPerMonth: number;
  /** The requests per month. `low` and `high` are equal if nothing is uncertain. */
  readonly range: Range;
}

/**
 * The basis of a watch's forecast.
 * - `schedule`: its schedules alone.
 * - `counted`: the requests that were counted on earlier days.
 * - `assumed`: the assumptions in `assumptions`.
 */
export type Basis = "schedule" | "counted" | "assumed";

/**
 * The forecast of one watch. The requests of a shared poll are split among its subscribers, so that
 * the watches add up to the total.
 */
export interface WatchForecast extends Requests {
  readonly watchId: string;
  /** The strategies of its polls, each listed once. */
  readonly strategies: readonly string[];
  readonly basis: Basis;
  readonly assumptions: readonly (Assumption | "rechecks")[];
  /** The number of polls in which it takes part. */
  readonly polls: number;
  /** The number of requests per day for late-arrival rescans and full polls. */
  readonly sweepsPerDay: number;
  /** The number of requests per day for rechecks of fresh tweets. */
  readonly rechecksPerDay: number;
  /** The ids of other watches that share its requests, at most `MAX_NAMED`. */
  readonly sharedWith: readonly string[];
  /** The number of other watches that share its requests. */
  readonly sharers: number;
  /** The delay of its slowest poll. */
  readonly delay: Delay;
  readonly nextRunsMs: readonly number[];
}

export interface Forecast extends Requests {
  readonly polls: readonly PollForecast[];
  readonly watches: ReadonlyMap<string, WatchForecast>;
  readonly pollsPerDay: number;
  readonly sweepsPerDay: number;
  readonly rechecksPerDay: number;
}

export interface ForecastDeps extends CostDeps {
  readonly nowMs: number;
  /** Returns when the poll with this key last ran, in epoch ms; undefined if it never did. */
  readonly lastPolledMs?: (key: string) => number | undefined;
  /**
   * Returns the counted requests of a watch relative to the middle of its range; undefined until
   * one of its days has been counted.
   */
  readonly ratioOf?: ((watchId: string) => number | undefined) | undefined;
}

/**
 * Computes the forecast of a plan.
 * @example createForecast(planPolls(watches, deps), { timetable, nowMs }).requestsPerMonth
 */
export function createForecast(polls: readonly Poll[], deps: ForecastDeps): Forecast {
  const rhythms = new Map<string, Rhythm>();
  const rhythmOf = (schedules: readonly Schedule[]): Rhythm => {
    const key = JSON.stringify(schedules);
    const known = rhythms.get(key) ?? readRhythm(schedules, deps.timetable, deps.nowMs, NEXT_RUNS);
    rhythms.set(key, known);
    return known;
  };
  const costs = createCostModel(deps);
  const { timetable, nowMs, ratioOf = () => undefined } = deps;
  const forecasts = polls.map((poll) => {
    const { gapsMs, ticksMs } = rhythmOf(schedulesOf(poll.timing));
    const placed =
      poll.timing.kind === "schedule" ? undefined : groupKindOf(poll).placed(poll, poll.timing);
    const lastPolledMs = deps.lastPolledMs?.(poll.key);
    const nextRunsMs = nextRuns(poll, {
      timetable,
      nowMs,
      ticksMs: ticksMs.slice(0, NEXT_RUNS),
      lastPolledMs,
      placed,
    });
    return {
      poll,
      ...costs.costOf(poll, deps.nowMs),
      delay: placed?.delay ?? delayOf(gapsMs),
      nextRunsMs,
    };
  });
  const watches = byWatch(forecasts, ratioOf);
  const all = [...watches.values()];
  return {
    polls: forecasts,
    watches,
    pollsPerDay: sum(forecasts, (one) => one.pollsPerDay),
    sweepsPerDay: sum(all, (one) => one.sweepsPerDay),
    rechecksPerDay: sum(all, (one) => one.rechecksPerDay),
    requestsPerDay: sum(all, (one) => one.requestsPerDay),
    requestsPerMonth: sum(all, (one) => one.requestsPerMonth),
    range: all.reduce((total, one) => plus(total, one.range), exactly(0)),
  };
}

/**
 * Returns how long an item that appears at a random moment waits for the next poll. Longer gaps
 * between polls count more, because more items appear in them.
 */
export function delayOf(gapsMs: readonly number[]): Delay {
  const sorted = [...gapsMs].sort((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
}

/**
 * Returns the delay that this share of items does not exceed. It solves sum(min(gap, delay)) =
 * share × sum(gaps). The gaps are in ascending order.
 */
function quantile(sorted: readonly number[], share: number): number {
  let rest = share * sum(sorted, (gap) => gap);
  for (const [index, gap] of sorted.entries()) {
    const delay = rest / (sorted.length - index);
    if (delay <= gap) return delay;
    rest -= gap;
  }
  return sorted.at(-1) ?? 0;
}

function byWatch(
  polls: readonly PollForecast[],
  ratioOf: (watchId: string) => number | undefined,
): Forecast["watches"] {
  const parts = groupBy(polls.flatMap(partsOf), ({ watchId }) => watchId);
  const rechecks = recheckCost(polls.map(({ poll }) => poll));
  return new Map(
    [...parts].map(([id, own]) => [id, joinParts(id, own, rechecks.get(id), ratioOf(id))]),
  );
}

/** The part of a poll that belongs to one watch. */
interface Part {
  readonly watchId: string;
  readonly own: PollForecast;
  readonly sharers: readonly string[];
  readonly share: number;
}

function partsOf(own: PollForecast): readonly Part[] {
  const shares = sharesOf(own.poll);
  const sharers = [...shares.keys()];
  return [...shares].map(([watchId, share]) => ({ watchId, own, sharers, share }));
}

function joinParts(
  watchId: string,
  parts: readonly Part[],
  rechecks: Range | undefined,
  ratio: number | undefined,
): WatchForecast {
  const polled = parts.reduce(
    (total, { own, share }) => plus(total, times(own.range, exactly(share))),
    exactly(0),
  );
  const estimated = plus(polled, rechecks ?? exactly(0));
  const range = ratio === undefined ? estimated : exactly(middleOf(estimated) * ratio);
  const assumptions = new Set([
    ...parts.flatMap(({ own }) => own.assumptions),
    ...(rechecks === undefined ? [] : ["rechecks" as const]),
  ]);
  return {
    watchId,
    strategies: [...new Set(parts.map(({ own }) => own.strategy))],
    basis: ratio !== undefined ? "counted" : assumptions.size > 0 ? "assumed" : "schedule",
    assumptions: ratio === undefined ? [...assumptions] : [],
    polls: parts.length,
    requestsPerDay: middleOf(range),
    requestsPerMonth: middleOf(range) * MONTH_DAYS,
    range: times(range, exactly(MONTH_DAYS)),
    sweepsPerDay: sum(parts, ({ own, share }) => own.sweepsPerDay * share),
    rechecksPerDay: rechecks === undefined ? 0 : middleOf(rechecks),
    ...subscribersOf(watchId, parts),
    delay: slowest(parts.map(({ own }) => own.delay)),
    nextRunsMs: [...new Set(parts.flatMap(({ own }) => own.nextRunsMs))]
      .sort((a, b) => a - b)
      .slice(0, NEXT_RUNS),
  };
}

/**
 * The maximum number of watches in `sharedWith`. Ten thousand watches can share one poll, and if
 * each listed all others, there would be a hundred million ids.
 */
const MAX_NAMED = 20;

function subscribersOf(
  watchId: string,
  parts: readonly Part[],
): Pick<WatchForecast, "sharedWith" | "sharers"> {
  const [first, ...others] = parts.map(({ sharers }) => sharers);
  const all =
    others.length === 0 ? (first ?? []) : [...new Set(parts.flatMap(({ sharers }) => sharers))];
  const sharedWith = all.slice(0, MAX_NAMED + 1).filter((id) => id !== watchId);
  return { sharedWith: sharedWith.slice(0, MAX_NAMED), sharers: all.length - 1 };
}

const slowest = (delays: readonly Delay[]): Delay => ({
  p50Ms: Math.max(...delays.map(({ p50Ms }) => p50Ms)),
  p95Ms: Math.max(...delays.map(({ p95Ms }) => p95Ms)),
});

/** Returns the delay of the slowest of the watches with these ids. */
export const slowestDelay = ({ watches }: Forecast, ids: readonly string[]): Delay =>
  slowest([NO_DELAY, ...ids.map((id) => watches.get(id)?.delay ?? NO_DELAY)]);

const NO_DELAY: Delay = { p50Ms: 0, p95Ms: 0 };

/** Returns the ids of all watches, the most expensive first. */
export const mostExpensive = (forecast: Forecast): readonly string[] =>
  [...forecast.watches.values()]
    .sort((a, b) => b.requestsPerDay - a.requestsPerDay)
    .map(({ watchId }) => watchId);

/**
 * Returns the targets of a watch from the state or, if it has none there, from the configuration. A
 * handle without a known id counts as a separate account, and so gets a poll of its own.
 */
export function assumeTargets(
  watchKey: string,
  named: readonly TargetRegistration[],
  known: readonly TargetState[],
): readonly TargetState[] {
  return named.map((target) => {
    const state = known.find(({ key }) => key === target.key);
    const userId =
      state?.userId ??
      target.userId ??
      (target.key.startsWith("@") ? `unresolved:${target.key}` : null);
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

/** Whether `assumeTargets` invented the target's id. */
export const isAssumed = (target: TargetState): boolean =>
  target.userId?.startsWith("unresolved:") === true;
