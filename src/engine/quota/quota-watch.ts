/** What the month allows, what was spent, and how fast polls and their further pages go while it is short. Tells nobody: quota-notices.ts does. */
import { createCatchUp, sparePace } from "../../budget/catch-up.ts";
import { createOverrun } from "../../budget/overrun.ts";
import { quotaLine } from "../../budget/quota-line.ts";
import { type QuotaPeriod, quotaPeriod } from "../../budget/quota-period.ts";
import {
  expectedRequests,
  forecastRequests,
  governedFactors,
  requestsUntilStale,
  type StretchFactors,
  stretchFactors,
} from "../../budget/stretch.ts";
import { type Clock, passedMs } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import { PRIORITIES, type Priority } from "../../model/schedule.ts";
import type { Ledger, LedgerLine } from "../../model/ledger.ts";
import type { Notes } from "../../model/store.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { createCostModel } from "../../forecast/cost.ts";
import { planPace, pricePolls, type WatchPace } from "../../forecast/pace.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { NO_VOLUMES, type Volumes, volumesOf } from "./poll-volumes.ts";
import { createRepeated } from "../health/repeat.ts";
import { createOverrunKeeper } from "./overrun-keeper.ts";
import type { FurtherPages } from "../../requests/turn-queue.ts";
import type { PayingKey } from "../../requests/reservation.ts";
import type { Poll } from "../../polling/watch-poll.ts";

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
  /** Stretched where the quota is short, and never beyond the line. */
  readonly expected: number;
  readonly period: QuotaPeriod;
  readonly lines: readonly LedgerLine[];
  readonly spentByWatch: ReadonlyMap<string, number>;
  readonly spentByKey: ReadonlyMap<string, number>;
  readonly factors: StretchFactors;
  /** By watch id, those that ask for most first. */
  readonly paces: ReadonlyMap<string, WatchPace>;
}

export interface QuotaWatch {
  /** Reads the ledger and sets the pace. */
  refresh(polls: readonly Poll[]): Promise<void>;
  /** Told of every billed request that is granted: after a few of a small quota the pace is set again, however soon that is. */
  granted(): void;
  readonly limit: number | undefined;
  /** Share of `limit` that scheduled polls leave alone. */
  readonly reserve: number;
  readonly status: QuotaStatus;
  /** Until when scheduled polls are held because the quota is spent, epoch ms; 0 while they are not. */
  readonly heldUntilMs: number;
  /** How fast scheduled polls may read beyond their first pages: what the month can spare. */
  readonly pages: FurtherPages;
  start(): void;
  stop(): void;
}

export interface QuotaWatchDeps {
  readonly ledger: Pick<Ledger, "spentSince">;
  /** What was learned of stretched polls. */
  readonly notes: Notes;
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly meter: Meter;
  readonly log: Log;
  readonly settings: () => QuotaSettings;
  readonly keys: () => readonly KeyQuota[];
  readonly polls: () => readonly Poll[];
  /** As the state knows them: long lists and busy feeds take more than a page. */
  readonly states: () => Promise<readonly WatchState[]>;
  /** Told after every refresh. */
  readonly onRefreshed: (status: QuotaStatus) => Promise<void>;
  /** Told when polls go noticeably faster or slower than a moment ago: waiting times are computed again. */
  readonly onPaceChanged: () => void;
}

const REFRESH_EVERY_MS = 60_000;
/** Lists grow slowly, and feeds do not change their ways. */
const VOLUMES_KEPT_MS = 3_600_000;
const EVEN: StretchFactors = { high: 1, normal: 1, low: 1 };
/** Factors change a little every minute; waiting times are computed again when one fell below, or rose above, so many times what it was. */
const NOTICEABLE = { faster: 0.95, slower: 2 } as const;

export function createQuotaWatch(deps: QuotaWatchDeps): QuotaWatch {
  const { clock, meter } = deps;
  const catchUp = createCatchUp();
  const overrun = createOverrun();
  const keeper = createOverrunKeeper(overrun, deps);
  let volumes: Volumes = NO_VOLUMES;
  const costs = createCostModel({
    timetable: deps.timetable,
    fullReadPages: ({ key }) => volumes.pages.get(key) ?? 1,
    itemsPerDay: ({ key }) => volumes.items.get(key),
  });
  /** The slowest that waiting times of polls may have been computed with. */
  let announced: StretchFactors = EVEN;
  let untilStale = Number.POSITIVE_INFINITY;
  let status: QuotaStatus = {
    limit: undefined,
    line: undefined,
    spent: 0,
    forecast: 0,
    expected: 0,
    period: quotaPeriod(clock.now(), deps.settings()),
    lines: [],
    spentByWatch: new Map(),
    spentByKey: new Map(),
    factors: EVEN,
    paces: new Map(),
  };
  const overrunAt = (factors: StretchFactors): number => (isStretched(factors) ? overrun.factor : 1);
  const totalNow = () => totalQuota(deps.settings(), deps.keys(), status.spentByKey);

  const readVolumes = async (polls: readonly Poll[]): Promise<void> => {
    if (passedMs(volumes.readAtMs, clock.now()) >= VOLUMES_KEPT_MS) volumes = volumesOf(polls, await deps.states(), clock.now());
  };

  const refresh = async (polls: readonly Poll[]): Promise<void> => {
    const settings = deps.settings();
    const period = quotaPeriod(clock.now(), settings);
    const { total, lines } = await deps.ledger.spentSince(period.startMs);
    await keeper.load();
    await readVolumes(polls);
    const nowMs = clock.now();
    const spentByKey = sumBy(lines, ({ key }) => key);
    const { limit, reserve } = totalQuota(settings, deps.keys(), spentByKey);
    const priced = pricePolls(polls, costs, nowMs, (watchId) => volumes.fresh.get(watchId));
    const { onExhausted } = settings;
    const query = { spent: total, limit, reserve, nowMs, periodEndMs: period.endMs, onExhausted, overrun: overrun.factor, polls: priced };
    const factors = governedFactors(query);
    const pace = planPace(priced, factors);
    // After the head start, if there is one.
    const lastingFactors = stretchFactors(query);
    const lasting = planPace(priced, lastingFactors);
    const line = quotaLine({ monthly: limit, reserve, purpose: "poll" });
    status = {
      limit,
      line,
      spent: total,
      forecast: total + forecastRequests(pace.askedPerDay, nowMs, period.endMs),
      expected: expectedRequests(query, lasting.pacedPerDay * overrunAt(lastingFactors)),
      period,
      lines,
      spentByWatch: sumBy(lines, ({ watch }) => watch),
      spentByKey,
      factors,
      get paces() {
        return lasting.watches;
      },
    };
    overrun.take({ nowMs, periodId: period.id, spent: total, pacedPerDay: isStretched(factors) ? pace.pacedPerDay : undefined });
    const planned = { plannedPerDay: pace.pacedPerDay * overrunAt(factors), plannedPagesPerDay: pace.pacedPagesPerDay };
    catchUp.adjust(sparePace({ line, spent: total, nowMs, periodEndMs: period.endMs, ...planned }), nowMs);
    untilStale = requestsUntilStale(query);
    setGauges(meter, status);
    announceChange(factors);
    await deps.onRefreshed(status);
    await keeper.save();
  };

  const announceChange = (factors: StretchFactors) => {
    const isNoticeable = (priority: Priority) => {
      const change = factors[priority] / announced[priority];
      return change < NOTICEABLE.faster || change > NOTICEABLE.slower;
    };
    if (!PRIORITIES.some(isNoticeable)) return void (announced = slower(announced, factors));
    announced = factors;
    deps.onPaceChanged();
  };

  const onFailed = (error: unknown) => deps.log.warn("quota could not be computed", { error });

  const repeated = createRepeated({
    clock,
    everyMs: REFRESH_EVERY_MS,
    work: () => refresh(deps.polls()),
    onError: onFailed,
  });

  return {
    refresh,
    granted() {
      untilStale -= 1;
      if (untilStale > 0) return;
      untilStale = Number.POSITIVE_INFINITY;
      refresh(deps.polls()).catch(onFailed);
    },
    get limit() {
      return totalNow().limit;
    },
    get reserve() {
      return totalNow().reserve;
    },
    get status() {
      return status;
    },
    get heldUntilMs() {
      const { line, spent, period } = status;
      return line !== undefined && spent >= line ? period.endMs : 0;
    },
    pages: {
      begin: (source) => catchUp.begin(source, clock.now()),
      mayReadOn: (source, priority) => catchUp.take(source, priority, clock.now()),
    },
    start: repeated.start,
    stop: repeated.stop,
  };
}

/**
 * What all keys together may spend: what each may, and what keys that are gone or set aside have spent already, of which nothing is left to
 * reserve. The configuration's own limit for a month holds above it.
 */
export function totalQuota(
  { monthly, reserve }: { readonly monthly?: number | undefined; readonly reserve: number },
  keys: readonly KeyQuota[],
  spentByKey: ReadonlyMap<string, number>,
): { readonly limit: number | undefined; readonly reserve: number } {
  const configured = { limit: monthly, reserve };
  const usable = keys.some(({ isUsable }) => isUsable) ? keys.filter(({ isUsable }) => isUsable) : keys;
  let left = 0;
  for (const { limit } of usable) {
    if (limit === undefined) return configured;
    left += limit;
  }
  const names = new Set(usable.map(({ name }) => name));
  let gone = 0;
  for (const [key, spent] of spentByKey) if (!names.has(key)) gone += spent;
  const together = left + gone;
  if (usable.length === 0 || (monthly !== undefined && monthly * (1 - reserve) <= together - left * reserve)) return configured;
  return { limit: together, reserve: together === 0 ? reserve : (reserve * left) / together };
}

/** What the configuration allows a key, or what the service has left of it where that is less; undefined while neither is known. */
export const limitOfKey = (monthly: number | undefined, learned: number | undefined): number | undefined =>
  monthly === undefined || learned === undefined ? (monthly ?? learned) : Math.min(monthly, learned);

const isStretched = (factors: StretchFactors): boolean => PRIORITIES.some((priority) => factors[priority] > 1);

const slower = (a: StretchFactors, b: StretchFactors): StretchFactors => ({
  high: Math.max(a.high, b.high),
  normal: Math.max(a.normal, b.normal),
  low: Math.max(a.low, b.low),
});

function sumBy<T extends { readonly requests: number }>(lines: readonly T[], keyOf: (line: T) => string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(keyOf(line), (sums.get(keyOf(line)) ?? 0) + line.requests);
  return sums;
}

function setGauges(meter: Meter, { spent, limit, line, forecast, factors }: QuotaStatus): void {
  meter.set("chirpwatch_quota_spent", spent);
  meter.set("chirpwatch_quota_forecast", Math.round(forecast));
  if (limit !== undefined) meter.set("chirpwatch_quota_limit", limit);
  if (line !== undefined) meter.set("chirpwatch_quota_line", line);
  for (const priority of PRIORITIES) meter.set("chirpwatch_quota_stretch", factors[priority], { priority });
}
