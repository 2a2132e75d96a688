/**
 * The service's clock, estimated from its answers: windows and floors are compared with times the
 * service wrote, not with ours.
 */
import type { Clock } from "../model/clock.ts";

export interface ServiceClock {
  /** The service's time now, epoch ms. */
  now(): number;
  /** Our wall time as the service's. */
  fromLocal(localMs: number): number;
  /** Takes the Date header of an answer to a request sent at `sentAtMs`. */
  observe(serviceTimeMs: number, sentAtMs: number): void;
}

/**
 * A Date header has whole seconds and an answer takes a moment: smaller differences are no skew.
 */
const NO_SKEW_MS = 5_000;

export function createServiceClock(clock: Clock): ServiceClock {
  let skewMs = 0;
  return {
    now: () => clock.now() + skewMs,
    fromLocal: (localMs) => localMs + skewMs,
    observe(serviceTimeMs, sentAtMs) {
      const middleMs = (sentAtMs + clock.now()) / 2;
      const differenceMs = serviceTimeMs + 500 - middleMs;
      skewMs = Math.abs(differenceMs) < NO_SKEW_MS ? 0 : Math.round(differenceMs);
    },
  };
}
