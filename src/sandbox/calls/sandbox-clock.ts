/**
 * The sandbox's own time: the given clock, plus what the control API moved it ahead, plus the error
 * of a service whose clock is wrong.
 */
import type { Clock } from "../../model/clock.ts";

export interface SandboxClock {
  now(): number;
  /** Without the error: what lasts for a while goes by it. */
  trueNow(): number;
  advance(ms: number): void;
  /** Makes the clock wrong by so much more. */
  skew(ms: number): void;
  readonly base: Clock;
}

/** Starts level with `base`. */
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
