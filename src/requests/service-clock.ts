/**
 * Estimates the service's clock from its answers. Search windows and lower bounds are compared with
 * times that the service wrote, so they must be in the service's time, not in ours.
 */
import type { Clock } from "../model/clock.ts";

export interface ServiceClock {
  /** Returns the service's current time in milliseconds since 1970. */
  now(): number;
  /** Converts a time of our wall clock to the service's time. */
  fromLocal(localMs: number): number;
  /**
   * Updates the estimate with the Date header of an answer. `sentAtMs` is when the request was
   * sent, by our wall clock.
   */
  observe(serviceTimeMs: number, sentAtMs: number): void;
}

/**
 * The minimum difference that counts as skew. Smaller ones are normal, because a Date header has
 * whole seconds and an answer takes a moment.
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
