/** What the month allows, what was spent, and how fast polls and their further pages go while it is short. Tells nobody: quota-notices.ts does. */
import { createCatchUp, sparePace } from "../budget/catch-up.ts";
import { quotaLine } from "../budget/quota-line.ts";
import { type QuotaPeriod, quotaPeriod } from "../budget/quota-period.ts";
import { forecastRequests, type StretchFactors, stretchFactors } from "../budget/stretch.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Priority } from "../model/schedule.ts";
import type { Ledger, WatchState } from "../model/store.ts";
import { createCostModel, type PollCost } from "../plan/cost.ts";
import { fullReadPages, readsWholeList } from "../plan/full-read.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { FurtherPages, PayingKey } from "./request-gate.ts";
import type { Poll } from "./watch-poll.ts";

export interface QuotaSettings {
  readonly monthly: number | undefined;
  readonly reserve: number;
  readonly resetDay: number;
  readonly timezone: string;
  readonly onExhausted: "degrade" | "pause";
}

/** A key as the quota sees it. */
export interface KeyQuota extends PayingKey {
  /** False while it is set aside. */
  readonly isUsable: boolean;
}

export interface QuotaStatus {
  /** Requests of the period; undefined while nobody knows. */
  readonly limit: number | undefined;
  /** Where scheduled polls stop: the limit without the reserve. */
  readonly line: number | undefined;
  readonly spent: number;
  /** At the pace the schedules ask for, stretched by nothing. */
  readonly forecast: number;
  readonly period: QuotaPeriod;
  readonly spentByWatch: ReadonlyMap<string, number>;
  readonly spentByKey: ReadonlyMap<string, number>;
  readonly factors: StretchFactors;
  /** Ids of watches, those that cost most first. */
  readonly dearest: readonly string[];
}

export interface QuotaWatch {
  /** Reads the ledger and sets the pace. */
  refresh(polls: readonly Poll[]): Promise<void>;
  readonly limit: number | undefined;
  readonly status: QuotaStatus;
  /** How fast scheduled polls may read beyond their first pages: what the month can spare. */
  readonly pages: FurtherPages;
  start(): void;
  stop(): void;
}

export interface QuotaWatchDeps {
  readonly ledger: Pick<Ledger, "spentSince">;
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly meter: Meter;
  readonly log: Log;
  readonly settings: () => QuotaSettings;
  readonly keys: () => readonly KeyQuota[];
  readonly polls: () => readonly Poll[];
  /** As the state knows them: long lists cost a daily read. */
  readonly states: () => Promise<readonly WatchState[]>;
  /** Told after every refresh. */
  readonly onRefreshed: (status: QuotaStatus) => Promise<void>;
  /** Told when polls may go noticeably faster than a moment ago. */
  readonly onFaster: () => void;
}

/** The first share of a month's requests goes out as the schedules say: only low priority is stretched before that is spent. */
const HEAD_START = 0.05;
const hasHeadStart = (spent: number, limit: number | undefined): boolean => limit !== undefined && spent < limit * HEAD_START;
const REFRESH_EVERY_MS = 60_000;
/** Lists grow slowly. */
const STATES_KEPT_MS = 3_600_000;
const EVEN: StretchFactors = { high: 1, normal: 1, low: 1 };
const PRIORITIES = ["high", "normal", "low"] as const satisfies readonly Priority[];
/** Factors change a little every minute; waiting times are computed again when one fell by more than that. */
const NOTICEABLE = 0.95;

export function createQuotaWatch(deps: QuotaWatchDeps): QuotaWatch {
  const { clock, meter } = deps;
  const catchUp = createCatchUp();
  let states: { readonly list: readonly WatchState[]; readonly readAtMs: number } | undefined;
  const costs = createCostModel({ timetable: deps.timetable, fullReadPages: (poll) => fullReadPages(poll, states?.list ?? []) });
  let cancel: Cancel | undefined;
  let isStopped = false;
  /** What polls in the queue may have been put there with. */
  let slowest: StretchFactors = EVEN;
  let status: QuotaStatus = {
    limit: undefined,
    line: undefined,
    spent: 0,
    forecast: 0,
    period: quotaPeriod(clock.now(), deps.settings()),
    spentByWatch: new Map(),
    spentByKey: new Map(),
    factors: EVEN,
    dearest: [],
  };
  const limitNow = () => totalLimit(deps.settings().monthly, deps.keys(), status.spentByKey);

  const readStates = async (polls: readonly Poll[]): Promise<void> => {
    if (!polls.some(readsWholeList)) return;
    if (states === undefined || clock.now() - states.readAtMs >= STATES_KEPT_MS)
      states = { list: await deps.states(), readAtMs: clock.now() };
  };

  const refresh = async (polls: readonly Poll[]): Promise<void> => {
    const settings = deps.settings();
    const period = quotaPeriod(clock.now(), settings);
    const { total, lines } = await deps.ledger.spentSince(period.startMs);
    await readStates(polls);
    const nowMs = clock.now();
    const spentByKey = sumBy(lines, ({ key }) => key);
    const limit = totalLimit(settings.monthly, deps.keys(), spentByKey);
    const priced = polls.map((poll) => ({ poll, priority: poll.priority, ...costs.costOf(poll, nowMs) }));
    const { onExhausted, reserve } = settings;
    const wanted = stretchFactors({ spent: total, limit, reserve, nowMs, periodEndMs: period.endMs, onExhausted, polls: priced });
    const factors = hasHeadStart(total, limit) ? { ...EVEN, low: wanted.low } : wanted;
    const perDay = priced.reduce((sum, { requestsPerDay }) => sum + requestsPerDay, 0);
    const line = quotaLine({ monthly: limit, reserve, purpose: "poll" });
    status = {
      limit,
      line,
      spent: total,
      forecast: total + forecastRequests(perDay, nowMs, period.endMs),
      period,
      spentByWatch: sumBy(lines, ({ watch }) => watch),
      spentByKey,
      factors,
      dearest: dearest(priced),
    };
    catchUp.adjust(sparePace({ line, spent: total, nowMs, periodEndMs: period.endMs, ...plannedPace(priced, factors) }), nowMs);
    setGauges(meter, status);
    hastenWhenFaster(factors);
    await deps.onRefreshed(status);
  };

  const hastenWhenFaster = (factors: StretchFactors) => {
    const isFaster = PRIORITIES.some((priority) => factors[priority] < slowest[priority] * NOTICEABLE);
    slowest = isFaster ? factors : slower(slowest, factors);
    if (isFaster) deps.onFaster();
  };

  const arm = () => {
    cancel = clock.after(REFRESH_EVERY_MS, () => {
      refresh(deps.polls())
        .catch((error: unknown) => deps.log.warn("quota could not be computed", { error }))
        .finally(() => {
          if (!isStopped) arm();
        });
    });
  };

  return {
    refresh,
    get limit() {
      return limitNow();
    },
    get status() {
      return status;
    },
    pages: {
      begin: (source) => catchUp.begin(source, clock.now()),
      mayReadOn: (source, priority) => catchUp.take(source, priority, clock.now()),
    },
    start: arm,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}

/**
 * What all keys together may spend: what each may, and what keys that are gone or set aside have spent already. The configuration's own
 * limit for a month holds above it, and is the only one that counts where there is one key.
 */
export function totalLimit(
  monthly: number | undefined,
  keys: readonly KeyQuota[],
  spentByKey: ReadonlyMap<string, number>,
): number | undefined {
  if (monthly !== undefined && keys.length < 2) return monthly;
  const usable = keys.some(({ isUsable }) => isUsable) ? keys.filter(({ isUsable }) => isUsable) : keys;
  let together = 0;
  for (const { limit } of usable) {
    if (limit === undefined) return monthly;
    together += limit;
  }
  const names = new Set(usable.map(({ name }) => name));
  for (const [key, spent] of spentByKey) if (!names.has(key)) together += spent;
  return usable.length === 0 ? monthly : Math.min(together, monthly ?? Number.POSITIVE_INFINITY);
}

const slower = (a: StretchFactors, b: StretchFactors): StretchFactors => ({
  high: Math.max(a.high, b.high),
  normal: Math.max(a.normal, b.normal),
  low: Math.max(a.low, b.low),
});

type Priced = PollCost & { readonly poll: Poll; readonly priority: Priority };

function sumBy<T extends { readonly requests: number }>(lines: readonly T[], keyOf: (line: T) => string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(keyOf(line), (sums.get(keyOf(line)) ?? 0) + line.requests);
  return sums;
}

function plannedPace(priced: readonly Priced[], factors: StretchFactors) {
  let plannedPerDay = 0;
  let plannedPagesPerDay = 0;
  for (const { priority, requestsPerDay, pollsPerDay } of priced) {
    plannedPerDay += requestsPerDay / factors[priority];
    plannedPagesPerDay += Math.max(0, requestsPerDay - pollsPerDay) / factors[priority];
  }
  return { plannedPerDay, plannedPagesPerDay };
}

function dearest(priced: readonly Priced[]): readonly string[] {
  const perWatch = new Map<string, number>();
  for (const { poll, requestsPerDay } of priced) {
    const ids = new Set(poll.subscribers.map(({ watch }) => watch.id));
    for (const id of ids) perWatch.set(id, (perWatch.get(id) ?? 0) + requestsPerDay / ids.size);
  }
  return [...perWatch].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

function setGauges(meter: Meter, { spent, limit, forecast, factors }: QuotaStatus): void {
  meter.set("chirpwatch_quota_spent", spent);
  meter.set("chirpwatch_quota_forecast", Math.round(forecast));
  if (limit !== undefined) meter.set("chirpwatch_quota_limit", limit);
  for (const priority of PRIORITIES) meter.set("chirpwatch_quota_stretch", factors[priority], { priority });
}
