/** The plan as people and programs read it: what every watch asks for, what that costs against the quota, and how late alerts will be. */
import { isUsableLimit, quotaLine } from "../budget/quota-line.ts";
import type { Config } from "../config/config.ts";
import { formatIssue } from "../config/report.ts";
import { isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import type { Hash } from "../model/hash.ts";
import type { WatchState } from "../model/store.ts";
import type { Watch } from "../model/watch.ts";
import {
  assumeTargets,
  type CheaperPlan,
  createForecast,
  dearest,
  findCheaperPlan,
  type Forecast,
  isAssumed,
  type WatchForecast,
} from "../plan/forecast.ts";
import { fullReadPages, stateOf } from "../plan/full-read.ts";
import { type PlannedWatch, planPolls, targetsOf } from "../plan/plan-polls.ts";
import { createTimetable, type Timetable } from "../schedule/timetable.ts";
import { watchTypeOf } from "./registration.ts";
import { scheduleText } from "./status-view.ts";

/** `configured`: quota.monthly. `remaining_requests`: what the key has left, by the service. `unknown`: neither. */
export interface PlanQuota {
  readonly limit: number | null;
  readonly source: "configured" | "remaining_requests" | "unknown";
  /** Why it is unknown; empty otherwise. */
  readonly reason: string;
}

export interface PlanWatchView {
  readonly id: string;
  readonly type: string;
  readonly state: "active" | "paused" | "disabled";
  readonly schedule: string;
  readonly targets: number;
  /** Accounts without a known id: each counts as one poll. */
  readonly unresolved_targets: number;
  readonly polls: number;
  readonly shared_with: readonly string[];
  /** Its part: requests of a shared poll are split among its sharers. */
  readonly requests_per_day: number;
  readonly requests_per_month: number;
  readonly sweep_requests_per_day: number;
  /** From an item's appearance to the poll that finds it; null when nothing is polled. */
  readonly delay_seconds: { readonly p50: number; readonly p95: number } | null;
  readonly next_runs: readonly string[];
  /** What it can miss. */
  readonly caveats: readonly string[];
}

export interface CheaperView {
  readonly schedule: string;
  readonly requests_per_month: number;
  readonly watches: readonly { readonly id: string; readonly schedule: string; readonly requests_per_month: number }[];
}

export interface PlanView {
  readonly quota: PlanQuota & { readonly reserve: number };
  readonly total: {
    readonly polls: number;
    readonly polls_per_day: number;
    readonly sweep_requests_per_day: number;
    readonly requests_per_day: number;
    readonly requests_per_month: number;
  };
  readonly over_budget: boolean;
  /** Watch ids, the dearest first. */
  readonly dearest: readonly string[];
  /** What would fit; null when the plan does, or when nothing would. */
  readonly cheaper: CheaperView | null;
  readonly watches: readonly PlanWatchView[];
  readonly warnings: readonly string[];
}

export interface PlanFacts {
  readonly hash: Hash;
  readonly nowMs: number;
  readonly quota: PlanQuota;
  /** As the state knows them; empty without one. */
  readonly states: readonly WatchState[];
}

export function createPlanView(config: Config, { hash, nowMs, quota, states }: PlanFacts): PlanView {
  const timetable = createTimetable();
  const enabled = config.watches.filter((watch) => watch.enabled);
  const planned = new Map(enabled.map((watch) => [watch.id, planOf(watch, hash, states)]));
  const polls = planPolls([...planned.values()], { hash, timetable, nowMs });
  const forecast = createForecast(polls, { timetable, nowMs, fullReadPages: (poll) => fullReadPages(poll, states) });
  const isOver = quota.limit !== null && forecast.requestsPerMonth > quota.limit;
  const cheaper = isOver && quota.limit !== null ? findCheaperPlan(forecast, quota.limit) : undefined;
  return {
    quota: { ...quota, reserve: config.api.quota.reserve },
    total: {
      polls: polls.length,
      polls_per_day: round(forecast.pollsPerDay),
      sweep_requests_per_day: round(forecast.sweepsPerDay),
      requests_per_day: round(forecast.requestsPerDay),
      requests_per_month: round(forecast.requestsPerMonth),
    },
    over_budget: isOver,
    dearest: dearest(forecast),
    cheaper: cheaper === undefined ? null : cheaperView(cheaper, config, timetable, nowMs),
    watches: config.watches.map((watch) => watchView(watch, planned.get(watch.id), forecast.watches.get(watch.id))),
    warnings: [...scheduleWarnings(config), ...budgetWarnings(forecast, config, quota)],
  };
}

/** The quota as configured, or as `remaining` says: an answer that is no usable number is unknown, never 0. */
export function planQuota(
  configured: number | undefined,
  remaining: { readonly value: unknown } | { readonly failure: string },
): PlanQuota {
  if (configured !== undefined) return { limit: configured, source: "configured", reason: "" };
  if ("failure" in remaining) return { limit: null, source: "unknown", reason: remaining.failure };
  if (isUsableLimit(remaining.value)) return { limit: Math.floor(remaining.value), source: "remaining_requests", reason: "" };
  return { limit: null, source: "unknown", reason: "/key-usage-info gives no usable remaining_requests" };
}

function planOf(watch: Watch, hash: Hash, states: readonly WatchState[]): PlannedWatch {
  const type = watchTypeOf(watch);
  const state = stateOf(watch, states);
  const watchKey = state?.key ?? watch.id;
  const targets = assumeTargets(watchKey, targetsOf(hash, watch, type), state?.targets ?? []);
  return { watch, type, watchKey, paused: state?.paused ?? false, targets };
}

function watchView(watch: Watch, planned: PlannedWatch | undefined, cost: WatchForecast | undefined): PlanWatchView {
  return {
    id: watch.id,
    type: watch.type,
    state: planned === undefined ? "disabled" : planned.paused ? "paused" : "active",
    schedule: scheduleText(watch.schedule),
    targets: planned?.targets.length ?? 0,
    unresolved_targets: planned?.targets.filter(isAssumed).length ?? 0,
    polls: cost?.polls ?? 0,
    shared_with: cost?.sharedWith ?? [],
    requests_per_day: round(cost?.requestsPerDay ?? 0),
    requests_per_month: round(cost?.requestsPerMonth ?? 0),
    sweep_requests_per_day: round(cost?.sweepsPerDay ?? 0),
    delay_seconds: cost === undefined ? null : { p50: round(cost.delay.p50Ms / 1_000), p95: round(cost.delay.p95Ms / 1_000) },
    next_runs: (cost?.nextRunsMs ?? []).map(isoTime),
    caveats: planned === undefined ? [] : watchTypeOf(watch).caveats(watch.settings),
  };
}

function cheaperView(plan: CheaperPlan, config: Config, timetable: Timetable, nowMs: number): CheaperView {
  const text = `@every ${formatDuration(plan.everyMs)}`;
  const scheduleOf = (id: string): string => {
    const watch = config.watches.find((one) => one.id === id);
    // Only a sharer of its poll is too fast then.
    return watch !== undefined && timetable.intervalMs(watch.schedule, nowMs) >= plan.everyMs ? scheduleText(watch.schedule) : text;
  };
  const watches = plan.watches.map(({ watchId, requestsPerMonth }) => ({
    id: watchId,
    schedule: scheduleOf(watchId),
    requests_per_month: round(requestsPerMonth),
  }));
  return { schedule: text, requests_per_month: round(plan.requestsPerMonth), watches };
}

/** Schedules that are faster than what they read can change. */
const scheduleWarnings = (config: Config): readonly string[] =>
  config.warnings.filter(({ rule }) => rule === "faster-than-data").map(formatIssue);

function budgetWarnings(forecast: Forecast, config: Config, quota: PlanQuota): readonly string[] {
  const { reserve } = config.api.quota;
  const line = quotaLine({ monthly: quota.limit ?? undefined, reserve, purpose: "poll" });
  if (line === undefined || quota.limit === null) return [];
  const needed = Math.round(forecast.requestsPerMonth);
  if (needed > quota.limit || needed <= line) return [];
  const effect = config.api.quota.onExhausted === "pause" ? "polling stops there" : "low priority is stretched";
  return [`the plan reaches into the reserve: ${needed} of ${quota.limit} requests a month, ${line} before the reserve; ${effect}`];
}

/** Two digits are plenty of a forecast. */
const round = (value: number): number => Math.round(value * 100) / 100;
