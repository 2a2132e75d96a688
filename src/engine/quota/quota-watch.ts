/**
 * What the month allows, what was spent, and how fast polls and their further pages go while it is
 * short. Alerts nobody: quota-alerts.ts does.
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
  /** Requests of the period; undefined while nobody knows. */
  readonly limit: number | undefined;
  /** Where scheduled polls stop: the limit without the reserve. */
  readonly softLimit: number | undefined;
  readonly spent: number;
  /** At the pace the schedules ask for, with no slow-down. */
  readonly forecast: number;
  /** Slowed down where the quota is short, and never beyond the soft limit. */
  readonly expected: number;
  readonly period: QuotaPeriod;
  readonly spentByKey: ReadonlyMap<string, number>;
  readonly factors: SlowDownFactors;
  /** By watch id, those that ask for most first. */
  readonly paces: ReadonlyMap<string, WatchPace>;
}

export interface QuotaWatchDeps extends HourlyFiguresDeps, Pick<Ports, "meter" | "log" | "notes"> {
  readonly ledger: HourlyFiguresDeps["ledger"] & Pick<Ledger, "countFurtherPages">;
  readonly settings: () => QuotaSettings;
  readonly keys: () => readonly KeyQuota[];
  /** Those of all replicas. */
  readonly polls: () => readonly Poll[];
  readonly share: Pick<Share, "isAlone" | "isLeading">;
  /** Called after every refresh. */
  readonly onRefreshed: (status: QuotaStatus) => Promise<void>;
  /**
   * Called when polls go noticeably faster or slower than a moment ago: waiting times are computed
   * again.
   */
  readonly onPaceChanged: () => void;
}

const REFRESH_EVERY_MS = 60_000;
/**
 * Factors change a little every minute; waiting times are computed again when one fell below, or
 * rose above, so many times what it was.
 */
const NOTICEABLE = { faster: 0.95, slower: 2 } as const;

export class QuotaWatch {
  /** How fast scheduled polls may read beyond their first pages: what the month can spare. */
  readonly pages: FurtherPages;
  readonly #deps: QuotaWatchDeps;
  readonly #catchUp = createCatchUp();
  readonly #pagesOfOthers: PagesOfOthers;
  readonly #correction = createForecastCorrection();
  readonly #keeper: CorrectionKeeper;
  readonly #figures: HourlyFigures;
  #stopRefreshing: Cancel | undefined;
  /** The slowest that waiting times of polls may have been computed with. */
  #announced: SlowDownFactors = NO_SLOW_DOWN;
  #untilStale = Number.POSITIVE_INFINITY;
  #status: QuotaStatus;

  constructor(deps: QuotaWatchDeps) {
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

  /** Reads the ledger and sets the pace. */
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
   * Called for every billed request that is granted: after a few of a small quota the pace is set
   * again, however soon that is.
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

  /** Share of `limit` that scheduled polls do not use. */
  get reserve(): number {
    return this.#totalNow().reserve;
  }

  get status(): QuotaStatus {
    return this.#status;
  }

  /**
   * Until when scheduled polls are held because the quota is spent, epoch ms; 0 while they are not.
   */
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
   * Learns how much slowed-down polls take beyond the forecast, and spreads what the month can
   * spare.
   */
  #adjust(query: GovernedQuery, { factors, pace }: GovernedPace, periodId: string): void {
    const { nowMs, spent, periodEndMs } = query;
    this.#correction.take({
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

/** What is spent and planned at a moment. */
interface GovernedQuery extends SlowDownQuery {
  readonly polls: readonly PricedPoll[];
}

/** How fast polls go by what is spent and what they cost. */
interface GovernedPace {
  readonly factors: SlowDownFactors;
  readonly pace: Pace;
  /** Once the requests of a period that nothing slows down are spent. */
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

/** Where scheduled polls stop. */
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

/** Before the first read of the ledger. */
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
