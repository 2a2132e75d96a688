/** The strategies by which a group can be read, and what one costs. What makes up the cost is each kind of group's. Pure. */

export type Strategy = "single" | "probe" | "merge";

export interface StrategyCost<S extends Strategy = Strategy> {
  readonly strategy: S;
  /** Probes, and reads of what they found. */
  readonly probesPerDay: number;
  readonly readsPerDay: number;
  /** Late-arrival rescans and full polls: what finds late and odd items. */
  readonly sweepsPerDay: number;
  readonly requestsPerDay: number;
}

export const strategyCost = <S extends Strategy>(
  strategy: S,
  probesPerDay: number,
  readsPerDay: number,
  sweepsPerDay: number,
): StrategyCost<S> => ({
  strategy,
  probesPerDay,
  readsPerDay,
  sweepsPerDay,
  requestsPerDay: probesPerDay + readsPerDay + sweepsPerDay,
});

const LEAST_FULL_POLL_MS = 1_800_000;
/** What full polls, or verification reads, may add to the cost of everything else. */
export const FULL_POLL_SHARE = 0.04;

/** As often as a small share of the cost allows, which is every `everyMs`, and always well within `max_age`. */
export const fullPollWithin = (everyMs: number, intervalMs: number, maxAgeMs: number): number =>
  Math.min(Math.max(everyMs, LEAST_FULL_POLL_MS, intervalMs), Math.floor(maxAgeMs * 0.45));
