/**
 * Computes the quota's limit, how much of it is spent, and by how much polls and their further
 * pages are slowed down while the quota is short. `quota-alerts.ts` alerts the operator.
 */
import { createCatchUp, sparePace } from "../../budget/catch-up.ts";
import { createForecastCorrection } from "../../budget/forecast-correction.ts";
import { type QuotaPeriod, quotaPeriod } from "../../budget/quota-period.ts";
import {
  expectedRequests,
  forecastRequests,
  governedFactors,
  NO_SLOW_DOWN,
  requestsUntilStale,
  slowDownFactors,
  type SlowDownFactors,
  type SlowDownQuery,
} from "../../budget/slow-down.ts";
import { spendingLimit } from "../../budget/spending-limit.ts";
import type { Cancel } from "../../model/clock.ts";
import type { Ledger } from "../../model/ledger.ts";
import type { Meter } from "../../model/meter.ts";
import { PRIORITIES, type Priority } from "../../model/schedule.ts";
import type { Share } from "../../model/replicas.ts";
import type { Ports } from "../../model/ports.ts";
import { type Pace, planPace, type PricedPoll, type WatchPace } from "../../forecast/pace.ts";
import { createCorrectionKeeper, type CorrectionKeeper } from "./correction-keeper.ts";
import { HourlyFigures, type HourlyFiguresDeps } from "./hourly-figures.ts";
import { PagesOfOthers } from "./pages-of-others.ts";
import { repeat } from "../health/repeat.ts";
import type { FurtherPages } from "../../requests/turn-queue.ts";
import { type KeyQuota, type TotalQuota, totalQuota } from "./total-quota.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface QuotaSettings {
  readonly monthly: number | undefined;
  readonly reserve: number;
  readonly resetDay: number;
  readonly timezone: string;
  readonly onExhausted: "degrade" | "pause";
}

export interface QuotaStatus {
  /** How many requests the period may use; undefined while unknown. */
  readonly limit: number | undefined;
  /** The spending limit of scheduled polls: the limit without the reserve. */
  readonly softLimit: number | undefined;
  readonly spent: number;
  /** How many requests the period would use if no poll were slowed down. */
  readonly forecast: number;
  /** How many requests the period uses with the slow-down, at most the soft limit. */
  readonly expected: number;
  readonly period: QuotaPeriod;
  readonly spentByKey: ReadonlyMap<string, number>;
  readonly factors: SlowDownFactors;
  /**
   * The requests per day of each watch, by watch id. The watch with the most requests comes first.
   */
  readonly paces: ReadonlyMap<string, WatchPace>;
}

export interface QuotaMonitorDeps
  extends HourlyFiguresDeps,
    Pick<Ports, "meter" | "log" | "notes"> {
  readonly ledger: HourlyFiguresDeps["ledger"] & Pick<Ledger, "countFurtherPages">;
  readonly settings: () => QuotaSettings;
  readonly keys: () => readonly KeyQuota[];
  /** Returns the polls of all replicas. */
  readonly polls: () => readonly Poll[];
  readonly share: Pick<Share, "isAlone" | "isLeading">;
  /** Called after every refresh. */
  readonly onRefreshed: (status: QuotaStatus) => Promise<void>;
  /**
   * Called when polls have become noticeably faster or slower, so that due times must be computed
   * again.
   */
  readonly onPaceChanged: () => void;
}

const REFRESH_EVERY_MS = 60_000;
/**
 * The factors change a little every minute. Due times are computed again only if a factor falls
 * below the first, or rises above the second, of these multiples of its announced value.
 */
const NOTICEABLE = { faster: 0.95, slower: 2 } as const;

export class QuotaMonitor {
  /**
   * Limits how many pages beyond the first one scheduled polls may read, by what the rest of the
   * month's quota can spare.
   */
  readonly pages: FurtherPages;
  readonly #deps: QuotaMonitorDeps;
  readonly #catchUp = createCatchUp();
  readonly #pagesOfOthers: PagesOfOthers;
  readonly #correction = createForecastCorrection();
  readonly #keeper: CorrectionKeeper;
  readonly #figures: HourlyFigures;
  #stopRefreshing: Cancel | undefined;
  /**
   * The factors that are compared with new ones to decide whether due times must be computed again.
   * They are the largest since the last announcement, because due times may have been computed with
   * any factor since then.
   */
  #announced: SlowDownFactors = NO_SLOW_DOWN;
  #untilStale = Number.POSITIVE_INFINITY;
  #status: QuotaStatus;

  constructor(deps: QuotaMonitorDeps) {
    const { clock } = deps;
    this.#deps = deps;
    this.#keeper = createCorrectionKeeper(this.#correction, { notes: deps.notes, clock });
    this.#figures = new HourlyFigures(deps);
    this.#pagesOfOthers = new PagesOfOthers({
      ledger: deps.ledger,
      onCounted: (pages) => this.#catchUp.takenByOthers(pages),
    });
    this.#status = statusBefore(quotaPeriod(clock.now(), deps.settings()), clock.now());
    this.pages = {
      begin: (source) => this.#catchUp.begin(source, clock.now()),
      mayReadOn: (source, priority) => this.#catchUp.take(source, priority, clock.now()),
      entered: () => this.#pagesOfOthers.entered(),
    };
  }

  /** Reads the ledger and computes the slow-down factors and the status again. */
  async refresh(polls: readonly Poll[]): Promise<void> {
    const { clock, ledger, keys, meter, share, onRefreshed } = this.#deps;
    const settings = this.#deps.settings();
    const period = quotaPeriod(clock.now(), settings);
    const spentByKey = await ledger.spentByKey(period.startMs);
    const spent = [...spentByKey.values()].reduce((sum, requests) => sum + requests, 0);
    await this.#keeper.load();
    await this.#figures.refresh(polls, isSlowedDown(this.#status.factors));
    const nowMs = clock.now();
    const query = {
      ...totalQuota(settings, keys(), spentByKey),
      spent,
      nowMs,
      periodEndMs: period.endMs,
      onExhausted: settings.onExhausted,
      correctionFactor: this.#correction.factor,
      polls: this.#figures.price(polls, nowMs),
    };
    const governed = governedPace(query);
    this.#status = statusOf(query, governed, { period, spentByKey });
    this.#adjust(query, governed, period.id);
    if (!share.isAlone) await this.#pagesOfOthers.count();
    setGauges(meter, this.#status);
    this.#announceChange(governed.factors);
    await onRefreshed(this.#status);
    await this.#keeper.save();
  }

  /**
   * Counts a billed request that was granted. After a number of requests, which is small if the
   * quota is small, the slow-down is computed again without waiting for the next refresh.
   */
  granted(): void {
    this.#untilStale -= 1;
    if (this.#untilStale > 0) return;
    this.#untilStale = Number.POSITIVE_INFINITY;
    this.refresh(this.#deps.polls()).catch((error: unknown) => this.#failed(error));
  }

  get limit(): number | undefined {
    return this.#totalNow().limit;
  }

  /** The share of `limit` that scheduled polls do not use. */
  get reserve(): number {
    return this.#totalNow().reserve;
  }

  get status(): QuotaStatus {
    return this.#status;
  }

  /** When scheduled polls continue, in epoch ms, if the quota is spent; otherwise 0. */
  get heldUntilMs(): number {
    const { softLimit, spent, period } = this.#status;
    return softLimit !== undefined && spent >= softLimit ? period.endMs : 0;
  }

  start(): void {
    const { clock, polls } = this.#deps;
    const [work, onError] = [() => this.refresh(polls()), (error: unknown) => this.#failed(error)];
    this.#stopRefreshing = repeat({ clock, everyMs: REFRESH_EVERY_MS, work, onError });
  }

  stop(): void {
    this.#stopRefreshing?.();
  }

  #totalNow(): TotalQuota {
    return totalQuota(this.#deps.settings(), this.#deps.keys(), this.#status.spentByKey);
  }

  /**
   * Adds a sample to the forecast correction, and adjusts the token bucket for further pages to
   * what the month can spare.
   */
  #adjust(query: GovernedQuery, { factors, pace }: GovernedPace, periodId: string): void {
    const { nowMs, spent, periodEndMs } = query;
    this.#correction.addSample({
      nowMs,
      periodId,
      spent,
      pacedPerDay: isSlowedDown(factors) ? pace.pacedPerDay : undefined,
    });
    const plannedPerDay = pace.pacedPerDay * (isSlowedDown(factors) ? this.#correction.factor : 1);
    const planned = { plannedPerDay, plannedPagesPerDay: pace.pacedPagesPerDay };
    this.#catchUp.adjust(
      sparePace({ softLimit: softLimit(query), spent, nowMs, periodEndMs, ...planned }),
      nowMs,
    );
    this.#untilStale = requestsUntilStale(query);
  }

  #announceChange(factors: SlowDownFactors): void {
    const isNoticeable = (priority: Priority) => {
      const change = factors[priority] / this.#announced[priority];
      return change < NOTICEABLE.faster || change > NOTICEABLE.slower;
    };
    if (!PRIORITIES.some(isNoticeable))
      return void (this.#announced = slower(this.#announced, factors));
    this.#announced = factors;
    this.#deps.onPaceChanged();
  }

  #failed(error: unknown): void {
    this.#deps.log.warn("quota could not be computed", { error });
  }
}

/** The input of the slow-down: what is spent, what is planned, and when. */
interface GovernedQuery extends SlowDownQuery {
  readonly polls: readonly PricedPoll[];
}

/** The slow-down factors and the requests per day that result from them. */
interface GovernedPace {
  readonly factors: SlowDownFactors;
  readonly pace: Pace;
  /** The factors that apply after the first part of the period, in which only low priority is slowed down. */
  readonly lastingFactors: SlowDownFactors;
  readonly lasting: Pace;
}

function governedPace(query: GovernedQuery): GovernedPace {
  const [factors, lastingFactors] = [governedFactors(query), slowDownFactors(query)];
  return {
    factors,
    pace: planPace(query.polls, factors),
    lastingFactors,
    lasting: planPace(query.polls, lastingFactors),
  };
}

/** Returns the spending limit of scheduled polls. */
const softLimit = ({ limit, reserve }: GovernedQuery): number | undefined =>
  spendingLimit({ monthly: limit, reserve, purpose: "poll" });

const isSlowedDown = (factors: SlowDownFactors): boolean =>
  PRIORITIES.some((priority) => factors[priority] > 1);

function statusOf(
  query: GovernedQuery,
  { factors, pace, lastingFactors, lasting }: GovernedPace,
  { period, spentByKey }: Pick<QuotaStatus, "period" | "spentByKey">,
): QuotaStatus {
  const { limit, spent, nowMs, correctionFactor } = query;
  const expectedPerDay =
    lasting.pacedPerDay * (isSlowedDown(lastingFactors) ? correctionFactor : 1);
  return {
    limit,
    softLimit: softLimit(query),
    spent,
    forecast: spent + forecastRequests(pace.askedPerDay, nowMs, period.endMs),
    expected: expectedRequests(query, expectedPerDay),
    period,
    spentByKey,
    factors,
    get paces() {
      return lasting.watches;
    },
  };
}

/** Returns the status before the first read of the ledger. */
function statusBefore(period: QuotaPeriod, nowMs: number): QuotaStatus {
  const unknown = {
    limit: undefined,
    reserve: 0,
    spent: 0,
    correctionFactor: 1,
    onExhausted: "degrade",
    polls: [],
  } as const;
  const query = { ...unknown, nowMs, periodEndMs: period.endMs };
  return statusOf(query, governedPace(query), { period, spentByKey: new Map() });
}

const slower = (a: SlowDownFactors, b: SlowDownFactors): SlowDownFactors => ({
  high: Math.max(a.high, b.high),
  normal: Math.max(a.normal, b.normal),
  low: Math.max(a.low, b.low),
});

function setGauges(
  meter: Meter,
  { spent, limit, softLimit, forecast, factors }: QuotaStatus,
): void {
  meter.set("chirpwatch_quota_spent", spent);
  meter.set("chirpwatch_quota_forecast", Math.round(forecast));
  if (limit !== undefined) meter.set("chirpwatch_quota_limit", limit);
  if (softLimit !== undefined) meter.set("chirpwatch_quota_line", softLimit);
  for (const priority of PRIORITIES)
    meter.set("chirpwatch_quota_stretch", factors[priority], { priority });
}
