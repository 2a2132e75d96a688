/**
 * The plan as people and programs read it: what every watch asks for, what that costs against the
 * quota, and how late alerts will be.
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
import { watchTypeOf } from "../../watches/registry.ts";
import { timingText } from "../views/status-view.ts";

export interface PlanWatchView extends BasisView, PaceView {
  readonly id: string;
  readonly type: string;
  readonly state: "active" | "paused" | "disabled";
  readonly schedule: string;
  readonly targets: number;
  /** Accounts without a known id: each counts as one poll. */
  readonly unresolved_targets: number;
  readonly polls: number;
  /** How its targets are read: `single`, `probe`, `merge`; several where they differ. */
  readonly strategies: readonly string[];
  /** The first of the watches whose requests it shares. */
  readonly shared_with: readonly string[];
  /** How many they are. */
  readonly sharers: number;
  /** Its part: requests of a shared poll are split among its subscribers. */
  readonly requests_per_hour: number;
  readonly requests_per_day: number;
  readonly requests_per_month: number;
  /** Before it was counted; `requests_per_month` is its middle. Null where nothing is uncertain. */
  readonly requests_per_month_range: RangeView | null;
  /** Of the quota, 0 to 1 and beyond; null while the quota is unknown. */
  readonly quota_share: number | null;
  /** Null where the configuration names no price. */
  readonly cost_per_month: number | null;
  readonly sweep_requests_per_day: number;
  /** Rechecks of fresh tweets. */
  readonly recheck_requests_per_day: number;
  /** From an item's appearance to the poll that finds it; null when nothing is polled. */
  readonly delay_seconds: { readonly p50: number; readonly p95: number } | null;
  readonly next_runs: readonly string[];
  /** Null unless it reads its accounts through a list. */
  readonly via_list: PlanListView | null;
  /** Member lists that are longer than a poll reads, as far as their length is known. */
  readonly long_lists: readonly PlanLongListView[];
  /** What it can miss. */
  readonly caveats: readonly string[];
}

export interface PlanListView {
  readonly list: string;
  /** Accounts the list did not hold when it was last asked; what they cost is in the plan. */
  readonly missing: number;
  /** What an account that leaves the list costs on top, at most: several share their requests. */
  readonly most_requests_per_month_each: number;
}

export interface PlanOnlineView {
  /** Billed. */
  readonly requests: number;
  /** Accounts whose profiles say how long their lists are. */
  readonly accounts: number;
  /** As those are written whom the service does not know. */
  readonly missing: readonly string[];
}

/** Requests a month. */
export interface RangeView {
  readonly low: number;
  readonly high: number;
}

export interface PlanRangeView extends RangeView {
  /** Accounts of which it is assumed how much they post. */
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
     * Once, at the start: first reads of what is read together or at the times of a cron, and
     * look-ups of handles.
     */
    readonly first_requests: number;
    /**
     * Before all was counted, see docs/forecast.md; `requests_per_month` is its middle. Null where
     * nothing is uncertain.
     */
    readonly requests_per_month_range: PlanRangeView | null;
  };
  readonly price: { readonly per_request: number; readonly currency: string } | null;
  readonly over_budget: boolean;
  /** Watch ids, the most expensive first. */
  readonly dearest: readonly string[];
  /** What was asked of the service for this plan, at a price; null where nothing was. */
  readonly online: PlanOnlineView | null;
  /** What would fit, the cheapest change first; empty when the plan fits, or when nothing would. */
  readonly changes: readonly ChangeView[];
  readonly watches: readonly PlanWatchView[];
  readonly warnings: readonly string[];
}

export interface PlanFacts {
  readonly hash: Hash;
  readonly nowMs: number;
  readonly quota: PlanQuota;
  /** As the state knows them; empty without one. */
  readonly states: readonly WatchState[];
  /**
   * What a watch took against the estimate for it, by its id; undefined until a day of it was
   * counted.
   */
  readonly ratioOf?: ((watchId: string) => number | undefined) | undefined;
  /** When a poll ran last, by its key. */
  readonly lastPolledMs?: ((key: string) => number | undefined) | undefined;
  /** What was asked of the service beside its quota. */
  readonly online?: PlanOnlineView | undefined;
  /** How much slower a daemon that runs polls now; undefined where none does. */
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

/** Requests by hour, day and month, and what they are of the quota and in money. */
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

/** Nobody can predict who leaves a list, but what it costs. */
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

/** Schedules that are faster than what they read can change. */
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
