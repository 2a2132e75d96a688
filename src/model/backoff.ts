/**
 * Waits between retries, and which keys are waiting. Every retry schedule uses this module; the
 * schedules themselves stand where they are used.
 */
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface Backoff {
  /**
   * Waits after the 1st, 2nd … failure in a row, in ms; from then on the last one again and again.
   */
  readonly stepsMs: readonly number[];
  /**
   * Each wait is multiplied by a random factor between these two, so that what failed together is
   * not tried together. Default: none.
   */
  readonly jitter?: { readonly from: number; readonly to: number; readonly random: Random };
  /** No wait is longer, whatever the jitter; ms. */
  readonly capMs?: number;
}

/** `failures`: in a row, the last one included. */
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
 * The wait of a row of failures that has lasted `forMs`: it follows from the time alone, so that it
 * survives a restart.
 */
export function backoffSince({ stepsMs }: Pick<Backoff, "stepsMs">, forMs: number): number {
  let spentMs = 0;
  for (const stepMs of stepsMs) {
    spentMs += stepMs;
    if (forMs < spentMs) return stepMs;
  }
  return stepsMs.at(-1) ?? 0;
}

/** `firstMs`, twice that, and so on up to `capMs`. */
export function doubling(firstMs: number, capMs: number): readonly number[] {
  const steps = 1 + Math.ceil(Math.log2(capMs / firstMs));
  return Array.from({ length: steps }, (_, index) => Math.min(firstMs * 2 ** index, capMs));
}

/**
 * Keys that are not retried for a time. In memory, and by the monotonic clock: setting the wall
 * clock back must not prolong a cooldown.
 */
export interface Cooldowns {
  /** Starts now and replaces the one under way; 0 or less ends it. */
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
