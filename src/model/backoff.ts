/**
 * Computes waits between retries, and tracks which keys are in a cooldown. Every retry schedule
 * uses this module. The schedules themselves are defined where they are used.
 */
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface Backoff {
  /**
   * The waits after the 1st, 2nd … failure in a row, in ms. After further failures, the last wait
   * repeats.
   */
  readonly stepsMs: readonly number[];
  /**
   * Each wait is multiplied by a random factor between these two, so that things that failed
   * together are not tried together. By default there is no jitter.
   */
  readonly jitter?: { readonly from: number; readonly to: number; readonly random: Random };
  /** The maximum wait after jitter, in ms. */
  readonly capMs?: number;
}

/**
 * Returns how many ms to wait after a failure. `failures` is the number of failures in a row,
 * including this one.
 */
export function backoffAfter(
  { stepsMs, jitter, capMs = Number.POSITIVE_INFINITY }: Backoff,
  failures: number,
): number {
  const stepMs = stepsMs[Math.max(0, Math.min(failures, stepsMs.length) - 1)] ?? 0;
  const factor =
    jitter === undefined ? 1 : jitter.from + (jitter.to - jitter.from) * jitter.random.float();
  return Math.min(stepMs * factor, capMs);
}

/**
 * Returns the current wait between retries if the failures began `forMs` ago. It is computed from
 * that time alone, so it survives a restart.
 */
export function backoffSince({ stepsMs }: Pick<Backoff, "stepsMs">, forMs: number): number {
  let spentMs = 0;
  for (const stepMs of stepsMs) {
    spentMs += stepMs;
    if (forMs < spentMs) return stepMs;
  }
  return stepsMs.at(-1) ?? 0;
}

/** Returns steps that begin with `firstMs` and double up to `capMs`. */
export function doubling(firstMs: number, capMs: number): readonly number[] {
  const steps = 1 + Math.ceil(Math.log2(capMs / firstMs));
  return Array.from({ length: steps }, (_, index) => Math.min(firstMs * 2 ** index, capMs));
}

/**
 * Keys that are not tried again for a time. They are kept in memory with monotonic times, so that a
 * cooldown does not become longer if the system clock is set back.
 */
export interface Cooldowns {
  /** Starts a cooldown now, replacing a running one. 0 or less ends it. */
  begin(key: string, forMs: number): void;
  isCoolingDown(key: string): boolean;
  release(key: string): void;
}

export function createCooldowns(clock: Pick<Clock, "monotonic">): Cooldowns {
  const untilMs = new Map<string, number>();
  return {
    begin(key, forMs) {
      if (forMs > 0) untilMs.set(key, clock.monotonic() + forMs);
      else untilMs.delete(key);
    },
    isCoolingDown: (key) => (untilMs.get(key) ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    release: (key) => void untilMs.delete(key),
  };
}
