/**
 * Computes by which factor scheduled polls must be slowed down so that the quota lasts until the
 * end of the month. Pure: the engine applies the factors, the ledger counts requests.
 */
import type { Priority } from "../model/schedule.ts";
import { spendingLimit } from "./spending-limit.ts";

export interface SlowDownQuery {
  /** The number of billed requests of the period so far. */
  readonly spent: number;
  /**
   * The number of requests that the period allows; undefined if unknown, in which case nothing is
   * slowed down.
   */
  readonly limit: number | undefined;
  /** The share of the limit that is kept back from scheduled polls, 0 to 1. */
  readonly reserve: number;
  readonly nowMs: number;
  readonly periodEndMs: number;
  readonly onExhausted: "degrade" | "pause";
  /** The forecast correction factor: slowed-down polls cost this many times the forecast. */
  readonly correctionFactor: number;
  /**
   * The scheduled polls, with the requests that they make if they are not slowed down. First reads
   * are not included, because they are never slowed down.
   */
  readonly polls: readonly { readonly priority: Priority; readonly requestsPerDay: number }[];
}

/** The factors by which a poll's interval is multiplied, by its priority; 1 means no change. */
export type SlowDownFactors = Readonly<Record<Priority, number>>;

export const NO_SLOW_DOWN: SlowDownFactors = { high: 1, normal: 1, low: 1 };

/**
 * The factor from which on a poll counts as slowed down. Smaller factors are ignored, because
 * factors change a little every minute.
 */
const MIN_SLOWED = 1.05;

export const isSlowed = (factor: number): boolean => factor >= MIN_SLOWED;

const DAY_MS = 86_400_000;
const FIRST_TO_WAIT = ["low", "normal", "high"] as const satisfies readonly Priority[];
/**
 * The caps of the factors. The lowest priority is slowed down to the first cap before the next one
 * is slowed down. If all priorities are at a cap and the plan still does not fit, the next cap is
 * tried in the same way.
 */
const CAPS = [10, 100, 1_000] as const;

/** Returns how many requests the rest of the period takes at this rate. */
export function forecastRequests(
  requestsPerDay: number,
  nowMs: number,
  periodEndMs: number,
): number {
  return (requestsPerDay * Math.max(0, periodEndMs - nowMs)) / DAY_MS;
}

/**
 * Returns factors with which the spent and the forecast requests together stay within the soft
 * limit; the largest caps if no factors are enough.
 */
export function slowDownFactors(query: SlowDownQuery): SlowDownFactors {
  const factors = { ...NO_SLOW_DOWN };
  const softLimit = spendingLimit({
    monthly: query.limit,
    reserve: query.reserve,
    purpose: "poll",
  });
  if (softLimit === undefined || query.onExhausted === "pause") return factors;
  const costs = restOfPeriod(query);
  const affordable = softLimit - query.spent;
  if (costs.high + costs.normal + costs.low <= affordable) return factors;
  const affordableByForecast = affordable / query.correctionFactor;
  for (const cap of CAPS) {
    for (const priority of FIRST_TO_WAIT) {
      if (costs[priority] === 0) continue;
      const others = FIRST_TO_WAIT.filter((other) => other !== priority).reduce(
        (sum, other) => sum + costs[other] / factors[other],
        0,
      );
      const needed =
        affordableByForecast > others
          ? costs[priority] / (affordableByForecast - others)
          : Number.POSITIVE_INFINITY;
      factors[priority] = Math.min(Math.max(needed, factors[priority]), cap);
      if (needed <= cap) return factors;
    }
  }
  return factors;
}

/**
 * Returns how many requests the whole period is expected to take: the spent ones and those of the
 * rest at this rate, at most the soft limit.
 */
export function expectedRequests(query: SlowDownQuery, requestsPerDay: number): number {
  const softLimit = spendingLimit({
    monthly: query.limit,
    reserve: query.reserve,
    purpose: "poll",
  });
  const uncut = query.spent + forecastRequests(requestsPerDay, query.nowMs, query.periodEndMs);
  return softLimit === undefined ? uncut : Math.min(uncut, Math.max(softLimit, query.spent));
}

/**
 * Until this share of the period's limit is spent, only low priority is slowed down, and other
 * polls keep their schedules.
 */
const HEAD_START = 0.05;

/**
 * The share of the requests left under the soft limit after which the factors are computed again.
 */
const STALE_SHARE = 0.01;

/**
 * Returns the factors that apply now. Until `HEAD_START` of the limit is spent, only low priority
 * has a factor other than 1.
 */
export function governedFactors(query: SlowDownQuery): SlowDownFactors {
  const wanted = slowDownFactors(query);
  return headStartLeft(query) > 0 ? { high: 1, normal: 1, low: wanted.low } : wanted;
}

/**
 * Returns after how many more requests the factors must be computed again: when `HEAD_START` is
 * spent or, if it already is, when a noticeable part of what is left under the soft limit is spent.
 */
export function requestsUntilStale(
  query: Pick<SlowDownQuery, "limit" | "reserve" | "spent">,
): number {
  const softLimit = spendingLimit({
    monthly: query.limit,
    reserve: query.reserve,
    purpose: "poll",
  });
  if (softLimit === undefined) return Number.POSITIVE_INFINITY;
  return headStartLeft(query) || Math.max(1, Math.floor((softLimit - query.spent) * STALE_SHARE));
}

const headStartLeft = ({ limit, spent }: Pick<SlowDownQuery, "limit" | "spent">): number =>
  limit === undefined ? 0 : Math.max(0, Math.ceil(limit * HEAD_START - spent));

function restOfPeriod(query: SlowDownQuery): Record<Priority, number> {
  const costs = { high: 0, normal: 0, low: 0 };
  for (const poll of query.polls)
    costs[poll.priority] += forecastRequests(poll.requestsPerDay, query.nowMs, query.periodEndMs);
  return costs;
}
