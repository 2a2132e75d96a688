/**
 * How much slower scheduled polls must go to reach the end of the month. Pure arithmetic: the
 * engine applies the factors, the ledger counts.
 */
import type { Priority } from "../model/schedule.ts";
import { spendingLimit } from "./spending-limit.ts";

export interface SlowDownQuery {
  /** Billed requests of the period so far. */
  readonly spent: number;
  /** Requests the period allows; undefined while unknown: nothing is slowed down. */
  readonly limit: number | undefined;
  /** Share kept back, 0 to 1. */
  readonly reserve: number;
  readonly nowMs: number;
  readonly periodEndMs: number;
  readonly onExhausted: "degrade" | "pause";
  /** The forecast correction factor: slowed-down polls take so many times the forecast. */
  readonly correctionFactor: number;
  /**
   * Scheduled polls at the pace their schedules ask for. Baselines are not among them: they are
   * never slowed down.
   */
  readonly polls: readonly { readonly priority: Priority; readonly requestsPerDay: number }[];
}

/** Multiply a poll's interval by the factor of its priority; 1 means untouched. */
export type SlowDownFactors = Readonly<Record<Priority, number>>;

export const NO_SLOW_DOWN: SlowDownFactors = { high: 1, normal: 1, low: 1 };

/** Factors move a little every minute: below this one, a poll counts as untouched. */
const MIN_SLOWED = 1.05;

export const isSlowed = (factor: number): boolean => factor >= MIN_SLOWED;

const DAY_MS = 86_400_000;
const FIRST_TO_WAIT = ["low", "normal", "high"] as const satisfies readonly Priority[];
/**
 * Each priority gives way up to a cap before the next one does; when all have, the round begins
 * again with the next cap.
 */
const CAPS = [10, 100, 1_000] as const;

/** Requests that the rest of the period costs at this pace. */
export function forecastRequests(
  requestsPerDay: number,
  nowMs: number,
  periodEndMs: number,
): number {
  return (requestsPerDay * Math.max(0, periodEndMs - nowMs)) / DAY_MS;
}

/**
 * Factors under which spent + forecast stays at or under the soft limit; the largest caps where
 * nothing would be slow enough.
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
 * What the whole period will have cost in the end: what was spent and what the rest costs at this
 * pace, never beyond the soft limit.
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
 * The first share of a month's requests goes out as the schedules say: only low priority is slowed
 * down before that is spent.
 */
const HEAD_START = 0.05;

/**
 * A share of what is left under the soft limit that may be spent before the factors are computed
 * again.
 */
const STALE_SHARE = 0.01;

/** The active factors: as `slowDownFactors`, after the head start. */
export function governedFactors(query: SlowDownQuery): SlowDownFactors {
  const wanted = slowDownFactors(query);
  return headStartLeft(query) > 0 ? { high: 1, normal: 1, low: wanted.low } : wanted;
}

/**
 * After so many more requests the factors no longer hold: the head start is over, or a noticeable
 * part of what is left is spent.
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
