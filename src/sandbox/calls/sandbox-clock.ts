/** The sandbox's own time: the given clock, plus what the control API moved it ahead. */
import type { Clock } from "../../model/clock.ts";

export interface SandboxClock {
  now(): number;
  advance(ms: number): void;
  readonly base: Clock;
}

/** Starts level with `base`. */
export function createSandboxClock(base: Clock): SandboxClock {
  let aheadMs = 0;
  return { base, now: () => base.now() + aheadMs, advance: (ms) => void (aheadMs += ms) };
}
