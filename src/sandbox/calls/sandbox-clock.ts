/**
 * The sandbox's own time: the given clock, plus what the control API moved it ahead, plus the error
 * of a service whose clock is wrong.
 */
import type { Clock } from "../../model/clock.ts";

export interface SandboxClock {
  now(): number;
  /** Returns the time without the error. Durations, such as how long a fault lasts, use it. */
  trueNow(): number;
  advance(ms: number): void;
  /** Adds `ms` to the error of the clock. */
  skew(ms: number): void;
  readonly base: Clock;
}

/** Creates a clock that shows the same time as `base`. */
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
