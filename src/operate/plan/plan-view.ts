/**
 * The plan for people and programs: which requests every watch takes, what they cost compared with
 * the quota, and how late alerts will be.
 */
import { spendingLimit } from "../../budget/spending-limit.ts";
import type { SlowDownFactors } from "../../budget/slow-down.ts";
import type { Config } from "../../config/config.ts";
import { formatIssue } from "../../config/report.ts";
import { isoTime } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { Timing } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import {
  createForecast,
  mostExpensive,
  type Forecast,
  isAssumed,
  MONTH_DAYS,
  type WatchForecast,
} from "../../forecast/forecast.ts";
import { fullReadPages, knownPages } from "../../plan/polls/full-read.ts";
import { firstRequests } from "../../forecast/first-reads.ts";
import type { Subscriber } from "../../plan/poll.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { narrowed, type Range } from "../../plan/range.ts";
import { scheduleOf } from "../../plan/timing.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { planWatches, pollsOf } from "./configured-polls.ts";
import { changesThatFit } from "./fitting-changes.ts";
import { type ChangeView, changeView, delayView, round, roundMoney } from "./plan-changes.ts";
import { type BasisView, basisView } from "./plan-basis.ts";
import { longListViews, type PlanLongListView } from "./long-list-view.ts";
import { type PaceView, paceView, rangesOf } from "./plan-pace.ts";
import type { PlanQuota } from "./plan-quota.ts";
import type { ArchiveView } from "../../server/schema/status-view.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { timingText } from "../views/status-view.ts";

export interface PlanWatchView extends BasisView, PaceView {
  readonly id: string;
  readonly type: string;
  readonly state: "active" | "paused" | "disabled";
  readonly schedule: string;
  readonly targets: number;
  /** Accounts whose id is not known yet; each counts as one poll. */
  readonly unresolved_targets: number;
  readonly polls: number;
  /** How the watch's targets are read: `single`, `probe`, `merge`; several if they differ. */
  readonly strategies: readonly string[];
  /** The first few watches that share requests with this one. */
  readonly shared_with: readonly string[];
  /** How many watches share requests with this one. */
  readonly sharers: number;
  /** The watch's own part of the requests. A shared poll is split among its subscribers. */
  readonly requests_per_hour: number;
  readonly requests_per_day: number;
  readonly requests_per_month: number;
  /**
   * The range of the estimate while no requests have been counted; `requests_per_month` is its
   * middle. Null if nothing is uncertain.
   */
  readonly requests_per_month_range: RangeView | null;
  /** The share of the quota, 1 for all of it; may exceed 1. Null if the quota is unknown. */
  readonly quota_share: number | null;
  /** Null if the configuration names no price. */
  readonly cost_per_month: number | null;
  readonly sweep_requests_per_day: number;
  /** Requests for rechecks of fresh tweets. */
  readonly recheck_requests_per_day: number;
  /** The time from an item's appearance to the poll that finds it; null if nothing is polled. */
  readonly delay_seconds: { readonly p50: number; readonly p95: number } | null;
  readonly next_runs: readonly string[];
  /** Null unless the watch reads its accounts through a list. */
  readonly via_list: PlanListView | null;
  /** Member lists that are longer than a poll reads, as far as their length is known. */
  readonly long_lists: readonly PlanLongListView[];
  /** Sentences about what the watch can miss. */
  readonly caveats: readonly string[];
}

export interface PlanListView {
  readonly list: string;
  /**
   * The number of accounts that were missing from the list when it was last checked; the plan
   * includes the cost of reading them on their own.
   */
  readonly missing: number;
  /**
   * The number of requests per month that an account adds if it leaves the list. This is an upper
   * bound, because several such accounts share requests.
   */
  readonly most_requests_per_month_each: number;
}

export interface PlanOnlineView {
  /** Requests that were made and billed for this plan. */
  readonly requests: number;
  /** Accounts whose profiles were read to find the lengths of their lists. */
  readonly accounts: number;
  /** Accounts that the service does not know, as they are written in the configuration. */
  readonly missing: readonly string[];
}

/** A range of requests a month. */
export interface RangeView {
  readonly low: number;
  readonly high: number;
}

export interface PlanRangeView extends RangeView {
  /** Accounts for which the number of posts is an assumption. */
  readonly unknown_accounts: number;
}

export interface PlanView {
  readonly quota: PlanQuota & { readonly reserve: number };
  readonly total: {
    readonly polls: number;
    readonly polls_per_day: number;
    readonly sweep_requests_per_day: number;
    readonly recheck_requests_per_day: number;
    readonly requests_per_hour: number;
    readonly requests_per_day: number;
    readonly requests_per_month: number;
    readonly quota_share: number | null;
    readonly cost_per_month: number | null;
    /**
     * Requests that are made once, at the start: first reads of targets that are read together or
     * at the times of a cron schedule, and look-ups of handles.
     */
    readonly first_requests: number;
    /**
     * The range of the estimate while no requests have been counted (docs/forecast.md);
     * `requests_per_month` is its middle. Null if nothing is uncertain.
     */
    readonly requests_per_month_range: PlanRangeView | null;
  };
  readonly price: { readonly per_request: number; readonly currency: string } | null;
  readonly over_budget: boolean;
  /** Watch ids, the most expensive first. */
  readonly dearest: readonly string[];
  /**
   * The requests that were made to the service for this plan, and their cost; null if none was
   * made.
   */
  readonly online: PlanOnlineView | null;
  /**
   * Changes that would make the plan fit, the one with the least effect first; empty if the plan
   * fits or if nothing would help.
   */
  readonly changes: readonly ChangeView[];
  readonly watches: readonly PlanWatchView[];
  readonly warnings: readonly string[];
  /** What polls found, kept for backtests; null if there is no state. */
  readonly archive: ArchiveView | null;
}

export interface PlanFacts {
  readonly hash: Hash;
  readonly nowMs: number;
  readonly quota: PlanQuota;
  /** The watches as the state knows them; empty if there is no state. */
  readonly states: readonly WatchState[];
  /**
   * Returns the requests that a watch took, divided by the estimate for it; undefined until a day
   * of the watch was counted.
   */
  readonly ratioOf?: ((watchId: string) => number | undefined) | undefined;
  /** Returns when the poll with this key ran last. */
  readonly lastPolledMs?: ((key: string) => number | undefined) | undefined;
  /** The requests that were made to the service for this plan, apart from those for the quota. */
  readonly online?: PlanOnlineView | undefined;
  /** The size of the archive; undefined if there is no state. */
  readonly archive?: ArchiveView | undefined;
  /** The factors by which a running daemon slows polls down now; undefined if no daemon runs. */
  readonly slowDown?: SlowDownFactors | undefined;
}

export function createPlanView(config: Config, facts: PlanFacts): PlanView {
  const {
    hash,
    nowMs,
    quota,
    states,
    ratioOf,
    lastPolledMs = () => undefined,
    slowDown,
    online = null,
  } = facts;
  const timetable = createTimetable();
  const planned = planWatches(config, hash, states);
  const forecastWith = (change: (watch: Watch) => Watch): Forecast => {
    const watches = [...planned.values()].map((one) => ({ ...one, watch: change(one.watch) }));
    const polls = pollsOf(watches, { hash, timetable, nowMs, states });
    return createForecast(polls, {
      timetable,
      nowMs,
      lastPolledMs,
      ratioOf,
      pagesOf: (poll) => knownPages(poll, states),
    });
  };
  const forecast = forecastWith((watch) => watch);
  const isOver = quota.limit !== null && round(forecast.requestsPerMonth) > quota.limit;
  const intervalMs = (timing: Timing): number => timetable.intervalMs(scheduleOf(timing), nowMs);
  const changes = isOver
    ? changesThatFit(forecast, config, { limit: quota.limit, replan: forecastWith, intervalMs })
    : [];
  const polls = forecast.polls.map(({ poll }) => poll);
  const { price } = config.api.quota;
  const scale = { limit: quota.limit, price: price?.perRequest };
  const factors = rangesOf(forecast, slowDown);
  const longLists = longListViews([...planned.values()], forecast, {
    limit: quota.limit,
    reserve: config.api.quota.reserve,
  });
  return {
    quota: { ...quota, reserve: config.api.quota.reserve },
    total: {
      polls: forecast.polls.length,
      polls_per_day: round(forecast.pollsPerDay),
      sweep_requests_per_day: round(forecast.sweepsPerDay),
      recheck_requests_per_day: round(forecast.rechecksPerDay),
      ...paceOf(forecast, scale),
      first_requests: firstRequests(polls, [...planned.values()], (poll) =>
        fullReadPages(poll, states),
      ),
      requests_per_month_range: totalRange(forecast),
    },
    price: price === undefined ? null : { per_request: price.perRequest, currency: price.currency },
    over_budget: isOver,
    dearest: mostExpensive(forecast),
    online,
    changes: changes.map(changeView),
    watches: config.watches.map((watch) => ({
      ...watchView(watch, planned.get(watch.id), forecast.watches.get(watch.id), scale),
      ...paceView(watch, factors.get(watch.id)),
      via_list: listView(watch, planned.get(watch.id), forecast),
      long_lists: longLists.get(watch.id) ?? [],
      ...basisView(forecast.watches.get(watch.id)),
    })),
    warnings: [...scheduleWarnings(config), ...budgetWarnings(forecast, config, quota)],
    archive: facts.archive ?? null,
  };
}

function rangeView(range: Range): RangeView | null {
  const { low, high } = narrowed(range);
  return round(low) === round(high) ? null : { low: round(low), high: round(high) };
}

function totalRange({ watches, range, polls }: Forecast): PlanRangeView | null {
  const view = rangeView(range);
  if (view === null) return null;
  const isAssumed = ({ watch }: Subscriber): boolean => watches.get(watch.id)?.basis === "assumed";
  const members = polls.flatMap(({ poll, assumptions }) =>
    assumptions.includes("posts") ? (poll.group?.members ?? []) : [],
  );
  return {
    ...view,
    unknown_accounts: members.filter(({ subscribers }) => subscribers.some(isAssumed)).length,
  };
}

interface Scale {
  readonly limit: number | null;
  readonly price: number | undefined;
}

/** Returns requests by hour, day and month, their share of the quota, and their cost. */
function paceOf(
  { requestsPerDay, requestsPerMonth }: Pick<Forecast, "requestsPerDay" | "requestsPerMonth">,
  { limit, price }: Scale,
) {
  return {
    requests_per_hour: round(requestsPerDay / 24),
    requests_per_day: round(requestsPerDay),
    requests_per_month: round(requestsPerMonth),
    quota_share:
      limit === null || limit === 0
        ? null
        : Math.round((requestsPerMonth / limit) * 10_000) / 10_000,
    cost_per_month: price === undefined ? null : roundMoney(requestsPerMonth * price),
  };
}

const NOTHING = { requestsPerDay: 0, requestsPerMonth: 0 };

/**
 * Describes the public list through which a watch reads its accounts. It is unknown which accounts
 * will leave the list, but the cost of each such account is known.
 */
function listView(
  watch: Watch,
  planned: PlannedWatch | undefined,
  { polls }: Forecast,
): PlanListView | null {
  const list = watchTypeOf(watch).viaList?.(watch.settings);
  if (list === undefined || planned === undefined || planned.paused) return null;
  const read = polls.filter(({ poll }) =>
    poll.subscribers.some((one) => one.watch.id === watch.id && one.author !== undefined),
  );
  return {
    list,
    missing: planned.targets.filter(({ memory }) => memory["list"] === "out").length,
    most_requests_per_month_each: round(
      Math.max(0, ...read.map(({ pollsPerDay }) => pollsPerDay * MONTH_DAYS)),
    ),
  };
}

function watchView(
  watch: Watch,
  planned: PlannedWatch | undefined,
  cost: WatchForecast | undefined,
  scale: Scale,
): Omit<PlanWatchView, "via_list" | "long_lists" | keyof PaceView | keyof BasisView> {
  return {
    id: watch.id,
    type: watch.type,
    state: planned === undefined ? "disabled" : planned.paused ? "paused" : "active",
    schedule: timingText(watch.timing),
    targets: planned?.targets.length ?? 0,
    unresolved_targets: planned?.targets.filter(isAssumed).length ?? 0,
    polls: cost?.polls ?? 0,
    strategies: cost?.strategies ?? [],
    shared_with: cost?.sharedWith ?? [],
    sharers: cost?.sharers ?? 0,
    ...paceOf(cost ?? NOTHING, scale),
    requests_per_month_range: cost === undefined ? null : rangeView(cost.range),
    sweep_requests_per_day: round(cost?.sweepsPerDay ?? 0),
    recheck_requests_per_day: round(cost?.rechecksPerDay ?? 0),
    delay_seconds: cost === undefined ? null : delayView(cost.delay),
    next_runs: (cost?.nextRunsMs ?? []).map(isoTime),
    caveats: planned === undefined ? [] : watchTypeOf(watch).caveats(watch.settings),
  };
}

/** Returns the warnings about schedules that poll more often than the data can change. */
const scheduleWarnings = (config: Config): readonly string[] =>
  config.warnings.filter(({ rule }) => rule === "faster-than-data").map(formatIssue);

function budgetWarnings(forecast: Forecast, config: Config, quota: PlanQuota): readonly string[] {
  const { reserve } = config.api.quota;
  const line = spendingLimit({ monthly: quota.limit ?? undefined, reserve, purpose: "poll" });
  if (line === undefined || quota.limit === null) return [];
  const needed = Math.round(forecast.requestsPerMonth);
  if (needed > quota.limit || needed <= line) return [];
  const effect =
    config.api.quota.onExhausted === "pause"
      ? "polling stops there"
      : "polls are slowed down, low priority first";
  const [wanted, all, open] = [needed, quota.limit, line].map((count) =>
    count.toLocaleString("en-US"),
  );
  return [
    `the plan reaches into the reserve: ${wanted} of ${all} requests a month, ${open} before the reserve; ${effect}`,
  ];
}
