/**
 * Estimates the service's clock from its answers. Search windows and lower bounds are compared with
 * times that the service wrote, so they must be in its time, not in ours.
 */
import type { Clock } from "../model/clock.ts";

export interface ServiceClock {
  /** The service's time now, epoch ms. */
  now(): number;
  /** Converts our wall time to the service's. */
  fromLocal(localMs: number): number;
  /**
   * Records the Date header of an answer. `sentAtMs`: when the request was sent, by our wall clock.
   */
  observe(serviceTimeMs: number, sentAtMs: number): void;
}

/**
 * Smaller differences do not count as skew, because a Date header has whole seconds and an answer
 * takes a moment.
 */
const MIN_SKEW_MS = 5_000;

export function createServiceClock(clock: Clock): ServiceClock {
  let skewMs = 0;
  return {
    now: () => clock.now() + skewMs,
    fromLocal: (localMs) => localMs + skewMs,
    observe(serviceTimeMs, sentAtMs) {
      const middleMs = (sentAtMs + clock.now()) / 2;
      const differenceMs = serviceTimeMs + 500 - middleMs;
      skewMs = Math.abs(differenceMs) < MIN_SKEW_MS ? 0 : Math.round(differenceMs);
    },
  };
}
