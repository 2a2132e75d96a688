/**
 * The sandbox's own time. It is the time of the given clock, plus the time by which the control API
 * moved it forward, plus the error of a fault that makes the service's clock wrong.
 */
import type { Clock } from "../../model/clock.ts";

export interface SandboxClock {
  now(): number;
  /**
   * Returns the time without the error. Durations are measured with it, such as how long a fault
   * lasts.
   */
  trueNow(): number;
  advance(ms: number): void;
  /** Adds `ms` to the error of the clock. */
  skew(ms: number): void;
  readonly base: Clock;
}

/** Creates a clock that shows the same time as `base` until it is advanced or skewed. */
export function createSandboxClock(base: Clock): SandboxClock {
  let [aheadMs, skewMs] = [0, 0];
  const trueNow = () => base.now() + aheadMs;
  return {
    base,
    trueNow,
    now: () => trueNow() + skewMs,
    advance: (ms) => void (aheadMs += ms),
    skew: (ms) => void (skewMs += ms),
  };
}
