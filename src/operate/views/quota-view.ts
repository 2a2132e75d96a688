/**
 * The quota as the status, the budget and the page show it: how much is left, how fast it is used,
 * which keys are used, and what needs attention.
 */
import type { SuspensionReason } from "../../budget/key-ring.ts";
import { forecastRequests, isSlowed, type SlowDownFactors } from "../../budget/slow-down.ts";
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Config } from "../../config/config.ts";
import type { AuditReadings } from "../../engine/quota/audit-readings.ts";
import type { KeyMonitor } from "../../engine/quota/key-monitor.ts";
import { isBelowConfigured } from "../../engine/quota/quota-alerts.ts";
import { isoTime } from "../../model/clock.ts";
import type { LedgerLine } from "../../model/ledger.ts";
import type { WatchPace } from "../../forecast/pace.ts";
import type { ScrapeDeps } from "./scrape.ts";
import type { BudgetView, QuotaView, SpentView } from "../../server/schema/budget-view.ts";

/** The facts about the quota that a running daemon has, or that the state has alone. */
export interface QuotaFacts {
  readonly limit: number | undefined;
  /** How many requests a month the configuration allows; undefined if it sets no limit. */
  readonly monthly: number | undefined;
  readonly softLimit: number | undefined;
  readonly spent: number;
  readonly forecast: number;
  readonly expected: number;
  readonly onExhausted: "degrade" | "pause";
  readonly period: QuotaPeriod;
  /** The factors by which the priorities are slowed down; undefined if no daemon runs. */
  readonly factors: SlowDownFactors | undefined;
  readonly paces: ReadonlyMap<string, WatchPace>;
  readonly drift: number;
  readonly keys: readonly {
    readonly name: string;
    readonly spent: number;
    readonly limit: number | undefined;
    /** Why the key is suspended; undefined while it may pay. */
    readonly because: SuspensionReason | undefined;
  }[];
}

const SUSPENSION_TEXTS: Readonly<Record<SuspensionReason, string>> = {
  unauthorized: "the service refuses it",
  billing: "its quota is used up, or its subscription is not paid",
  failing: "requests with this key fail, while those with other keys succeed",
};

export const quotaView = (facts: QuotaFacts): QuotaView => ({
  limit: facts.limit ?? null,
  spent: facts.spent,
  line: facts.softLimit ?? null,
  forecast: Math.round(facts.forecast),
  expected: Math.round(facts.expected),
  on_exhausted: facts.onExhausted,
  stretch: facts.factors ?? null,
  drift: facts.drift,
  keys: facts.keys.map(({ name, spent, limit, because }) => ({
    name,
    spent,
    limit: limit ?? null,
    aside: because === undefined ? "" : SUSPENSION_TEXTS[because],
  })),
  period_start: isoTime(facts.period.startMs),
  period_end: isoTime(facts.period.endMs),
});

/**
 * Whether scheduled polls have stopped because the spent requests have reached the soft limit. The
 * reserve above this limit remains for commands.
 */
export const isQuotaSpent = ({
  softLimit,
  spent,
}: Pick<QuotaFacts, "softLimit" | "spent">): boolean =>
  softLimit !== undefined && spent >= softLimit;

/** Returns one sentence for each problem with the quota. */
export function quotaReasons(facts: QuotaFacts): readonly string[] {
  const { factors, drift, keys, limit, monthly, spent, period } = facts;
  const reasons: string[] = [];
  const slowed = Object.entries(factors ?? {}).filter(([, factor]) => isSlowed(factor));
  if (isQuotaSpent(facts))
    reasons.push(
      `the quota is spent: ${spent} of ${limit} requests; polling continues at ${isoTime(period.endMs)}`,
    );
  else if (slowed.length > 0)
    reasons.push(`the quota is short: ${slowed.map(slowDownText).join(", ")}`);
  if (isBelowConfigured(limit, monthly))
    reasons.push(
      `the data service has less left than api.quota.monthly: ${limit} requests instead of ${monthly} this period`,
    );
  if (drift > 0)
    reasons.push(
      `the data service counted ${drift} requests more than chirpwatch sent: something else uses up the quota`,
    );
  for (const { name, because } of keys)
    if (because !== undefined)
      reasons.push(`the key ${name} is suspended: ${SUSPENSION_TEXTS[because]}`);
  return reasons;
}

const slowDownText = ([priority, factor]: [string, number]): string =>
  `${priority} priority is polled ${factor.toFixed(1)} times slower`;

export interface Spending {
  readonly lines: readonly LedgerLine[];
  readonly hours: readonly { readonly hourMs: number; readonly requests: number }[];
  readonly config: Config;
  readonly nowMs: number;
}

export function budgetView(
  facts: QuotaFacts,
  { lines, hours, config, nowMs }: Spending,
): BudgetView {
  const { price } = config.api.quota;
  return {
    quota: quotaView(facts),
    price: price === undefined ? null : { per_request: price.perRequest, currency: price.currency },
    watches: watchLines(facts, lines, nowMs),
    endpoints: [...sumBy(lines, ({ endpoint }) => endpoint)]
      .map(([name, spent]) => ({ name, spent }))
      .sort((a, b) => b.spent - a.spent),
    hours: hours.map(({ hourMs, requests }) => ({ at: isoTime(hourMs), spent: requests })),
  };
}

/**
 * The line for requests that belong to no watch, such as look-ups of accounts and checks of lists.
 */
const HOUSEKEEPING = "(housekeeping)";

/**
 * Returns a line for each watch. The lines add up to the total that is expected: if polling will
 * stop at the soft limit, the forecasts of all watches are reduced by the same factor.
 */
function watchLines(
  { paces, period, expected, spent: total }: QuotaFacts,
  lines: readonly LedgerLine[],
  nowMs: number,
): readonly SpentView[] {
  const restOf = ({ pacedPerDay }: WatchPace): number =>
    forecastRequests(pacedPerDay, nowMs, period.endMs);
  const rest = [...paces.values()].reduce((sum, pace) => sum + restOf(pace), 0);
  const share = rest === 0 ? 0 : Math.max(0, expected - total) / rest;
  const spent = sumBy(lines, ({ watch }) => watch);
  const ids = new Set([...paces.keys(), ...spent.keys()]);
  const views = [...ids].map((id): SpentView => {
    const pace = paces.get(id);
    const so = spent.get(id) ?? 0;
    const expected = pace === undefined ? null : Math.round(so + restOf(pace) * share);
    return { name: id === "" ? HOUSEKEEPING : id, spent: so, expected };
  });
  return views.sort((a, b) => (b.expected ?? b.spent) - (a.expected ?? a.spent));
}

function sumBy(
  lines: readonly LedgerLine[],
  keyOf: (line: LedgerLine) => string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(keyOf(line), (sums.get(keyOf(line)) ?? 0) + line.requests);
  return sums;
}

export interface QuotaParts extends Pick<ScrapeDeps, "quotaMonitor" | "keyQuotas"> {
  readonly auditReadings: AuditReadings;
  readonly keyMonitor: KeyMonitor;
  readonly config: () => Config;
}

/** Collects what a running daemon knows about its quota. */
export function quotaFacts({
  quotaMonitor,
  auditReadings,
  keyMonitor,
  keyQuotas,
  config,
}: QuotaParts): QuotaFacts {
  const { status } = quotaMonitor;
  const suspended = new Map(keyMonitor.suspended.map((one) => [one.key, one.because]));
  const { limit, softLimit, spent, forecast, expected, period, factors } = status;
  return {
    ...{ limit, softLimit, spent, forecast, expected, period, factors },
    // The paces of thousands of watches are computed when they are read.
    get paces() {
      return status.paces;
    },
    onExhausted: config().api.quota.onExhausted,
    monthly: config().api.quota.monthly,
    drift: auditReadings.driftRequests,
    keys: keyQuotas().map(({ name, limit }) => ({
      name,
      limit,
      spent: status.spentByKey.get(name) ?? 0,
      because: suspended.get(name),
    })),
  };
}
